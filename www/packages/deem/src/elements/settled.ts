/** Below a settled answer: who and when, why, and the answers before it. */
import type { CardSnapshot, Settled } from "../types.js";
import type { Context } from "./context.js";
import { button, h, icon, Region, say, set, show } from "./dom.js";
import { cellOf, DRAWING } from "./marks.js";
import { face } from "./people.js";
import { answerText, isOpen, visible, WHY_MAX } from "./shown.js";

export class SettledPart {
  readonly el = h("div", { class: "settled" });
  readonly #by = new Region(h("div", { class: "by", part: "by" }));
  readonly #why = h("div", { class: "why-line" });
  readonly #whyText = h("p", { class: "why", part: "why", dir: "auto" });
  readonly #whyNote = h("span", { class: "tag" });
  readonly #editWhy: HTMLButtonElement;
  readonly #form: WhyForm;
  readonly #reason = new Region(h("p", { class: "why" }));

  constructor(private readonly ctx: Context) {
    this.#editWhy = button(ctx.t.addWhy, () => ctx.open("why"), { part: "edit-why" });
    this.#form = new WhyForm(ctx);
    this.#why.append(this.#whyText, this.#whyNote, this.#editWhy);
    this.el.append(this.#by.el, this.#reason.el, this.#why, this.#form.el);
  }

  update(snap: CardSnapshot): void {
    const { t, ui } = this.ctx;
    const settled = isOpen(snap) ? undefined : snap.settled;
    this.#by.render(settled ? JSON.stringify([settled.resolver, this.ctx.name(settled.resolver), settled.at]) : "", () => (settled ? this.#who(settled) : []));
    const reason = isOpen(snap) ? "" : (snap.reason ?? "");
    this.#reason.render(reason, () => [t.withdrawnBecause(visible(reason))]);
    const editing = ui.panel === "why";
    const mayEdit = snap.status === "settled" && snap.editable;
    const why = settled?.why ?? "";
    show(this.#why, settled !== undefined && !editing && (why !== "" || mayEdit));
    say(this.#whyText, why);
    show(this.#whyText, why !== "");
    const by = settled?.whyBy;
    const note = why === "" ? "" : by === undefined ? t.whyDraft : by === settled?.resolver ? "" : t.whyBy(this.ctx.name(by));
    say(this.#whyNote, note);
    show(this.#whyNote, note !== "");
    say(this.#editWhy, why === "" ? t.addWhy : t.editWhy);
    show(this.#editWhy, mayEdit);
    set(this.#editWhy, {
      "aria-disabled": snap.sync.online && !ui.busy ? null : "true",
      title: snap.sync.online ? null : t.needsConnection,
    });
    this.#form.update(snap, editing && mayEdit, why);
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

class WhyForm {
  readonly el = h("form", { class: "grow-form", hidden: true });
  readonly #field: HTMLInputElement;
  readonly #save: HTMLButtonElement;

  constructor(private readonly ctx: Context) {
    const { t, ui } = ctx;
    this.#field = h("input", { type: "text", "aria-label": t.why, placeholder: t.why, maxlength: WHY_MAX, autocomplete: "off", dir: "auto" });
    this.#save = h("button", { type: "submit", class: "line" }, t.saveWhy);
    this.el.append(this.#field, this.#save, button(t.cancel, () => this.#close()));
    this.#field.addEventListener("input", () => {
      ui.typed.why = this.#field.value;
    });
    this.el.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      this.#close();
    });
    this.el.addEventListener("submit", (event) => {
      event.preventDefault();
      const text = this.#field.value.trim();
      ctx.request(async () => {
        await ctx.handle.setWhy(text);
        this.#close();
      });
    });
  }

  update(snap: CardSnapshot, on: boolean, why: string): void {
    show(this.el, on);
    if (!on) return;
    const typed = this.ctx.ui.typed.why ?? why;
    if (this.#field.value !== typed) this.#field.value = typed;
    const off = !snap.sync.online || this.ctx.ui.busy;
    if (this.#save.disabled !== off) this.#save.disabled = off;
  }

  focus(): void {
    this.#field.focus();
  }

  #close(): void {
    delete this.ctx.ui.typed.why;
    this.ctx.open(null);
  }
}

/** The answers before this one, in one line that opens. */
export class History {
  readonly el = h("details", { class: "prev", part: "history" });
  readonly #line = h("summary");
  readonly #list = new Region(h("div", { class: "prev-list" }));

  constructor(private readonly ctx: Context) {
    this.el.append(this.#line, this.#list.el);
    this.el.addEventListener("toggle", () => {
      ctx.ui.historyOpen = this.el.open;
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
    this.#list.render(JSON.stringify(entries), () => entries.map((entry) => this.#entry(snap, entry)));
  }

  #item(entry: Settled): string {
    const answer = answerText(entry);
    const short = answer.length > 80 ? `${answer.slice(0, 79)}…` : answer;
    return this.ctx.t.earlierItem(visible(short || this.ctx.t.noAnswer), this.ctx.name(entry.resolver), this.ctx.t.when(entry.at));
  }

  #entry(snap: CardSnapshot, entry: Settled): HTMLElement {
    const { t } = this.ctx;
    const el = h("div", { class: "entry" });
    el.append(h("p", null, h("b", null, visible(answerText(entry) || t.noAnswer)), ` ${t.settledBy(this.ctx.name(entry.resolver), t.when(entry.at))}`));
    if (entry.why !== undefined && entry.why !== "") el.append(h("p", { dir: "auto" }, entry.why));
    for (const answer of entry.answer.answers) {
      const marks = answer.marks ?? entry.marks ?? {};
      const rows = snap.rows.filter((row) => row.question === answer.id && row.state === "defined");
      const columns = snap.columns.filter((row) => row.question === answer.id && row.state === "defined");
      if (columns.length === 0 || Object.keys(marks).length === 0) continue;
      const chosen = new Set((answer.chosen ?? []).map((one) => one.id));
      const head = h("tr", null, h("th", { scope: "col" }, h("span", { class: "vh" }, t.option)), ...columns.map((one) => h("th", { scope: "col" }, one.label)));
      const body = rows.map((row) =>
        h("tr", { class: chosen.has(row.id) ? "on" : null }, h("th", { scope: "row" }, row.label), ...columns.map((column) => {
          const mark = marks[cellOf(row.id, column.id)];
          const [stroke, fill] = DRAWING[mark ?? "none"];
          return h("td", { "data-mark": mark ?? "none" }, icon(stroke, fill), h("span", { class: "vh" }, mark === undefined ? t.unmarked : t.marks[mark]));
        })),
      );
      el.append(h("table", { class: "mini" }, h("thead", null, head), h("tbody", null, ...body)));
    }
    return el;
  }
}
