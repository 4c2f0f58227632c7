/**
 * `<decision-card>`: one decision as a person works on it. It shows what the handle says and holds
 * no rules of its own. What opens in it comes from `more.ts`, a moment after it is drawn.
 */
import type { CardSnapshot, DecisionHandle } from "../types.js";
import { DecisionElement } from "./base.js";
import { codeOf, type Context, type Panel, viewState } from "./context.js";
import { arrange, button, h, Keyed, Region, say, set, show } from "./dom.js";
import { Foot } from "./foot.js";
import type { GridHost } from "./grid.js";
import { Head } from "./head.js";
import { loadMore, moreModule } from "./later.js";
import type { More } from "./more.js";
import { QuestionView } from "./question-view.js";
import { SettledPart } from "./settled.js";
import { isOpen, mayAct, visible } from "./shown.js";

/** The parts of a card, made once for a decision. */
export interface Parts {
  ctx: Context;
  card: HTMLElement;
  question: HTMLElement;
  about: Region<HTMLElement>;
  head: Head;
  views: Keyed<HTMLElement>;
  byId: Map<string, QuestionView>;
  body: HTMLElement;
  settled: SettledPart;
  foot: Foot;
  menu: HTMLButtonElement;
  /** What is filled by `more`. */
  history: HTMLElement;
  notes: HTMLElement;
  more: More | null;
}

/** `<decision-card>`: one decision, from the open question to its answer and history. */
/**
 * `<decision-card decision="ID">` with the property `store`, or with `handle` alone.
 *
 * Attributes: `decision`, `heading-level` (1 to 6, usually 3), `mode="form"`, `lang`. Fires
 * `deem-leave` when the person leaves by Escape; a host that takes the focus itself prevents it.
 * Parts and `--deem-*` variables are for its look.
 */
export class DecisionCard extends DecisionElement {
  #parts: Parts | null = null;

  /** Moves the focus into the card, to where this tab was last. */
  override focus(): void {
    const parts = this.#parts;
    if (!parts) return;
    if (parts.ctx.ui.panel) return this.#open(parts.ctx.ui.panel);
    const live = [...parts.byId.values()].some((view) => view.focusFirst());
    if (!live) parts.question.focus();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#rest();
    // The element that this decision moves to comes in the same task, and takes the focus up.
    setTimeout(() => {
      if (!this.isConnected) this.#unfocused();
    });
  }

  protected get parts(): Parts | null {
    return this.#parts;
  }

  protected override reset(): void {
    this.#rest();
    this.#parts?.card.remove();
    this.#parts = null;
  }

  protected override update(snap: CardSnapshot, handle: DecisionHandle): void {
    const made = this.#parts === null;
    const parts = (this.#parts ??= this.#make(handle));
    const focused = this.root.activeElement;
    const { card, question, byId, ctx } = parts;
    set(card, {
      "data-status": snap.status,
      "data-locked": isOpen(snap) && snap.save.state === "waiting",
      lang: ctx.t.lang,
      dir: ctx.t.dir === "rtl" ? "rtl" : null,
      "data-dir": ctx.t.dir,
    });
    const [first] = snap.definition.questions;
    const single = snap.definition.questions.length === 1;
    say(question, single || first === undefined ? (first?.question ?? "") : first.header);
    set(question, { "aria-level": this.headingLevel });
    parts.about.render(single ? (first?.context ?? "") : "", () => [visible(first?.context ?? "")]);
    parts.head.update(snap);
    this.#questions(parts, snap);
    parts.settled.update(snap);
    parts.foot.update(snap, single && first ? byId.get(first.id)?.shown : undefined);
    this.#placeMenu(parts, snap);
    this.#more(parts)?.update(snap, byId);
    if (focused instanceof HTMLElement && !reachable(focused)) question.focus();
    if (made && ctx.ui.focused) this.focus();
  }

  /** What stands in the card, in order. */
  protected lay(parts: Parts): Node[] {
    const { head, question, about, body, settled, history, notes, foot } = parts;
    return [head.el, question, about.el, body, settled.el, history, notes, foot.el];
  }

  /** Where the menu's button stands; null where it does not move. */
  protected menuPlace(parts: Parts, snap: CardSnapshot): HTMLElement | null {
    return isOpen(snap) ? parts.foot.left : parts.head.el;
  }

  /** What the menu offers before the keys and the discard. */
  protected menuFirst(_parts: Parts): HTMLElement[] {
    return [];
  }

  #questions({ ctx, views, byId, body }: Parts, snap: CardSnapshot): void {
    const asked = new Map(snap.definition.questions.map((one) => [one.id, one]));
    const elements = views.for([...asked.keys()], (id) => {
      const one = asked.get(id);
      const view = one ? new QuestionView(ctx, one, this.#gridHost()) : undefined;
      if (view) byId.set(id, view);
      return view?.el ?? h("div");
    });
    arrange(body, elements);
    for (const [id, one] of asked) byId.get(id)?.update(snap, one);
  }

  /** What opens, once its module is here; the first card of a page asks for it. */
  #more(parts: Parts): More | null {
    const module = moreModule();
    if (module) {
      parts.more ??= new module.More(parts.ctx, { ...parts, root: this.root });
      return parts.more;
    }
    void loadMore().then(() => {
      if (moreModule()) this.refresh();
    });
    return null;
  }

