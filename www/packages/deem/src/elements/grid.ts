/**
 * Options and criteria as one grid: rows are options with their answer control, columns are
 * criteria.
 * One tab stop; the cell itself is the widget. Rows and cells are kept by id, so focus survives
 * changes.
 */
import type { CardSnapshot, Presence, Row } from "../types.js";
import { type Context, OPTION_COLUMN, OWN_ROW } from "./context.js";
import { arrange, h, icon, Keyed, redraw, say, set, show } from "./dom.js";
import { type GridAction, gridAction } from "./grid-keys.js";
import { cellOf, DRAWING, isMark, MARKS, next } from "./marks.js";
import type { OptionControl } from "./option.js";
import { colour, face, initials } from "./people.js";
import { isOn, optionControl, optionShown, rowIds } from "./rows.js";
import { isOpen, type Shown } from "./shown.js";

export interface GridHost {
  /** Opens the field of the own words. */
  openOwn(): void;
  /**
   * Shows who said what of a contested cell, beside it; null puts it away. Says whether one was
   * open.
   */
  contested(cell: HTMLElement | null, option: string, criterion: string): boolean;
  help(beside: HTMLElement): void;
}

/** What a cell says beside its mark. */
interface Notes {
  here: Map<string, Presence[]>;
  contested: Map<string, string>;
}

export class Grid {
  readonly el = h("table", { class: "grid", part: "grid" });
  readonly #corner = h("th", { class: "corner", scope: "col" });
  readonly #headRow = h("tr");
  readonly #body = h("tbody");
  readonly #heads = new Keyed<HTMLTableCellElement>();
  readonly #rows = new Keyed<HTMLTableRowElement>();
  readonly #firsts = new Map<string, { cell: HTMLTableCellElement; control: OptionControl }>();
  readonly #cells = new Map<string, Keyed<HTMLTableCellElement>>();
  #shown: Shown | null = null;
  /** One select per cell, for people and devices that do without the keys of a grid. */
  readonly #form: boolean;

