/** Below a settled answer: who and when, and why. */
import type { CardSnapshot, Settled } from "../types.js";
import type { Context } from "./context.js";
import { h, Region, say, set, show } from "./dom.js";
import { face } from "./people.js";
import { isOpen, mayAct, visible } from "./shown.js";

export class SettledPart {
  readonly el = h("div", { class: "settled" });
  /** The reason; who may change it finds the button here. */
  readonly line = h("div", { class: "why-line" });
  readonly #by = new Region(h("div", { class: "by", part: "by" }));
  readonly #why = h("p", { class: "why", part: "why", dir: "auto" });
  readonly #note = h("span", { class: "tag" });
  readonly #reason = new Region(h("p", { class: "why" }));

  constructor(private readonly ctx: Context) {
    this.line.append(this.#why, this.#note);
    this.el.append(this.#by.el, this.#reason.el, this.line);
  }

  update(snap: CardSnapshot): void {
    const { t, ui, name } = this.ctx;
    const settled = isOpen(snap) ? undefined : snap.settled;
    const key = settled ? [settled.resolver, name(settled.resolver), settled.at] : null;
    this.#by.render(key ? JSON.stringify(key) : "", () => (settled ? this.#who(settled) : []));
    const reason = isOpen(snap) ? "" : (snap.reason ?? "");
    this.#reason.render(reason, () => [t.withdrawnBecause(visible(reason))]);
    const mayEdit = snap.status === "settled" && mayAct(snap);
    const why = settled?.why ?? "";
    const by = settled?.whyBy;
    const own = by === settled?.resolver;
    const note = why === "" || own ? "" : by === undefined ? t.whyDraft : t.whyBy(name(by));
    show(this.line, settled !== undefined && ui.panel !== "why" && (why !== "" || mayEdit));
    say(this.#why, why);
    show(this.#why, why !== "");
    say(this.#note, note);
    show(this.#note, note !== "");
  }

  #who(settled: Settled): (string | Node)[] {
    const { t } = this.ctx;
    const name = this.ctx.name(settled.resolver);
    const mark = face(settled.resolver, name);
    set(mark, { role: null, "aria-label": null, "aria-hidden": "true" });
    const suggested = settled.answer.answers.some((one) => one.suggested === true);
    const more = [
      ...(suggested ? [t.asSuggested] : []),
      ...(settled.imported === true ? [t.imported] : []),
      ...(settled.pressedAt === undefined ? [] : [t.pressed(t.when(settled.pressedAt))]),
    ];
    const who = h("span", null, t.settledBy(name, t.when(settled.at)));
    return [mark, who, ...more.map((words) => h("span", { class: "extra" }, words))];
  }
}
