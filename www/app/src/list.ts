/** The decisions of the space: what is open first, then what was settled. */
import type { SpaceStore } from "deem";
import { button, h } from "./dom.js";
import { addressOf } from "./route.js";

const STATUS: Record<string, string> = {
  open: "Open",
  reopened: "Reopened",
  settled: "Settled",
  discarded: "Set aside",
  cancelled: "Withdrawn",
  expired: "Expired",
};

export class DecisionList {
  readonly el = h("div", { class: "list" });
  readonly #open = h("details", { open: "" });
  readonly #title = h("summary");
  readonly #items = h("div", { class: "items" });
  #key = "";

  constructor(
    private readonly store: SpaceStore,
    tray: HTMLElement,
    raise: () => void,
  ) {
    this.#open.append(this.#title, tray, this.#items);
    this.el.append(this.#open, button("Raise a decision", raise, "raise"));
    // Beside the plan the list has no way to be closed, so it is open there again.
    const wide = matchMedia("(min-width: 1100px)");
    wide.addEventListener("change", () => {
      if (wide.matches) this.#open.open = true;
    });
  }

  update(current: string | null): void {
    const all = this.store.decisions();
    const key = JSON.stringify([all, current]);
    if (key === this.#key) return;
    this.#key = key;
    this.#title.textContent = all.length === 0 ? "Decisions" : `Decisions (${all.length})`;
    const open = all.filter((one) => one.status === "open" || one.status === "reopened");
    const closed = all.filter((one) => !open.includes(one));
    this.#items.replaceChildren(
      ...this.#group("Open", open, current),
      ...this.#group("Closed", closed, current),
    );
    this.#reveal();
  }

  /** Scrolls the list, never the page, to the decision that is looked at. */
  #reveal(): void {
    const link = this.#items.querySelector("[aria-current]");
    if (!link) return;
    const at = link.getBoundingClientRect();
    const box = this.#items.getBoundingClientRect();
    if (at.top < box.top || at.bottom > box.bottom)
      this.#items.scrollTop += at.top - box.top - (box.height - at.height) / 2;
  }

  #group(
    title: string,
    items: ReturnType<SpaceStore["decisions"]>,
    current: string | null,
  ): HTMLElement[] {
    if (items.length === 0) return [];
    const rows = items.map((one) => {
      const link = h(
        "a",
        {
          href: addressOf(this.store.space, one.id),
          "data-status": one.status,
          title: STATUS[one.status] ?? one.status,
        },
        one.question,
      );
      if (one.id === current) link.setAttribute("aria-current", "true");
      link.prepend(h("span", { class: "vh" }, `${STATUS[one.status] ?? one.status}: `));
      return h("li", {}, link);
    });
    return [h("h2", {}, title), h("ul", {}, ...rows)];
  }
}
