/** The reason of a settled answer as its writers change it (D5.4). */
import type { CardSnapshot } from "../types.js";
import type { MoreContext } from "./context.js";
import { button, say, set, show } from "./dom.js";
import { LineForm } from "./line-form.js";
import type { SettledPart } from "./settled.js";
import { mayAct, WHY_MAX } from "./shown.js";

export class Why {
  readonly #edit: HTMLButtonElement;
  readonly #form: LineForm;

  constructor(
    private readonly ctx: MoreContext,
    place: SettledPart,
  ) {
    const { t } = ctx;
    this.#edit = button(t.addWhy, () => ctx.open("why"), { part: "edit-why" });
    const words = { label: t.why, hint: t.why, send: t.saveWhy, close: t.cancel };
    this.#form = new LineForm(ctx, "why", words, WHY_MAX, (text) =>
      ctx.request(async () => {
        await ctx.handle.setWhy(text);
        this.#form.close();
      }),
    );
    place.line.append(this.#edit);
    place.el.append(this.#form.el);
  }

  update(snap: CardSnapshot): void {
    const { t, ui } = this.ctx;
    const may = snap.status === "settled" && mayAct(snap);
    const why = snap.settled?.why ?? "";
    say(this.#edit, why === "" ? t.addWhy : t.editWhy);
    show(this.#edit, may);
    set(this.#edit, {
      "aria-disabled": snap.sync.online && !ui.busy ? null : "true",
      title: snap.sync.online ? null : t.needsConnection,
    });
    this.#form.update(may, snap.sync.online ? "" : t.needsConnection, why);
  }

  focus(): void {
    this.#form.focus();
  }
}
