/** Marks: their order, their drawings and their words. */
import type { Mark, Marks } from "../types.js";

/** Stroke and filled area of each mark; told apart by shape, never by colour alone. */
export const DRAWING: Record<Mark | "none", readonly [stroke: string, fill: string]> = {
  yes: ["M3.2 8.6 6.4 11.8 12.8 4.6", ""],
  partly: ["M8 2.8a5.2 5.2 0 1 0 0 10.4a5.2 5.2 0 1 0 0-10.4z", "M8 2.8a5.2 5.2 0 0 0 0 10.4z"],
  no: ["M4.2 4.2 11.8 11.8M11.8 4.2 4.2 11.8", ""],
  none: ["M8 8h.01", ""],
};

export const MARKS: readonly Mark[] = ["yes", "partly", "no"];

export const isMark = (word: string): word is Mark => word in RANK;

const RANK: Record<Mark, number> = { no: 0, partly: 1, yes: 2 };

export const cellOf = (option: string, criterion: string): string => `${option}/${criterion}`;

/** yes, partly, no, clear, and again. */
export function next(mark: Mark | undefined): Mark | null {
  if (mark === undefined) return "yes";
  return mark === "yes" ? "partly" : mark === "partly" ? "no" : null;
}

/** Whether the first cell is judged lower than the second; false where one is unmarked. */
export function below(marks: Marks, one: string, other: string): boolean {
  const a = marks[one];
  const b = marks[other];
  return a !== undefined && b !== undefined && RANK[a] < RANK[b];
}
