/** What opens in a card: notes, history, the reason's field, what grows, the lens, menu, announcements. */
import { enMore } from "../locale/en-more.js";
import type { CardSnapshot } from "../types.js";
import { Announcer } from "./announce.js";
import type { Context, MoreContext, Panel } from "./context.js";
import { button, h, set } from "./dom.js";
import { Grow } from "./grow.js";
import { History } from "./history.js";
import { Lens } from "./lens.js";
import { MORE } from "./more-styles.js";
import { Notes } from "./notes.js";
import { contestedKids, helpKids, Popover } from "./popover.js";
import type { QuestionView } from "./question-view.js";
import type { SettledPart } from "./settled.js";
import { isOpen, mayAct } from "./shown.js";
import { adopt } from "./styles.js";
import { Why } from "./why.js";

/** Where the parts go. */
export interface MorePlaces {
  root: ShadowRoot;
  card: HTMLElement;
  notes: HTMLElement;
  history: HTMLElement;
  settled: SettledPart;
  menu: HTMLButtonElement;
}

export class More {
  readonly announcer: Announcer;
  readonly popover = new Popover();
  readonly ctx: MoreContext;
  readonly #notes: Notes;
  readonly #history: History;
  readonly #why: Why;
  readonly #menu: HTMLButtonElement;
  readonly #below = new Map<string, { grow: Grow; lens: Lens }>();

  constructor(ctx: Context, places: MorePlaces) {
    this.ctx = { ...ctx, t: { ...enMore, ...ctx.t } };
    this.#menu = places.menu;
    this.announcer = new Announcer(this.ctx);
    this.#notes = new Notes(this.ctx);
    this.#history = new History(this.ctx);
    this.#why = new Why(this.ctx, places.settled);
    adopt(places.root, MORE);
    places.notes.append(this.#notes.el);
    places.history.append(this.#history.el);
    places.card.append(this.announcer.el, this.popover.el);
  }

  update(snap: CardSnapshot, views: ReadonlyMap<string, QuestionView>): void {
    this.#why.update(snap);
    this.#history.update(snap);
    this.#notes.update(snap);
    for (const [id, view] of views) {
      let below = this.#below.get(id);
      if (below === undefined) {
        below = { grow: new Grow(this.ctx, id), lens: new Lens(this.ctx) };
        view.more.append(...below.grow.parts, below.lens.el);
        this.#below.set(id, below);
      }
      below.grow.update(view.shown);
      below.lens.update(view.shown, snap);
    }
    this.announcer.update(snap);
  }

  /** Ends what waits for a time to come. */
  stop(): void {
    this.#notes.stop();
    this.announcer.stop();
  }

  /** Puts the focus into what was just opened. */
  focus(panel: Panel): void {
    const [first] = this.#below.values();
    if (panel === "option" || panel === "criterion") first?.grow.focus(panel);
    else if (panel === "why") this.#why.focus();
    else this.#notes.focusAsk(panel);
  }

  contested(cell: HTMLElement | null, option: string, criterion: string): boolean {
    const { ctx, popover } = this;
    if (!cell) return popover.close(false);
    const done = (): void => void popover.close(true);
    const kids = contestedKids(ctx, ctx.snapshot(), option, criterion, done);
    if (kids.length > 0) popover.show(cell, ctx.t.contestedLabel, "dialog", kids);
    return true;
  }

  help(beside: HTMLElement): void {
    this.popover.show(beside, this.ctx.t.keyboard, "dialog", helpKids(this.ctx));
  }

  /** Opens the menu: `first`, then the keys of a grid and the discard, where the card has them. */
  menu(first: readonly HTMLElement[], hasKeys: boolean): void {
    const { ctx, popover } = this;
    const { t } = ctx;
    const snap = ctx.snapshot();
    const keyboard = button(t.keyboard, () => this.help(this.#menu));
    const discard = button(t.discardMenu, () => {
      popover.close(false);
      ctx.open("discard");
    });
    set(discard, {
      "aria-disabled": snap.sync.online ? null : "true",
      title: snap.sync.online ? null : t.needsConnection,
    });
    const kids = [...first, ...(hasKeys ? [keyboard] : []), ...(mayDiscard(snap) ? [discard] : [])];
    popover.show(this.#menu, t.menu, "dialog", [h("div", { class: "menu" }, ...kids)]);
    this.#menu.setAttribute("aria-expanded", "true");
    kids[0]?.focus();
  }
}

const mayDiscard = (snap: CardSnapshot): boolean =>
  mayAct(snap) && (isOpen(snap) || snap.status === "settled");
