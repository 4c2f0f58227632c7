/** The answers before this one, in one line that opens. */
import type { CardSnapshot, Question, Row, Settled } from "../types.js";
import type { MoreContext } from "./context.js";
import { h, Region, say, show } from "./dom.js";
import { Grid } from "./grid.js";
import { answerText, type Shown, shownOf, visible } from "./shown.js";

/**
 * The rows and columns of an earlier answer: what its saver had on the screen. The definition has
 * grown since, and does not tell what came during that Save from what came after a reopen.
 */
function asItWas(snap: CardSnapshot, question: Question, entry: Settled): Partial<Shown> {
  const seen = entry.shown;
  if (!seen) return {};
  const here = (row: Row) => row.question === question.id && row.state === "defined";
  return {
    rows: snap.rows.filter((row) => here(row) && seen.options.includes(row.id)),
    columns: snap.columns.filter((row) => here(row) && seen.criteria.includes(row.id)),
    unseen: new Set(),
  };
}

export class History {
  readonly el = h("details", { class: "prev", part: "history" });
  readonly #line = h("summary");
  readonly #list = new Region(h("div", { class: "prev-list" }));

  constructor(private readonly ctx: MoreContext) {
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
      const shown = { ...shownOf(then, question), ...asItWas(snap, question, entry), suggested: "" };
      if (Object.keys(shown.marks).length === 0) continue;
      const grid = new Grid(this.ctx);
      grid.update(shown, then);
      el.append(grid.el);
    }
    return el;
  }
}