  /** Ends what waits for a time to come. */
  #rest(): void {
    this.#parts?.foot.stop();
    this.#parts?.more?.stop();
  }

  #make(handle: DecisionHandle): Parts {
    const ctx = this.#context(handle);
    const heading = { id: "question", class: "question", role: "heading", tabindex: -1 };
    const menu = button(ctx.t.menu, () => this.#menu(), {
      "aria-haspopup": "dialog",
      part: "menu",
    });
    const parts: Parts = {
      ctx,
      menu,
      question: h("div", { ...heading, part: "question", dir: "auto" }),
      card: h("section", { class: "card", part: "card", "aria-labelledby": "question" }),
      about: new Region(h("p", { class: "context", part: "context", dir: "auto" })),
      head: new Head(ctx),
      views: new Keyed(),
      byId: new Map(),
      body: h("div", { class: "body" }),
      settled: new SettledPart(ctx),
      foot: new Foot(ctx),
      history: h("div"),
      notes: h("div"),
      more: null,
    };
    const { card } = parts;
    card.append(...this.lay(parts));
    card.addEventListener("keydown", (event) => this.#key(event));
    card.addEventListener("focusin", () => {
      ctx.ui.focused = card;
    });
    card.addEventListener("focusout", (event) => {
      if (event.relatedTarget instanceof Node && card.contains(event.relatedTarget)) return;
      handle.setPresence(null);
      // A card that is moved loses the focus as it leaves: that is told when it has left.
      queueMicrotask(() => {
        if (card.isConnected) this.#unfocused();
      });
    });
    this.root.append(card);
    return parts;
  }

  #context(handle: DecisionHandle): Context {
    const ui = viewState(handle);
    const edit = (run: () => void): void => {
      const before = ui.edited;
      ui.problem = null;
      ui.edited = handle.snapshot()?.generation ?? null;
      const announcer = this.#parts?.more?.announcer;
      announcer?.own(true);
      try {
        run();
      } catch (error) {
        ui.edited = before;
        ui.problem = { of: "edit", code: codeOf(error) };
      }
      this.refresh();
      announcer?.own(false);
    };
    const request = async (run: () => Promise<void>): Promise<void> => {
      ui.problem = null;
      ui.busy = true;
      this.refresh();
      try {
        await run();
      } catch (error) {
        ui.problem = { of: "request", code: codeOf(error) };
      }
      ui.busy = false;
      this.refresh();
    };
    return {
      t: this.strings,
      mode: this.mode,
      handle,
      ui,
      edit,
      snapshot: () => {
        const snap = handle.snapshot();
        if (snap === undefined) throw new Error("a card is shown only while its record is known");
        return snap;
      },
      name: (person) => this.name(person),
      mark: (cells) =>
        edit(() => {
          for (const { option, criterion, mark } of cells) {
            this.#parts?.more?.announcer.ownMark(`${option}/${criterion}`, mark);
            handle.setMark(option, criterion, mark);
          }
        }),
      request: (run) => void request(run),
      open: (panel) => this.#open(panel),
      refresh: () => this.refresh(),
      leave: () => this.#leave(),
    };
  }

  #open(panel: Panel | null): void {
    const parts = this.#parts;
    if (!parts) return;
    const was = parts.ctx.ui.panel;
    parts.ctx.ui.panel = panel;
    this.refresh();
    if (panel) this.#opened((more) => more.focus(panel));
    else if (was === "option" || was === "criterion") parts.foot[was].focus();
    else if (was === "discard") parts.menu.focus();
    else if (was === "reopen") parts.head.reopen.focus();
  }

  /** Does `act` with what opens; where it is not here yet, as soon as it is. */
  #opened(act: (more: More) => void): void {
    const more = this.#parts?.more;
    if (more) return act(more);
    void loadMore().then(() => {
      this.refresh();
      if (this.#parts?.more) act(this.#parts.more);
    });
  }

  #gridHost(): Pick<GridHost, "contested" | "help"> {
    return {
      contested: (cell, option, criterion) =>
        this.#parts?.more?.contested(cell, option, criterion) ?? false,
      help: (beside) => this.#opened((more) => more.help(beside)),
    };
  }

  #menu(): void {
    const parts = this.#parts;
    if (!parts) return;
    this.#opened((more) =>
      more.menu(this.menuFirst(parts), this.#hasKeys(parts.ctx.snapshot())),
    );
  }

  #placeMenu(parts: Parts, snap: CardSnapshot): void {
    const place = this.menuPlace(parts, snap);
    if (place && parts.menu.parentElement !== place) place.append(parts.menu);
    const mayDiscard = mayAct(snap) && (isOpen(snap) || snap.status === "settled");
    show(parts.menu, place === null || mayDiscard || this.#hasKeys(snap));
  }

  #hasKeys(snap: CardSnapshot): boolean {
    return isOpen(snap) && snap.columns.length > 0 && this.mode === "grid";
  }

  #unfocused(): void {
    const { ctx, card } = this.#parts ?? {};
    if (ctx && ctx.ui.focused === card) ctx.ui.focused = null;
  }

  #key(event: KeyboardEvent): void {
    const key = event.key.toLowerCase();
    if (key === "escape" && !event.isComposing && !event.defaultPrevented) this.#leave();
    if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
    const target = event.composedPath()[0];
    // A field of a panel keeps its own undo: what is typed there is not in the draft yet.
    if ((key !== "z" && key !== "y") || target instanceof HTMLInputElement) return;
    const ctx = this.#parts?.ctx;
    if (!ctx || !isOpen(ctx.snapshot())) return;
    event.preventDefault();
    ctx.edit(() => (key === "y" || event.shiftKey ? ctx.handle.redo() : ctx.handle.undo()));
  }

  #leave(): void {
    const left = new CustomEvent("deem-leave", { bubbles: true, composed: true, cancelable: true });
    if (this.dispatchEvent(left) && this.root.activeElement instanceof HTMLElement)
      this.root.activeElement.blur();
  }
}

const reachable = (el: HTMLElement): boolean => el.isConnected && el.checkVisibility();
