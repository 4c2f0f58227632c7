/**
 * The lens (D12.1): which option is behind which, and what would end that. A reading, never a
 * verdict.
 */
import type { Strings } from "../locale/en-more.js";
import type { CardSnapshot, LensEntry } from "../types.js";
import type { MoreContext } from "./context.js";
import { h, type Kid, Region } from "./dom.js";
import { below, cellOf } from "./marks.js";
import type { Shown } from "./shown.js";

/** More lines than this would compete with the answer. */
const LINES_MAX = 3;

export class Lens {
  readonly #region = new Region(h("div", { class: "lens", part: "lens" }));
  readonly el = this.#region.el;

  constructor(private readonly ctx: MoreContext) {}

  update(shown: Shown, snap: CardSnapshot): void {
    const { t } = this.ctx;
    const label = (id: string): string => labelIn(shown, id);
    const here = new Set(shown.rows.map((row) => row.id));
    const entries = snap.lens.filter((entry) => here.has(entry.option)).slice(0, LINES_MAX);
    const equal = shown.columns
      .filter((column) => snap.equal.includes(column.id))
      .map((column) => column.label);
    const lines: [string, string][] = entries.map((entry) => [
      label(entry.option),
      sentence(this.ctx, shown, entry),
    ]);
    if (equal.length > 0 && shown.rows.length > 1) lines.push(["", t.equal(equal)]);
    this.#region.render(lines.length > 0 ? JSON.stringify(lines) : "", () =>
      lines.map((one) => line(t, one)),
    );
  }
}

function line(t: Strings, [option, text]: [string, string]): Kid {
  const [open = "", close = ""] = t.quote("\n").split("\n");
  const sign = h("span", { "aria-hidden": "true" }, "◇");
  return h(
    "p",
    null,
    sign,
    h("span", null, ...(option === "" ? [] : [open, h("b", null, option), close]), text),
  );
}

function sentence(ctx: MoreContext, shown: Shown, entry: LensEntry): string {
  const { t } = ctx;
  const [only] = entry.behind;
  const on =
    entry.behind.length === 1 && only !== undefined
      ? shown.columns.filter((column) =>
          below(shown.marks, cellOf(entry.option, column.id), cellOf(only, column.id)),
        )
      : [];
  const behind = t.behind(
    entry.behind.map((id) => labelIn(shown, id)),
    on.map((column) => column.label),
  );
  if (entry.flip.length === 0) return behind;
  const [first, ...more] = entry.flip;
  const [row, column] = (first ?? "").split("/");
  if (more.length === 0 && row === entry.option && on.length === 1 && on[0]?.id === column)
    return behind + t.flipThere(labelIn(shown, entry.option));
  const cells = entry.flip.map((cell) => {
    const [option = "", criterion = ""] = cell.split("/");
    return t.cell(labelIn(shown, option), labelIn(shown, criterion));
  });
  return behind + t.flip(cells);
}

export function labelIn(shown: Pick<Shown, "rows" | "columns">, id: string): string {
  return [...shown.rows, ...shown.columns].find((row) => row.id === id)?.label ?? id;
}
