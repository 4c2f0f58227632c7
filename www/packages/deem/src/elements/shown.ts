/** What a card shows of one question: one shape for an open draft and a settled answer. Pure. */
import type { CardSnapshot, Marks, Question, Row, Settled } from "../types.js";

/** D1.3, D1.4: how many of each people can have in a card by appending. */
export const OPTIONS_MAX = 10;
export const CRITERIA_MAX = 5;
/** D1 limits of what is typed here, in UTF-16 units. */
export const TEXT_MAX = 4000;
export const LABEL_MAX = 200;
export const CRITERION_MAX = 40;
export const WHY_MAX = 300;

export interface Shown {
  question: Question;
  /** Open, so the parts are controls. */
  live: boolean;
  /** Live, but nothing can be changed now: a waiting save, or no right to edit. */
  locked: boolean;
  rows: Row[];
  columns: Row[];
  /** Proposals with a verdict against them: shown as sentences, not as rows. */
  refused: { kind: "option" | "criterion"; row: Row }[];
  picked: ReadonlySet<string>;
  /** The text counts, not the picks. */
  custom: boolean;
  text: string;
  marks: Marks;
  suggested?: string;
  /** Rows and columns that were not on the saver's screen (D6.4). */
  unseen: ReadonlySet<string>;
}

export const isOpen = (snap: CardSnapshot): boolean =>
  snap.status === "open" || snap.status === "reopened";

/** A Save that waits, is old or is held locks the card (D4.8). */
export const isHeld = (snap: CardSnapshot): boolean =>
  ["waiting", "old", "blocked"].includes(snap.save.state);

export const isLocked = (snap: CardSnapshot): boolean => !snap.editable || isHeld(snap);

/** May reopen, discard and why be offered: the relay says who may, a read-only copy never. */
export const mayAct = (snap: CardSnapshot): boolean =>
  isOpen(snap) ? snap.editable || isHeld(snap) : snap.sync.state !== "read-only";

/** Most saves are settled sooner than this; only one that takes longer is told to wait. */
const SAVE_PASSING_MS = 700;

/** How long until a Save that was just pressed is shown as waiting; 0: it is. */
export function saveFreshMs(snap: CardSnapshot, now: number): number {
  if (snap.save.state !== "waiting" || !snap.sync.online) return 0;
  return Math.max(0, Date.parse(snap.save.since) + SAVE_PASSING_MS - now);
}

export const isWritten = (question: Question): boolean =>
  question.response === "text" || (question.options.length === 0 && question.verbatim === true);

/** D2.2: every card but a verbatim one with options takes free text. */
export const takesText = (question: Question): boolean =>
  question.verbatim !== true || question.options.length === 0;

const stands = (row: Row): boolean => row.state === "defined" || row.state === "pending";

export function shownOf(snap: CardSnapshot, question: Question): Shown {
  const live = isOpen(snap);
  const rows = snap.rows.filter((row) => row.question === question.id);
  const columns = snap.columns.filter((row) => row.question === question.id);
  const base = {
    question,
    live,
    locked: live && isLocked(snap),
    rows: rows.filter((row) => (live ? stands(row) : row.state === "defined")),
    columns: columns.filter((row) => (live ? stands(row) : row.state === "defined")),
    refused: live
      ? [
          ...rows.filter((row) => !stands(row)).map((row) => ({ kind: "option" as const, row })),
          ...columns
            .filter((row) => !stands(row))
            .map((row) => ({ kind: "criterion" as const, row })),
        ]
      : [],
  };
  if (snap.settled && !live) return { ...base, ...settledPart(snap.settled, question) };
  const draft = snap.draft[question.id];
  const picked = question.multiple ? (draft?.picks ?? []) : draft?.single ? [draft.single] : [];
  const shown: Shown = {
    ...base,
    picked: new Set(picked),
    custom: draft?.mode === "custom",
    text: draft?.text ?? "",
    marks: snap.marks,
    unseen: new Set(),
  };
  if (live && snap.suggested) shown.suggested = snap.suggested.id;
  return shown;
}

function settledPart(
  settled: Settled,
  question: Question,
): Omit<Shown, "question" | "live" | "locked" | "rows" | "columns" | "refused"> {
  const answer = settled.answer.answers.find((one) => one.id === question.id);
  const seen = settled.shown;
  const unseen = seen
    ? [
        ...question.options.filter((one) => !seen.options.includes(one.id)),
        ...(question.criteria ?? []).filter((one) => !seen.criteria.includes(one.id)),
      ].map((one) => one.id)
    : [];
  return {
    picked: new Set((answer?.chosen ?? []).map((one) => one.id)),
    custom: answer?.text !== undefined,
    text: answer?.text ?? "",
    marks: answer?.marks ?? settled.marks ?? {},
    unseen: new Set(unseen),
  };
}

/** D4.3, before a Save is sent: would the displayed draft be an answer? */
export function answerable(snap: CardSnapshot): boolean {
  return snap.definition.questions.every((question) => {
    const draft = snap.draft[question.id];
    const blank = (draft?.text ?? "").trim() === "";
    if (isWritten(question))
      return !blank || (question.verbatim === true && draft?.mode === "custom");
    if (draft?.mode === "custom") return !blank;
    const picks = draft?.picks.length ?? 0;
    if (question.multiple) return picks > 0;
    return (
      draft?.single != null || picks > 0 || (snap.suggested !== undefined && draft !== undefined)
    );
  });
}

/** The answer in words, for a line of history. */
export function answerText(settled: Pick<Settled, "answer">): string {
  return settled.answer.answers
    .map((one) => one.text ?? (one.chosen ?? []).map((option) => option.label).join("; "))
    .filter((text) => text !== "")
    .join(" · ");
}

/**
 * Controls, bidi and zero-width characters of a body made visible, so that no text shows as
 * another.
 */
export function visible(text: string): string {
  return text.replace(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is made visible
    /[\u0000-\u0008\u000b-\u001f\u007f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g,
    (char) =>
      `\u27e8U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}\u27e9`,
  );
}
