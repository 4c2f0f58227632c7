/**
 * What the option of each row shows, and what picking it does: the same in the grid and in the
 * fieldset.
 */
import type { Row } from "../types.js";
import { type Context, OWN_ROW } from "./context.js";
import { OptionControl, type OptionShown } from "./option.js";
import { type Shown, takesText, visible } from "./shown.js";

/** Ids of the rows: the options, then the answer in own words where the card takes one. */
export function rowIds(shown: Shown): string[] {
  const ids = shown.rows.map((row) => row.id);
  const own = shown.live ? takesText(shown.question) : shown.custom;
  return own ? [...ids, OWN_ROW] : ids;
}

export function isOn(shown: Shown, id: string): boolean {
  return id === OWN_ROW ? shown.custom : !shown.custom && shown.picked.has(id);
}

export function optionShown(ctx: Context, shown: Shown, id: string): OptionShown {
  const { t } = ctx;
  const disabled = !shown.live || shown.locked;
  if (id === OWN_ROW) {
    const waiting = shown.live && !shown.custom && shown.text.trim() !== "";
    const about = waiting ? t.keptText(visible(shown.text.trim().slice(0, 120))) : "";
    return { label: t.ownWords, about, tag: "", on: shown.custom, kept: false, disabled };
  }
  const row = shown.rows.find((one) => one.id === id);
  const picked = shown.picked.has(id);
  return {
    label: row?.label ?? id,
    about: row?.description ?? "",
    tag: row ? tagOf(ctx, shown, row) : "",
    on: picked,
    kept: picked && shown.custom,
    disabled,
  };
}

function tagOf(ctx: Context, shown: Shown, row: Row): string {
  if (shown.unseen.has(row.id)) return ctx.t.addedUnseen;
  if (shown.suggested === row.id) return ctx.t.suggestedTag;
  return ctx.t.rowState[row.state];
}

export function optionControl(
  ctx: Context,
  shown: Shown,
  id: string,
  opened: () => void,
): OptionControl {
  const { question } = shown;
  const own = id === OWN_ROW;
  const type = question.multiple ? "checkbox" : "radio";
  // Own words stand in a group of their own: a kept pick stays visible beside them.
  const name = `${question.id}${own ? "-own" : ""}`;
  return new OptionControl(id, type, name, ctx.t, (on, wasKept) => {
    if (wasKept) ctx.edit(() => ctx.handle.setMode("choices", question.id));
    else if (own) {
      ctx.edit(() => ctx.handle.setMode(on ? "custom" : "choices", question.id));
      if (on) opened();
    } else if (question.multiple) ctx.edit(() => ctx.handle.pick(id, on));
    else ctx.edit(() => ctx.handle.choose(id, question.id));
  });
}
