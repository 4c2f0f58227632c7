/** Decisions that stand nowhere in the text: a list of them, and the card of the one that is open. */
import type { SpaceStore } from "deem";
import type { DecisionCard } from "deem/element";
import type { Unplaced } from "./document.js";
import { button, h } from "./dom.js";
import { nameOf } from "./people.js";
import { addressOf } from "./route.js";

/** What is over for good need not be placed. */
const OVER = new Set(["discarded", "cancelled", "expired"]);

export class Tray {
  readonly el = h("section", { class: "tray", "aria-labelledby": "tray-title", hidden: "" });
  /** The open card, above the text. */
  readonly open = h("section", { class: "loose", hidden: "" });
  readonly #title = h("h2", { id: "tray-title" });
  readonly #items = h("ul");
  #unplaced: Unplaced = [];
  #shown: string | null = null;

  constructor(
    private readonly store: SpaceStore,
    private readonly place: (id: string, question: string) => void,
  ) {
    this.el.append(
      this.#title,
      h("p", { class: "small" }, "Raised, and not in the text. A card goes where the caret is."),
      this.#items,
    );
  }

  update(unplaced: Unplaced): void {
    this.#unplaced = unplaced;
    const waiting = unplaced.filter((one) => !OVER.has(one.status));
    this.el.hidden = waiting.length === 0;
    this.#title.textContent = `Not placed (${waiting.length})`;
    this.#items.replaceChildren(
      ...waiting.map((one) => {
        const link = h("a", { href: addressOf(this.store.space, one.id) }, one.question);
        const put = button("Place", () => this.place(one.id, one.question), "small");
        put.setAttribute("aria-label", `Place in the text: ${one.question}`);
        return h("li", {}, link, put);
      }),
    );
    if (this.#shown !== null && !unplaced.some((one) => one.id === this.#shown)) this.#close();
  }

  /** Opens the card of a decision that stands nowhere; false if it stands in the text. */
  show(id: string): boolean {
    const one = this.#unplaced.find((each) => each.id === id);
    if (!one) {
      this.#close();
      return false;
    }
    if (this.#shown === id) return true;
    this.#shown = id;
    const card = document.createElement("decision-card") as DecisionCard;
    card.setAttribute("decision", id);
    card.nameOf = nameOf;
    card.store = this.store;
    const place = button("Place in the text", () => this.place(one.id, one.question), "small");
    const about = h("p", { class: "small" }, "This decision stands nowhere in the text. ", place);
    this.open.replaceChildren(about, card);
    this.open.hidden = false;
    return true;
  }

  focus(): void {
    this.open.querySelector<HTMLElement>("decision-card")?.focus();
  }

  #close(): void {
    this.#shown = null;
    this.open.replaceChildren();
    this.open.hidden = true;
  }
}
