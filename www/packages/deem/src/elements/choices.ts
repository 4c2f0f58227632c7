/** Options without criteria: a native fieldset of radios or checkboxes. */
import type { Context } from "./context.js";
import { arrange, h, Keyed, say, set } from "./dom.js";
import type { OptionControl } from "./option.js";
import { isOn, optionControl, optionShown, rowIds } from "./rows.js";
import type { Shown } from "./shown.js";

export class Choices {
  readonly el = h("fieldset", { class: "choices", part: "choices" });
  readonly #legend = h("legend", { class: "vh" });
  readonly #rows = new Keyed<HTMLDivElement>();
  readonly #controls = new Map<string, OptionControl>();

  constructor(
    private readonly ctx: Context,
    private readonly openOwn: () => void,
  ) {}

  update(shown: Shown): void {
    say(this.#legend, shown.question.question);
    const ids = rowIds(shown);
    const rows = this.#rows.for(ids, (id) => {
      const control = optionControl(this.ctx, shown, id, this.openOwn);
      this.#controls.set(id, control);
      return h("div", { class: "row", "data-row": id, part: "row" }, control.el);
    });
    arrange(this.el, [this.#legend, ...rows]);
    ids.forEach((id, at) => {
      const option = optionShown(this.ctx, shown, id);
      this.#controls.get(id)?.update(option);
      const row = rows[at];
      if (row) set(row, { class: isOn(shown, id) ? "row on" : "row", "data-kept": option.kept });
    });
  }
}
