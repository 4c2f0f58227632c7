/**
 * Growing a definition in place (D6): the field for a new option or criterion, and what became of
 * refused ones.
 */
import type { Row } from "../types.js";
import type { MoreContext } from "./context.js";
import { button, h, Region } from "./dom.js";
import { growth } from "./growth.js";
import { labelIn } from "./lens.js";
import { LineForm } from "./line-form.js";
import { cellOf } from "./marks.js";
import { CRITERIA_MAX, CRITERION_MAX, LABEL_MAX, OPTIONS_MAX, type Shown } from "./shown.js";

type Kind = "option" | "criterion";

/** What grows in one question: a field for a new option, one for a criterion, what was refused. */
export class Grow {
  readonly #forms: Record<Kind, LineForm>;
  readonly #refused: Refused;

  constructor(
    private readonly ctx: MoreContext,
    question: string,
  ) {
    this.#forms = {
      option: growForm(ctx, "option", question),
      criterion: growForm(ctx, "criterion", question),
    };
    this.#refused = new Refused(ctx);
  }

  get parts(): HTMLElement[] {
    return [this.#forms.option.el, this.#forms.criterion.el, this.#refused.el];
  }

  update(shown: Shown): void {
    for (const kind of ["option", "criterion"] as const) {
      const { offered, reason } = growth(this.ctx, shown, kind);
      this.#forms[kind].update(offered && !shown.locked, reason);
    }
    this.#refused.update(shown);
  }

  focus(kind: Kind): void {
    this.#forms[kind].focus();
  }
}

function growForm(ctx: MoreContext, kind: Kind, question: string): LineForm {
  const { t, handle, ui } = ctx;
  const option = kind === "option";
  const words = {
    label: option ? t.addOption : t.addCriterion,
    hint: option ? t.optionHint : t.criterionHint,
    send: t.add,
    close: t.done,
  };
  const form = new LineForm(ctx, kind, words, option ? LABEL_MAX : CRITERION_MAX, (label) => {
    if (label === "") return ctx.open(null);
    ctx.edit(() => {
      if (option) handle.appendOption(label, undefined, question);
      else handle.appendCriterion(label, question);
      // Only what was taken leaves the field.
      ui.typed[kind] = "";
    });
    form.focus();
  });
  return form;
}

/**
 * Refused proposals of this person, each with its reason and, for a duplicate, the offer to carry
 * its marks over.
 */
class Refused {
  readonly #region = new Region(h("div", { class: "refused", role: "status", part: "refused" }));
  readonly el = this.#region.el;

  constructor(private readonly ctx: MoreContext) {}

  update(shown: Shown): void {
    const hidden = hiddenRows();
    const lines = shown.refused.filter((one) => !hidden.includes(one.row.id));
    const key = lines.map((one) => [one.kind, one.row, marksOn(shown, one.kind, one.row)]);
    this.#region.render(lines.length > 0 ? JSON.stringify(key) : "", () =>
      lines.map((one) => this.#line(shown, one.kind, one.row)),
    );
  }

  #line(shown: Shown, kind: Kind, row: Row): HTMLElement {
    const { t } = this.ctx;
    const marks = marksOn(shown, kind, row);
    const of = row.of === undefined ? "" : labelIn(shown, row.of);
    const most = kind === "option" ? OPTIONS_MAX : CRITERIA_MAX;
    const said =
      row.state === "duplicate" && of !== ""
        ? t.duplicateRow(row.label, of)
        : row.state === "full"
          ? t.fullRow(row.label, most)
          : t.refusedRow(row.label);
    const words = marks.map(
      (one) =>
        `${labelIn(shown, kind === "option" ? one.criterion : one.option)} ${t.marks[one.mark]}`,
    );
    const el = h(
      "p",
      null,
      h("span", null, said, ...(words.length > 0 ? [" ", t.itsMarks(t.list(words))] : [])),
    );
    if (marks.length > 0 && row.of !== undefined && !shown.locked) {
      const target = row.of;
      el.append(
        button(t.carry(marks.length, of), () => this.#carry(kind, row, target, shown), {
          class: "line",
        }),
      );
    }
    el.append(
      button(t.hide, () => {
        hide(row.id);
        this.ctx.refresh();
      }),
    );
    return el;
  }

  #carry(kind: Kind, row: Row, target: string, shown: Shown): void {
    const marks = marksOn(shown, kind, row);
    this.ctx.mark(marks.map((one) => ({ ...one, [kind]: target })));
    hide(row.id);
    this.ctx.refresh();
  }
}

/** Refused rows that were put out of sight in this browser; their ids are random, so one list does. */
const HIDDEN = "deem:hidden";
/** The oldest give way: their decisions are settled long since. */
const HIDDEN_MAX = 200;
let hiddenHere: string[] = [];

function hiddenRows(): string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(HIDDEN) ?? "[]");
    if (Array.isArray(kept)) return [...kept, ...hiddenHere].map(String);
  } catch {
    // Without storage the list is this page's alone.
  }
  return hiddenHere;
}

function hide(id: string): void {
  hiddenHere = [...hiddenHere, id];
  try {
    localStorage.setItem(HIDDEN, JSON.stringify(hiddenRows().slice(-HIDDEN_MAX)));
    hiddenHere = [];
  } catch {
    // See above.
  }
}

function marksOn(shown: Shown, kind: Kind, row: Row) {
  const found = [];
  const others = kind === "option" ? shown.columns : shown.rows;
  for (const other of others) {
    const [option, criterion] = kind === "option" ? [row.id, other.id] : [other.id, row.id];
    const mark = shown.marks[cellOf(option, criterion)];
    if (mark !== undefined) found.push({ option, criterion, mark });
  }
  return found;
}