  constructor(
    private readonly ctx: Context,
    /** Only a live grid has one. */
    private readonly host?: GridHost,
  ) {
    this.#form = host !== undefined && ctx.mode === "form";
    this.#corner.append(h("span", { class: "vh" }, ctx.t.option));
    this.el.append(h("thead", null, this.#headRow), this.#body);
    this.el.addEventListener("keydown", (event) => this.#key(event));
    this.el.addEventListener("click", (event) => this.#click(event));
    this.el.addEventListener("focusin", (event) => this.#focusIn(event));
  }

  update(shown: Shown, snap: CardSnapshot, notes = notesOf(this.ctx, snap)): void {
    this.#shown = shown;
    const { live } = shown;
    const keys = live && !this.#form;
    set(this.el, {
      role: keys ? "grid" : "table",
      "aria-label": this.ctx.t.matrix,
      "aria-readonly": keys && shown.locked ? "true" : null,
      "data-live": keys,
      "data-form": live && this.#form,
    });
    const columns = shown.columns.map((column) => column.id);
    set(this.#headRow, { role: "row" });
    set(this.#corner, { role: "columnheader" });
    arrange(this.#headRow, [
      this.#corner,
      ...this.#heads.for(columns, () =>
        h(
          "th",
          { scope: "col", role: "columnheader", part: "criterion" },
          h("span"),
          h("span", { class: "tag" }),
        ),
      ),
    ]);
    for (const column of shown.columns) this.#head(column, shown);
    const ids = rowIds(shown);
    for (const gone of this.#cells.keys()) {
      if (ids.includes(gone)) continue;
      this.#cells.delete(gone);
      this.#firsts.delete(gone);
    }
    arrange(
      this.#body,
      this.#rows.for(ids, (id) => h("tr", { role: "row", "data-row": id, part: "row" })),
    );
    for (const id of ids) this.#row(id, shown, columns, notes);
    this.#roving();
  }

  #head(column: Row, shown: Shown): void {
    const el = this.#heads.get(column.id);
    const [label, tag] = el?.children ?? [];
    if (!el || !label || !(tag instanceof HTMLElement)) return;
    say(label, column.label);
    const word = shown.unseen.has(column.id)
      ? this.ctx.t.addedUnseen
      : this.ctx.t.rowState[column.state];
    say(tag, word);
    show(tag, word !== "");
  }

  #row(id: string, shown: Shown, columns: string[], notes: Notes): void {
    const row = this.#rows.get(id);
    if (!row) return;
    const first = this.#first(id, shown);
    const option = optionShown(this.ctx, shown, id);
    first.control.update(option);
    const on = isOn(shown, id);
    set(row, { class: on ? "on" : null, "data-kept": option.kept });
    set(first.cell, {
      role: "rowheader",
      "aria-selected": shown.live && !this.#form ? String(on) : null,
      colspan: id === OWN_ROW ? columns.length + 1 : null,
    });
    const keyed = this.#cells.get(id) ?? new Keyed<HTMLTableCellElement>();
    this.#cells.set(id, keyed);
    const cells = id === OWN_ROW ? [] : keyed.for(columns, (column) => this.#makeCell(id, column));
    arrange(row, [first.cell, ...cells]);
    for (const cell of cells) this.#cell(cell, shown, notes);
  }

  #first(id: string, shown: Shown): { cell: HTMLTableCellElement; control: OptionControl } {
    let first = this.#firsts.get(id);
    if (first === undefined) {
      const control = optionControl(this.ctx, shown, id, () => this.host?.openOwn());
      if (!this.#form) control.input.tabIndex = -1;
      const cell = h(
        "th",
        { scope: "row", "data-row": id, "data-column": OPTION_COLUMN },
        control.el,
      );
      first = { cell, control };
      this.#firsts.set(id, first);
    }
    return first;
  }

  #makeCell(row: string, column: string): HTMLTableCellElement {
    const mark = h("span", { class: "mark" });
    if (this.#form) mark.append(this.#picker(row, column));
    else mark.append(icon(""), h("span", { class: "vh" }));
    return h(
      "td",
      { part: "cell", "data-row": row, "data-column": column, "data-cell": cellOf(row, column) },
      mark,
    );
  }

  /** The marks of one cell as a native list. */
  #picker(option: string, criterion: string): HTMLSelectElement {
    const { t } = this.ctx;
    const entries = MARKS.map((mark) => h("option", { value: mark }, t.marks[mark]));
    const select = h("select", null, h("option", { value: "" }, t.unmarked), ...entries);
    select.addEventListener("change", () => {
      const mark = isMark(select.value) ? select.value : null;
      this.ctx.mark([{ option, criterion, mark }]);
    });
    return select;
  }

  #cell(el: HTMLTableCellElement, shown: Shown, notes: Notes): void {
    const { t } = this.ctx;
    const key = el.dataset["cell"] ?? "";
    const mark = shown.marks[key];
    const here = notes.here.get(key) ?? [];
    const dispute = notes.contested.get(key);
    const column = shown.columns.find((one) => one.id === el.dataset["column"]);
    const said = [here.length > 0 ? t.here(here.map((one) => one.name)) : "", dispute ?? ""].filter(
      (text) => text !== "",
    );
    const description = said.length > 0 ? said.join(". ") : null;
    set(el, {
      role: shown.live && !this.#form ? "gridcell" : "cell",
      "data-mark": mark ?? "none",
      "data-label": column?.label ?? "",
      "data-contested": dispute !== undefined,
      "data-here": here.length > 0,
      "aria-description": description,
      title: dispute,
    });
    const [box] = el.children;
    const [drawing, word] = box?.children ?? [];
    if (!box) return;
    ornaments(box, here, dispute !== undefined);
    if (drawing instanceof HTMLSelectElement) {
      const option = shown.rows.find((one) => one.id === el.dataset["row"])?.label ?? "";
      const label = t.contestedTitle(option, column?.label ?? "");
      set(drawing, { "aria-label": label, "aria-description": description });
      drawing.disabled = shown.locked;
      if (drawing.value !== (mark ?? "")) drawing.value = mark ?? "";
    } else if (drawing instanceof SVGSVGElement && word) {
      const [stroke, fill] = DRAWING[mark ?? "none"];
      redraw(drawing, stroke, fill);
      say(word, mark === undefined ? t.unmarked : t.marks[mark]);
    }
    el.style.setProperty("--who", here[0] ? colour(here[0].person) : "");
  }

  /** One tab stop: the cell this tab was last in, else the first. */
  #roving(): void {
    if (this.#form) return;
    const live = this.#shown?.live === true;
    const at = this.ctx.ui.cell;
    const all = [...this.el.querySelectorAll<HTMLElement>("[data-row][data-column]")];
    const active =
      (at &&
        all.find((el) => el.dataset["row"] === at.row && el.dataset["column"] === at.column)) ??
      all[0];
    for (const el of all) set(el, { tabindex: live ? (el === active ? 0 : -1) : null });
  }

  /** Where a cell stands, and its neighbours. */
  #matrix(): HTMLElement[][] {
    return [...this.#body.rows].map((row) => [...row.cells]);
  }

  #focusIn(event: FocusEvent): void {
    const target = event.target;
    if (!(target instanceof HTMLElement)) return;
    const cell = target.closest<HTMLElement>("[data-row][data-column]");
    if (!cell || this.#shown?.live !== true) return;
    // The native input is the cell's mark of choice; the cell holds the focus.
    if (target !== cell && !this.#form) return cell.focus({ preventScroll: true });
    const row = cell.dataset["row"] ?? "";
    const column = cell.dataset["column"] ?? "";
    this.ctx.ui.cell = { row, column };
    this.#roving();
    const question = this.#shown.question.id;
    this.ctx.handle.setPresence(
      column === "" ? { question } : { question, cell: cellOf(row, column) },
    );
    const keyboard = target.matches(":focus-visible");
    this.host?.contested(keyboard && "contested" in cell.dataset ? cell : null, row, column);
  }

  #click(event: MouseEvent): void {
    const target = event.target;
    if (!(target instanceof Element) || this.#shown?.live !== true) return;
    const cell = target.closest<HTMLElement>("td[data-cell]");
    if (!cell) return;
    const { row = "", column = "" } = cell.dataset;
    const sign = target.closest(".unlike") !== null;
    if (!this.#form) cell.focus({ preventScroll: true });
    if (sign) this.host?.contested(cell, row, column);
    else if (!this.#form) this.#press(cell);
  }

  #press(cell: HTMLElement): void {
    const { row = "", column = "", cell: key = "" } = cell.dataset;
    if (this.#shown?.locked !== false) return;
    this.ctx.mark([{ option: row, criterion: column, mark: next(this.#shown.marks[key]) }]);
  }

  #unpick(row: string, shown: Shown): void {
    if (row === OWN_ROW || !isOn(shown, row)) return;
    const { question } = shown;
    this.ctx.edit(() =>
      question.multiple
        ? this.ctx.handle.pick(row, false)
        : this.ctx.handle.choose(null, question.id),
    );
  }

  #key(event: KeyboardEvent): void {
    const target = event.target;
    if (!(target instanceof HTMLElement) || this.#shown?.live !== true || this.#form) return;
    const cell = target.closest<HTMLElement>("[data-row][data-column]");
    const action = gridAction(event, getComputedStyle(this.el).direction === "rtl");
    if (!cell || !action) return;
    event.preventDefault();
    this.#do(action, cell);
  }

  #do(action: GridAction, cell: HTMLElement): void {
    const { row = "", column = "" } = cell.dataset;
    switch (action.kind) {
      case "move":
      case "edge":
        return target(this.#matrix(), cell, action)?.focus();
      case "press":
        if (column !== OPTION_COLUMN) return this.#press(cell);
        // Arrows move; only Space picks.
        if (action.key === "space") this.#firsts.get(row)?.control.input.click();
        return;
      case "mark":
        if (this.#shown?.locked !== false) return;
        if (column !== OPTION_COLUMN)
          return this.ctx.mark([{ option: row, criterion: column, mark: action.mark }]);
        if (action.mark === null) this.#unpick(row, this.#shown);
        return;
      case "help":
        return this.host?.help(cell);
      case "leave":
        if (this.host?.contested(null, row, column) !== true) this.ctx.leave();
    }
  }
}

/** Unlike: two said different things at the same time. */
const UNLIKE = "M3.5 6h9M3.5 10h9M10.5 3 5.5 13";

export const unlike = (): HTMLElement =>
  h("span", { class: "unlike", "aria-hidden": "true" }, icon(UNLIKE));

/** The ring's initials and the sign of a contested cell, made only where they are. */
function ornaments(box: Element, here: Presence[], contested: boolean): void {
  const badge = box.querySelector(".face");
  const [first] = here;
  if (!first) badge?.remove();
  else {
    const names = here.map((one) => one.name).join("\n");
    const words = here.length === 1 ? initials(first.name) : String(here.length);
    if (badge?.textContent !== words || badge.getAttribute("title") !== names) {
      badge?.remove();
      const made = face(first.person, first.name);
      set(made, { role: null, "aria-label": null, "aria-hidden": "true", title: names });
      say(made, words);
      box.append(made);
    }
  }
  const sign = box.querySelector(".unlike");
  if (!contested) sign?.remove();
  else if (!sign) box.append(unlike());
}

function notesOf(ctx: Context, snap: CardSnapshot): Notes {
  const here = new Map<string, Presence[]>();
  if (!isOpen(snap)) return { here, contested: new Map() };
  for (const one of snap.presence) {
    if (one.self || one.cell === undefined) continue;
    here.set(one.cell, [...(here.get(one.cell) ?? []), { ...one, name: ctx.name(one.person) }]);
  }
  const contested = new Map<string, string>();
  for (const one of snap.contested) {
    const said = [...one.lost, one.stands].map((entry) =>
      ctx.t.contestedSaid(ctx.name(entry.by), entry.mark),
    );
    contested.set(cellOf(one.option, one.criterion), ctx.t.contestedShort(said, one.stands.mark));
  }
  return { here, contested };
}

/** The cell a movement goes to; a row with fewer cells is entered at its last. */
function target(
  matrix: HTMLElement[][],
  cell: HTMLElement,
  action: Extract<GridAction, { kind: "move" | "edge" }>,
): HTMLElement | undefined {
  const at = matrix.findIndex((cells) => cells.includes(cell));
  const here = matrix[at];
  if (!here) return undefined;
  const column = here.indexOf(cell);
  if (action.kind === "edge") {
    const row = action.grid ? (action.end ? matrix.at(-1) : matrix[0]) : here;
    return action.end ? row?.at(-1) : row?.[0];
  }
  const row = matrix[Math.max(0, Math.min(matrix.length - 1, at + action.rows))];
  return row?.[Math.max(0, Math.min(row.length - 1, column + action.columns))];
}
