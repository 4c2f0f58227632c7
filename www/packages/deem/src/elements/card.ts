/**
 * `<decision-card>`: one decision as a person works on it. It shows what the handle says and holds
 * no rules of its own.
 */
import type { CardSnapshot, DecisionHandle } from "../types.js";
import { Announcer } from "./announce.js";
import { DecisionElement } from "./base.js";
import { codeOf, type Context, type Panel, viewState } from "./context.js";
import { arrange, button, h, Keyed, Region, say, set, show } from "./dom.js";
import { Foot } from "./foot.js";
import type { GridHost } from "./grid.js";
import { Head } from "./head.js";
import { Notes } from "./notes.js";
import { contestedKids, helpKids, Popover } from "./popover.js";
import { QuestionView } from "./question-view.js";
import { History, SettledPart } from "./settled.js";
import { isOpen, mayAct, visible } from "./shown.js";

/** The parts of a card, made once for a decision. */
interface Parts {
  ctx: Context;
  card: HTMLElement;
  question: HTMLElement;
  about: Region<HTMLElement>;
  head: Head;
  views: Keyed<HTMLElement>;
  byId: Map<string, QuestionView>;
  body: HTMLElement;
  notes: Notes;
  settled: SettledPart;
  history: History;
  foot: Foot;
  menu: HTMLButtonElement;
  popover: Popover;
  announcer: Announcer;
}

export class DecisionCard extends DecisionElement {
  #parts: Parts | null = null;

  /** Moves the focus into the card, to where this tab was last. */
  override focus(): void {
    const parts = this.#parts;
    if (!parts) return;
    const live = [...parts.byId.values()].some((view) => view.focusFirst());
    if (!live) parts.question.focus();
  }

  protected override reset(): void {
    this.#rest();
    this.#parts?.card.remove();
    this.#parts = null;
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#rest();
  }

  /** Ends what waits for a time to come. */
  #rest(): void {
    for (const part of [this.#parts?.foot, this.#parts?.notes, this.#parts?.announcer]) {
      part?.stop();
    }
  }

