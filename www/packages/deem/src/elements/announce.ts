/**
 * What others did, in one polite region: at most one message in three seconds, never for this tab's
 * own edits. What happens in between is told together.
 */
import type { CardSnapshot, Mark, Presence } from "../types.js";
import type { MoreContext } from "./context.js";
import { h } from "./dom.js";
import { others } from "./people.js";
import { isOpen } from "./shown.js";

const QUIET_MS = 3000;

interface News {
  who: Set<string>;
  /** Something was done by someone who cannot be told from the others. */
  unknown: boolean;
  cells: Set<string>;
  choice: boolean;
  text: boolean;
}

const noNews = (): News => ({
  who: new Set(),
  unknown: false,
  cells: new Set(),
  choice: false,
  text: false,
});

export class Announcer {
  readonly el = h("div", { class: "vh", role: "status", "aria-live": "polite", part: "news" });
  #before: CardSnapshot | null = null;
  readonly #ownMarks = new Map<string, Mark | null>();
  #own = false;
  #news = noNews();
  #settled = "";
  #timer: ReturnType<typeof setTimeout> | undefined;
  #last = Number.NEGATIVE_INFINITY;

  constructor(private readonly ctx: MoreContext) {}

  /** A mark that this tab set: its echo is not news. */
  ownMark(cell: string, mark: Mark | null): void {
    this.#ownMarks.set(cell, mark);
  }

  /** While another edit of this tab runs, what changes is its own. */
  own(on: boolean): void {
    this.#own = on;
  }

  update(snap: CardSnapshot): void {
    const before = this.#before;
    this.#before = snap;
    if (!before || before === snap) return;
    if (!isOpen(snap) && isOpen(before)) {
      const { name, t } = this.ctx;
      if (snap.settled) this.#settled = t.announceSettled(name(snap.settled.resolver));
      this.#news = noNews();
      if (this.#settled) this.#later();
      return;
    }
    if (before.generation === snap.generation && this.#compare(before, snap)) this.#later();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Takes in what others changed; says whether anything was. */
  #compare(before: CardSnapshot, snap: CardSnapshot): boolean {
    const here = others(snap.presence);
    let found = false;
    for (const cell of new Set([...Object.keys(before.marks), ...Object.keys(snap.marks)])) {
      const now = snap.marks[cell] ?? null;
      if ((before.marks[cell] ?? null) === now) continue;
      if (this.#own || this.#ownMarks.get(cell) === now) {
        this.#ownMarks.delete(cell);
        continue;
      }
      this.#news.cells.add(cell);
      this.#by(here, (one) => one.cell === cell);
      found = true;
    }
    if (JSON.stringify(snap.draft) === JSON.stringify(before.draft)) return found;
    if (this.#own) return found;
    const same = texts(before) === texts(snap);
    this.#news[same ? "choice" : "text"] = true;
    this.#by(here, (one) => !same && one.field !== undefined);
    return true;
  }

  /** Who did it: the one who is at that place, or the only one who is here. */
  #by(here: Presence[], at: (one: Presence) => boolean): void {
    const there = here.filter(at);
    const [only] = there.length === 1 ? there : here;
    if (only && (there.length === 1 || here.length === 1))
      this.#news.who.add(this.ctx.name(only.person));
    else this.#news.unknown = true;
  }

  #later(): void {
    if (this.#timer !== undefined) return;
    const wait = Math.max(0, this.#last + QUIET_MS - Date.now());
    this.#timer = setTimeout(() => this.#say(), wait);
  }

  #say(): void {
    this.#timer = undefined;
    this.#last = Date.now();
    const { who, unknown, cells, choice, text } = this.#news;
    const did = { cells: cells.size, choice, text };
    this.el.textContent = this.#settled || this.ctx.t.announce(unknown ? [] : [...who], did);
    this.#news = noNews();
    this.#settled = "";
  }
}

const texts = (snap: CardSnapshot): string =>
  JSON.stringify(Object.values(snap.draft).map((part) => part.text));
