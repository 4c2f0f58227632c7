/**
 * `<save-bar>`: on a phone one Save for the answers that this person edited, at the foot of the
 * page. It lists what cannot go with it: what changed after it was read, and what needs the person.
 */
import { enMore, type Strings } from "../locale/en-more.js";
import type { CardSnapshot, DecisionHandle } from "../types.js";
import { DeemElement } from "./base.js";
import { codeOf, isEdited, viewState } from "./context.js";
import { button, h, Region, say, set, show } from "./dom.js";
import { SyncLine } from "./foot.js";
import { PLACES } from "./place-styles.js";
import { answerable, isHeld, isOpen } from "./shown.js";
import { adopt } from "./styles.js";

interface Item {
  handle: DecisionHandle;
  snap: CardSnapshot;
}

interface Parts {
  el: HTMLElement;
  list: Region<HTMLElement>;
  sync: SyncLine;
  count: HTMLElement;
  save: HTMLButtonElement;
}

/** `<save-bar>`: one Save for the answers that this person edited. */
/**
 * `<save-bar>` with the property `store`. It shows itself up to 640 px, and with the attribute `wide`
 * everywhere. Fires `deem-look` (`detail.decision`) before it goes to a card; a host that shows the
 * card elsewhere prevents that.
 */
export class SaveBar extends DeemElement {
  #parts: Parts | null = null;
  #stop: (() => void) | null = null;
  /** Decisions that are kept open while they are listed. */
  readonly #held = new Map<string, () => void>();
  /** Generation of each answer that was edited in this tab, an earlier load of it included. */
  #edited: Record<string, number> = {};

  disconnectedCallback(): void {
    this.#stop?.();
    this.#stop = null;
    this.#parts?.sync.stop();
    for (const close of this.#held.values()) close();
    this.#held.clear();
  }

  protected override found(): void {
    this.#stop?.();
    this.#stop = null;
    if (this.isConnected && this.store) {
      this.#edited = kept(this.#key());
      this.#stop = this.store.subscribe(() => this.refresh());
    }
    super.found();
  }

  protected override reset(): void {
    this.#parts?.sync.stop();
    this.#parts?.el.remove();
    this.#parts = null;
  }

  protected override draw(): void {
    const parts = (this.#parts ??= this.#make());
    const items = this.#items();
    const ready = items.filter(isReady);
    const others = items.filter((one) => !isReady(one) && !isHeld(one.snap));
    const lost = this.store?.status().lost ?? 0;
    show(parts.el, items.length > 0 || lost > 0);
    const t = this.#words;
    const contested = ready.filter(({ snap }) => snap.contested.length > 0);
    const lines = [...others, ...contested].map(
      ({ handle, snap }) => [handle.id, this.#line(snap)] as const,
    );
    const all = [...(lost > 0 ? [["", t.lost(lost)] as const] : []), ...lines];
    const line = ([id, words]: readonly [string, string]): HTMLElement =>
      h(
        "li",
        null,
        h("span", null, words),
        ...(id === "" ? [] : [button(t.look, () => this.#look(id), { class: "line" })]),
      );
    parts.list.render(all.length > 0 ? JSON.stringify(all) : "", () => [
      h("ul", null, ...all.map(line)),
    ]);
    if (this.store) parts.sync.update(this.store.status());
    say(parts.count, t.toSave(ready.length));
    say(parts.save, t.saveAll(ready.length));
    set(parts.save, { "aria-disabled": ready.length === 0 ? "true" : null });
  }

  #make(): Parts {
    const t = this.#words;
    const parts: Parts = {
      el: h("section", { class: "save-bar", part: "bar", "aria-label": t.save, lang: t.lang }),
      list: new Region(h("div", { class: "bar-list", role: "status" })),
      sync: new SyncLine({ t }),
      count: h("span", { class: "bar-count" }),
      save: button(t.save, () => this.#save(), { class: "save", part: "save" }),
    };
    const words = h("span", { class: "bar-words" }, parts.count, parts.sync.el);
    parts.el.append(parts.list.el, h("div", { class: "bar-line" }, words, parts.save));
    set(parts.el, { dir: t.dir === "rtl" ? t.dir : null });
    adopt(this.root, PLACES);
    this.root.append(parts.el);
    return parts;
  }

  /** Open answers with edits of this person, and their saves that did not go through. */
  #items(): Item[] {
    const { store } = this;
    if (!store) return [];
    const found: Item[] = [];
    const edited: Record<string, number> = {};
    for (const { id, status } of store.decisions()) {
      if (status !== "open" && status !== "reopened") continue;
      const handle = store.decision(id);
      const snap = handle.snapshot();
      if (!snap || !isOpen(snap)) continue;
      const { generation } = snap;
      const mine = isEdited(handle, generation) || this.#edited[id] === generation || snap.canUndo;
      if (mine) edited[id] = generation;
      if (mine || snap.save.state !== "none") found.push({ handle, snap });
    }
    if (JSON.stringify(edited) !== JSON.stringify(this.#edited)) keep(this.#key(), edited);
    this.#edited = edited;
    this.#hold(found);
    return found;
  }

  /** A draft is live only while somebody holds it open. */
  #hold(items: Item[]): void {
    const wanted = new Map(items.map((one) => [one.handle.id, one.handle]));
    for (const [id, close] of this.#held) {
      if (wanted.has(id)) continue;
      this.#held.delete(id);
      close();
    }
    for (const [id, handle] of wanted)
      if (!this.#held.has(id)) this.#held.set(id, handle.open());
  }

  #line(snap: CardSnapshot): string {
    const t = this.#words;
    const question = snap.definition.questions[0]?.question ?? "";
    if (snap.save.state === "stale") return t.staleAnswer(question);
    if (snap.save.state !== "none" || !snap.editable) return t.heldAnswer(question);
    return answerable(snap) ? t.contestedAnswer(question) : t.blankAnswer(question);
  }

  #save(): void {
    for (const { handle } of this.#items().filter(isReady)) {
      try {
        handle.save();
      } catch (error) {
        // Its card says so, with the next change it shows.
        viewState(handle).problem = { of: "request", code: codeOf(error) };
      }
    }
    this.refresh();
  }

  /** To the card; a host that shows it elsewhere listens and prevents. */
  #look(id: string): void {
    const detail = { decision: id };
    const told = new CustomEvent("deem-look", {
      detail,
      bubbles: true,
      composed: true,
      cancelable: true,
    });
    if (!this.dispatchEvent(told)) return;
    const root = this.getRootNode() as Document | ShadowRoot;
    const card = root.querySelector<HTMLElement>(
      `:is(decision-card, decision-page)[decision="${CSS.escape(id)}"]`,
    );
    card?.scrollIntoView({ block: "center" });
    card?.focus();
  }

  get #words(): Strings {
    return { ...enMore, ...this.strings };
  }

  #key(): string {
    return `deem:edited:${this.store?.space ?? ""}:${this.store?.user ?? ""}`;
  }
}

/** Saved as it is shown; what was stale is saved only where its difference is read, in the card. */
const isReady = ({ snap }: Item): boolean =>
  snap.save.state === "none" && snap.editable && answerable(snap);

/** A page that a phone put away and loads again goes on with its list. */
function kept(key: string): Record<string, number> {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? "{}") as Record<string, number>;
  } catch {
    return {};
  }
}

function keep(key: string, edited: Record<string, number>): void {
  try {
    sessionStorage.setItem(key, JSON.stringify(edited));
  } catch {
    // Without storage the list is this page's alone.
  }
}