  protected override update(snap: CardSnapshot, handle: DecisionHandle): void {
    const parts = (this.#parts ??= this.#make(handle));
    const focused = this.root.activeElement;
    const { card, question, head, body, views, byId, notes, foot } = parts;
    set(card, {
      "data-status": snap.status,
      "data-locked": isOpen(snap) && snap.save.state === "waiting",
    });
    const [first] = snap.definition.questions;
    const single = snap.definition.questions.length === 1;
    say(question, single || first === undefined ? (first?.question ?? "") : first.header);
    set(question, { "aria-level": this.headingLevel });
    parts.about.render(single ? (first?.context ?? "") : "", () => [visible(first?.context ?? "")]);
    head.update(snap);
    const asked = new Map(snap.definition.questions.map((one) => [one.id, one]));
    const elements = views.for([...asked.keys()], (id) => {
      const one = asked.get(id);
      const view = one ? new QuestionView(parts.ctx, one, this.#gridHost(parts)) : undefined;
      if (view) byId.set(id, view);
      return view?.el ?? h("div");
    });
    arrange(body, elements);
    for (const [id, one] of asked) byId.get(id)?.update(snap, one);
    parts.settled.update(snap);
    parts.history.update(snap);
    notes.update(snap);
    foot.update(snap, single && first ? byId.get(first.id)?.shown : undefined);
    this.#placeMenu(parts, snap);
    parts.announcer.update(snap);
    if (focused instanceof HTMLElement && !reachable(focused)) question.focus();
  }

  #make(handle: DecisionHandle): Parts {
    const ctx = this.#context(handle);
    const question = h("div", {
      id: "question",
      class: "question",
      role: "heading",
      tabindex: -1,
      part: "question",
      dir: "auto",
    });
    const popover = new Popover();
    const menu = button(ctx.t.menu, () => this.#menu(), {
      "aria-haspopup": "dialog",
      part: "menu",
    });
    const parts: Parts = {
      ctx,
      question,
      menu,
      popover,
      card: h("section", { class: "card", part: "card", "aria-labelledby": "question" }),
      about: new Region(h("p", { class: "context", part: "context", dir: "auto" })),
      head: new Head(ctx),
      views: new Keyed(),
      byId: new Map(),
      body: h("div", { class: "body" }),
      notes: new Notes(ctx),
      settled: new SettledPart(ctx),
      history: new History(ctx),
      foot: new Foot(ctx),
      announcer: new Announcer(ctx),
    };
    const { card, head, about, body, settled, history, notes, foot, announcer } = parts;
    card.append(
      head.el,
      question,
      about.el,
      body,
      settled.el,
      history.el,
      notes.el,
      foot.el,
      announcer.el,
      popover.el,
    );
    card.addEventListener("keydown", (event) => this.#undo(event));
    card.addEventListener("focusout", (event) => {
      if (!(event.relatedTarget instanceof Node) || !card.contains(event.relatedTarget))
        handle.setPresence(null);
    });
    this.root.append(card);
    return parts;
  }

  #context(handle: DecisionHandle): Context {
    const ui = viewState(handle);
    const fail = (title: string, error: unknown): void => {
      ui.problem = { title, code: codeOf(error) };
    };
    const edit = (run: () => void): void => {
      ui.problem = null;
      this.#parts?.announcer.own();
      try {
        run();
      } catch (error) {
        fail(this.strings.editRefused, error);
      }
      this.refresh();
    };
    const request = async (run: () => Promise<void>): Promise<void> => {
      ui.problem = null;
      ui.busy = true;
      this.refresh();
      try {
        await run();
      } catch (error) {
        fail(this.strings.requestRefused, error);
      }
      ui.busy = false;
      this.refresh();
    };
    return {
      t: this.strings,
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
            this.#parts?.announcer.ownMark(`${option}/${criterion}`, mark);
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
    const { ui } = parts.ctx;
    const was = ui.panel;
    ui.panel = panel;
    this.refresh();
    if (panel === "option" || panel === "criterion") [...parts.byId.values()][0]?.focusPanel(panel);
    else if (panel === "why") parts.settled.focusWhy();
    else if (panel === "discard" || panel === "reopen") parts.notes.focusAsk(panel);
    else if (was === "option") parts.foot.option.focus();
    else if (was === "criterion") parts.foot.criterion.focus();
    else if (was === "discard") parts.menu.focus();
    else if (was === "reopen") parts.head.reopen.focus();
  }

  #gridHost(parts: Parts): Pick<GridHost, "contested" | "help"> {
    const { ctx, popover } = parts;
    return {
      contested: (cell, option, criterion) => {
        if (!cell) return popover.close(false);
        const kids = contestedKids(ctx, ctx.snapshot(), option, criterion, () =>
          popover.close(true),
        );
        if (kids.length > 0) popover.show(cell, ctx.t.contestedLabel, "dialog", kids);
        return true;
      },
      help: (beside) => popover.show(beside, ctx.t.keyboard, "dialog", helpKids(ctx)),
    };
  }

  #menu(): void {
    const parts = this.#parts;
    if (!parts) return;
    const { ctx, popover, menu } = parts;
    const snap = ctx.snapshot();
    const keyboard = button(ctx.t.keyboard, () =>
      popover.show(menu, ctx.t.keyboard, "dialog", helpKids(ctx)),
    );
    const discard = button(ctx.t.discardMenu, () => {
      popover.close(false);
      ctx.open("discard");
    });
    set(discard, {
      "aria-disabled": snap.sync.online ? null : "true",
      title: snap.sync.online ? null : ctx.t.needsConnection,
    });
    const kids = [
      ...(isOpen(snap) && snap.columns.length > 0 ? [keyboard] : []),
      ...(mayDiscard(snap) ? [discard] : []),
    ];
    popover.show(menu, ctx.t.menu, "dialog", [h("div", { class: "menu" }, ...kids)]);
    menu.setAttribute("aria-expanded", "true");
    kids[0]?.focus();
  }

  #placeMenu(parts: Parts, snap: CardSnapshot): void {
    const place = isOpen(snap) ? parts.foot.left : parts.head.el;
    if (parts.menu.parentElement !== place) place.append(parts.menu);
    show(parts.menu, mayDiscard(snap) || (isOpen(snap) && snap.columns.length > 0));
  }

  #undo(event: KeyboardEvent): void {
    if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
    const key = event.key.toLowerCase();
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

const mayDiscard = (snap: CardSnapshot): boolean =>
  mayAct(snap) && (isOpen(snap) || snap.status === "settled");

const reachable = (el: HTMLElement): boolean => el.isConnected && el.checkVisibility();
