/**
 * A field for one line that opens in place: Enter sends, Escape gives up; what is typed belongs to
 * the decision.
 */
import type { Context, Panel } from "./context.js";
import { button, h, say, set, show } from "./dom.js";

export interface LineWords {
  label: string;
  hint: string;
  send: string;
  close: string;
}

export class LineForm {
  readonly el: HTMLFormElement;
  readonly #field: HTMLInputElement;
  readonly #send: HTMLButtonElement;
  readonly #count = h("span", { class: "room" });

  constructor(
    private readonly ctx: Context,
    private readonly panel: Panel,
    words: LineWords,
    private readonly lengthMax: number,
    send: (text: string) => void,
  ) {
    const { typed } = ctx.ui;
    const attrs = {
      type: "text",
      "aria-label": words.label,
      placeholder: words.hint,
      maxlength: lengthMax,
      autocomplete: "off",
      dir: "auto",
    };
    this.#field = h("input", attrs);
    this.#send = h("button", { type: "submit", class: "line" }, words.send);
    this.el = h(
      "form",
      { class: "line-form", hidden: true },
      this.#field,
      this.#send,
      button(words.close, () => this.close()),
      this.#count,
    );
    this.#field.addEventListener("input", () => {
      typed[panel] = this.#field.value;
      this.#tally();
    });
    this.el.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      this.close();
    });
    this.el.addEventListener("submit", (event) => {
      event.preventDefault();
      send(this.#field.value.trim());
    });
  }

  /** `off` says why nothing can be sent now. */
  update(may: boolean, off: string, before = ""): void {
    const on = may && this.ctx.ui.panel === this.panel;
    show(this.el, on);
    if (!on) return;
    const typed = this.ctx.ui.typed[this.panel] ?? before;
    if (this.#field.value !== typed) this.#field.value = typed;
    this.#tally();
    this.#send.disabled = off !== "";
    this.#send.title = off;
  }

  /** A label is short; of a sentence it is good to see how much room is left. */
  #tally(): void {
    show(this.#count, this.panel === "why");
    say(this.#count, this.ctx.t.count(this.#field.value.length, this.lengthMax));
    set(this.#count, { "data-full": this.#field.value.length >= this.lengthMax });
  }

  focus(): void {
    this.#field.focus();
  }

  close(): void {
    delete this.ctx.ui.typed[this.panel];
    this.ctx.open(null);
  }
}
