/**
 * What others did, in one polite region: at most one message in three seconds, never for this tab's
 * own edits.
 */
import type { CardSnapshot, Mark } from "../types.js";
import type { Context } from "./context.js";
import { h } from "./dom.js";
import { others } from "./people.js";
import { isOpen } from "./shown.js";

const QUIET_MS = 3000;

export class Announcer {
  readonly el = h("div", { class: "vh", role: "status", "aria-live": "polite" });
  #before: CardSnapshot | null = null;
  readonly #own = new Map<string, Mark | null>();
  #ownUntilSeen = false;
  #cells = 0;
  #words = "";
  #timer: ReturnType<typeof setTimeout> | undefined;
  #last = 0;

  constructor(private readonly ctx: Context) {}

  /** A mark that this tab set: its echo is not news. */
  ownMark(cell: string, mark: Mark | null): void {
    this.#own.set(cell, mark);
  }

  /** Any other edit of this tab. */
  own(): void {
    this.#ownUntilSeen = true;
  }

  update(snap: CardSnapshot): void {
    const before = this.#before;
    this.#before = snap;
    if (!before || before === snap) return;
    const { t } = this.ctx;
    if (!isOpen(snap) && isOpen(before)) {
      if (snap.settled) this.#say(t.announceSettled(this.ctx.name(snap.settled.resolver)));
      return;
    }
    if (before.generation !== snap.generation) return;
    const here = others(snap.presence);
    const who = here.length === 1 && here[0] ? this.ctx.name(here[0].person) : undefined;
    let cells = 0;
    for (const cell of new Set([...Object.keys(before.marks), ...Object.keys(snap.marks)])) {
      const now = snap.marks[cell] ?? null;
      if ((before.marks[cell] ?? null) === now) continue;
      if (this.#own.get(cell) === now) this.#own.delete(cell);
      else cells += 1;
    }
    const draft = JSON.stringify(snap.draft) !== JSON.stringify(before.draft);
    if (draft && !this.#ownUntilSeen) {
      const texts = (one: CardSnapshot): string =>
        Object.values(one.draft)
          .map((part) => part.text)
          .join("\n");
      this.#say(texts(before) === texts(snap) ? t.announceChoice(who) : t.announceText(who));
    }
    if (draft) this.#ownUntilSeen = false;
    if (cells > 0) {
      this.#cells += cells;
      this.#say(t.announceMarks(who, this.#cells));
    }
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #say(words: string): void {
    this.#words = words;
    clearTimeout(this.#timer);
    const wait = Math.max(0, this.#last + QUIET_MS - Date.now());
    this.#timer = setTimeout(() => {
      this.#last = Date.now();
      this.#cells = 0;
      this.el.textContent = this.#words;
    }, wait);
  }
}
