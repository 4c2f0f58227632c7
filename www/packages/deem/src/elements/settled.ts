/** Below a settled answer: who and when, why, and the answers before it. */
import type { CardSnapshot, Settled } from "../types.js";
import type { Context } from "./context.js";
import { button, h, Region, say, set, show } from "./dom.js";
import { Grid } from "./grid.js";
import { LineForm } from "./line-form.js";
import { face } from "./people.js";
import { answerText, isOpen, mayAct, shownOf, visible, WHY_MAX } from "./shown.js";

export class SettledPart {
  readonly el = h("div", { class: "settled" });
  readonly #by = new Region(h("div", { class: "by", part: "by" }));
  readonly #why = h("div", { class: "why-line" });
  readonly #whyText = h("p", { class: "why", part: "why", dir: "auto" });
  readonly #whyNote = h("span", { class: "tag" });
  readonly #editWhy: HTMLButtonElement;
  readonly #form: LineForm;
  readonly #reason = new Region(h("p", { class: "why" }));

  constructor(private readonly ctx: Context) {
    this.#editWhy = button(ctx.t.addWhy, () => ctx.open("why"), { part: "edit-why" });
    const { t } = ctx;
    const words = { label: t.why, hint: t.why, send: t.saveWhy, close: t.cancel };
    this.#form = new LineForm(ctx, "why", words, WHY_MAX, (text) =>
      ctx.request(async () => {
        await ctx.handle.setWhy(text);
        this.#form.close();
      }),
    );
    this.#why.append(this.#whyText, this.#whyNote, this.#editWhy);
    this.el.append(this.#by.el, this.#reason.el, this.#why, this.#form.el);
  }

  update(snap: CardSnapshot): void {
    const { t, ui } = this.ctx;
    const settled = isOpen(snap) ? undefined : snap.settled;
    this.#by.render(
      settled
        ? JSON.stringify([settled.resolver, this.ctx.name(settled.resolver), settled.at])
        : "",
      () => (settled ? this.#who(settled) : []),
    );
    const reason = isOpen(snap) ? "" : (snap.reason ?? "");
    this.#reason.render(reason, () => [t.withdrawnBecause(visible(reason))]);
    const editing = ui.panel === "why";
    const mayEdit = snap.status === "settled" && mayAct(snap);
    const why = settled?.why ?? "";
    show(this.#why, settled !== undefined && !editing && (why !== "" || mayEdit));
    say(this.#whyText, why);
    show(this.#whyText, why !== "");
    const by = settled?.whyBy;
    const note =
      why === ""
        ? ""
        : by === undefined
          ? t.whyDraft
          : by === settled?.resolver
            ? ""
            : t.whyBy(this.ctx.name(by));
    say(this.#whyNote, note);
    show(this.#whyNote, note !== "");
    say(this.#editWhy, why === "" ? t.addWhy : t.editWhy);
    show(this.#editWhy, mayEdit);
    set(this.#editWhy, {
      "aria-disabled": snap.sync.online && !ui.busy ? null : "true",
      title: snap.sync.online ? null : t.needsConnection,
    });
    this.#form.update(mayEdit, snap.sync.online ? "" : t.needsConnection, why);
  }

  focusWhy(): void {
    this.#form.focus();
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
    return [mark, h("span", null, [t.settledBy(name, t.when(settled.at)), ...more].join(" · "))];
  }
}

/** The answers before this one, in one line that opens. */
export class History {
  readonly el = h("details", { class: "prev", part: "history" });
  readonly #line = h("summary");
  readonly #list = new Region(h("div", { class: "prev-list" }));

  constructor(private readonly ctx: Context) {
    this.el.append(this.#line, this.#list.el);
    // At once: a change from elsewhere between the click and its `toggle` would close it again.
    this.#line.addEventListener("click", (event) => {
      event.preventDefault();
      ctx.ui.historyOpen = !ctx.ui.historyOpen;
      ctx.refresh();
    });
    this.el.addEventListener("toggle", () => {
      ctx.ui.historyOpen = this.el.open;
      ctx.refresh();
    });
  }

  update(snap: CardSnapshot): void {
    const { t, ui } = this.ctx;
    const entries = [...snap.history].reverse();
    const [last] = entries;
    show(this.el, last !== undefined);
    if (!last) return;
    if (this.el.open !== ui.historyOpen) this.el.open = ui.historyOpen;
    const more = entries.length > 1 ? ` ${t.more(entries.length - 1)}` : "";
    say(this.#line, t.earlier + this.#item(last) + more);
    this.#list.render(ui.historyOpen ? JSON.stringify(entries) : "", () =>
      entries.map((entry) => this.#entry(snap, entry)),
    );
  }

  #item(entry: Settled): string {
    const answer = answerText(entry);
    const short = answer.length > 80 ? `${answer.slice(0, 79)}…` : answer;
    return this.ctx.t.earlierItem(
      visible(short || this.ctx.t.noAnswer),
      this.ctx.name(entry.resolver),
      this.ctx.t.when(entry.at),
    );
  }

  #entry(snap: CardSnapshot, entry: Settled): HTMLElement {
    const { t } = this.ctx;
    // A form of its own: its radios are no group with those of the open card.
    const el = h("form", { class: "entry" });
    el.append(
      h(
        "p",
        null,
        h("b", null, visible(answerText(entry) || t.noAnswer)),
        ` ${t.settledBy(this.ctx.name(entry.resolver), t.when(entry.at))}`,
      ),
    );
    if (entry.why !== undefined && entry.why !== "") el.append(h("p", { dir: "auto" }, entry.why));
    for (const question of snap.definition.questions) {
      const then = { ...snap, status: "settled" as const, settled: entry };
      const shown = { ...shownOf(then, question), suggested: "" };
      if (Object.keys(shown.marks).length === 0) continue;
      const grid = new Grid(this.ctx);
      grid.update(shown, then);
      el.append(grid.el);
    }
    return el;
  }
}
