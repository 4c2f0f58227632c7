/**
 * The answer control of one option: a native radio or checkbox with its label, in a grid or a
 * fieldset.
 */
import type { FirstStrings } from "../locale/en.js";
import { h, say, set, show } from "./dom.js";

export interface OptionShown {
  label: string;
  about: string;
  /** A quiet word behind the label: "not yet shared", "suggested". */
  tag: string;
  on: boolean;
  /** Picked, but the answer in own words counts. */
  kept: boolean;
  disabled: boolean;
}

export class OptionControl {
  readonly input: HTMLInputElement;
  readonly el: HTMLLabelElement;
  readonly #label = h("span", { class: "label", part: "option-label" });
  readonly #tag = h("span", { class: "tag" });
  readonly #about = h("span", { class: "about" });

  constructor(
    id: string,
    type: "radio" | "checkbox",
    name: string,
    private readonly t: FirstStrings,
    change: (on: boolean, wasKept: boolean) => void,
  ) {
    this.input = h("input", { type, name, value: id, part: "option-input" });
    // Not "change": picking a kept radio again changes nothing for the browser, but it does for the
    // card.
    this.input.addEventListener("click", () =>
      change(this.input.checked, "kept" in this.el.dataset),
    );
    const words = h(
      "span",
      { class: "words" },
      h("span", { class: "line" }, this.#label, " ", this.#tag),
      this.#about,
    );
    this.el = h("label", { class: "option" }, this.input, words);
  }

  update(shown: OptionShown): void {
    say(this.#label, shown.label);
    say(this.#about, shown.about);
    show(this.#about, shown.about !== "");
    const tag = shown.kept ? this.t.kept : shown.tag;
    say(this.#tag, tag);
    show(this.#tag, tag !== "");
    if (this.input.checked !== shown.on) this.input.checked = shown.on;
    if (this.input.disabled !== shown.disabled) this.input.disabled = shown.disabled;
    set(this.el, { "data-kept": shown.kept });
  }
}
