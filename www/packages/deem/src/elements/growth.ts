/** Whether a definition can still grow in place (D6). */
import type { Context } from "./context.js";
import { CRITERIA_MAX, OPTIONS_MAX, type Shown } from "./shown.js";

/** May this question still grow, and if not, why. */
export function growth(
  ctx: Context,
  shown: Shown,
  kind: "option" | "criterion",
): { offered: boolean; reason: string } {
  const { question } = shown;
  const offered = shown.live && question.verbatim !== true && question.response !== "text";
  const option = kind === "option";
  const full =
    (option ? shown.rows : shown.columns).length >= (option ? OPTIONS_MAX : CRITERIA_MAX);
  const reason = option ? ctx.t.mostOptions(OPTIONS_MAX) : ctx.t.mostCriteria(CRITERIA_MAX);
  return { offered, reason: full ? reason : "" };
}

