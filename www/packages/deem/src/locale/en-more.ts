/** The words of what opens in a card, of the page of one decision and of the Save bar. */
import type { Mark, Status } from "../types.js";
import { en, type FirstStrings } from "./en.js";
import { formats } from "./format.js";

const { list, plural } = formats("en-GB");
const { quote } = en;
const quoted = (labels: string[]): string => list(labels.map(quote));

/** What a refusal of a local edit or of a request means to the person; any other code is named. */
const reasons = {
  "too-long": "It is too long.",
  character: "It holds a character that labels cannot have.",
  unanswered: "Nothing is answered yet.",
  "two-choices": "This decision takes one option, and more are chosen.",
  duplicate: "It is already there.",
  full: "There is no room for more.",
  resolved: "The decision is closed.",
  resolving: "Someone is saving this right now. Try again.",
  implementation: "Work on this document is under way. Try again later.",
  unavailable: "The relay cannot be reached. Try again.",
  forbidden: "You may not do this here.",
  "old-generation": "It belongs to an earlier round of this decision.",
  restored: "The relay was restored from an earlier copy that does not have it.",
  superseded: "The text around it was rewritten meanwhile.",
};

export const enMore = {
  optionHint: "Another option",
  criterionHint: "What matters here? For example, price",
  add: "Add",
  done: "Done",
  duplicateRow: (label: string, of: string): string =>
    `“${label}” was not added: it is already here as ${of}.`,
  fullRow: (label: string, most: number): string =>
    `“${label}” was not added: there are already ${most}.`,
  refusedRow: (label: string): string => `“${label}” was not added.`,
  itsMarks: (marks: string): string => `You marked it: ${marks}.`,
  carry: (n: number, of: string): string =>
    `Move ${plural(n, { one: "# mark", other: "# marks" })} to ${of}`,
  hide: "Hide",

  behind: (options: string[], on: string[]): string =>
    on.length > 0
      ? ` is worse than ${quoted(options)} on ${quoted(on)}, and better on nothing.`
      : ` is better than ${quoted(options)} on nothing, and worse on something.`,
  flip: (cells: string[]): string =>
    plural(cells.length, { one: " Changing one mark", other: " Changing # marks" }) +
    ` would end that: ${list(cells)}.`,
  flipThere: (option: string): string => ` Changing ${quote(option)} there would end it.`,
  cell: (option: string, criterion: string): string => `${quote(option)} on ${quote(criterion)}`,
  equal: (criteria: string[]): string => `All options are equal on ${quoted(criteria)}.`,

  contestedLabel: "Who said what",
  contestedStands: (mark: Mark | null): string =>
    `At the same time. ${mark === null ? "Unmarked" : mark[0]?.toUpperCase() + mark.slice(1)} stands.`,
  contestedNote: (cells: string[]): string =>
    `Marked differently at the same time: ${list(cells)}. Save keeps what is shown.`,
  contestedAnswer: (question: string): string =>
    `${quote(question)} has cells that were marked differently at the same time.`,
  setTo: (mark: Mark | null): string => (mark === null ? "Clear it" : `Set to ${mark}`),
  close: "Close",
  waitingTitle: "Your save waits for a connection.",
  waitingText: (since: string): string =>
    `Pressed ${since}. The answer is locked as you saved it and goes out by itself. Take it back to keep editing.`,
  oldTitle: "Your save has waited for more than a day.",
  oldText: (since: string): string =>
    `Pressed ${since}. Look at it once more, then save it or take it back.`,
  blockedTitle: "Your save is held.",
  blockedText:
    "A change before it was refused. Take the save back, then settle what is listed here.",
  staleTitle: (names: string[]): string =>
    `Not saved: ${names.length > 0 ? list(names) : "someone"} changed the answer after you read it.`,
  stalePartial:
    "What you read is too old to be known in full: others may have changed it too. Read the whole answer before you save it.",
  staleNothing: "Nothing in it differs now from what you read.",
  staleSpaces: "Only spaces or line breaks differ.",
  resolvedTitle: (who: string | undefined, status: Status): string =>
    who === undefined
      ? `Not saved: the decision is now ${en.status[status].toLowerCase()}.`
      : `Not saved: ${who} settled this first.`,
  resolvedAnswer: (answer: string): string => `The answer is “${answer}”. `,
  resolvedText: "Reopen the decision to change it.",
  resolvedAgain: "The decision was closed first. It is open again, with a new draft.",
  refusedTitle: "Not saved.",
  added: "added",
  removed: "removed",
  choice: "Choice",
  blankValue: "nothing",

  snippet: (text: string): string => `Kept for you: “${text}”.`,
  putBack: "Put it back",
  drop: "Drop it",

  reasons,
  reason: (code: string): string =>
    (reasons as Record<string, string>)[code] ?? `It was refused: ${code}.`,
  editRefused: "That change was not made.",
  requestRefused: "That was not done.",
  addWhy: "Add a reason",
  editWhy: "Edit",
  why: "The reason, in one line",
  saveWhy: "Save reason",
  cancel: "Cancel",
  earlier: "Earlier: ",
  earlierItem: (answer: string, who: string, at: string): string => `${answer}, by ${who}, ${at}`,
  noAnswer: "no answer",
  keyboard: "Keyboard",
  discard: "Discard decision",
  discardMenu: "Discard decision…",
  discardAsk: "Set this decision aside?",
  discardText:
    "It cannot be reopened. Earlier saved answers stay in the history. The draft goes.",
  reopenAsk: "Reopen for everyone?",
  reopenText: "The answer moves to the history and a new, empty draft starts.",
  reopenYes: "Reopen for everyone",
  keepIt: "Keep it",

  help: [
    [["Arrows"], "Move"],
    [["Home", "End"], "First or last in the row"],
    [["Ctrl Home", "Ctrl End"], "First or last cell"],
    [["Space"], "Pick an option, or the next mark"],
    [["Enter"], "The next mark"],
    [["y", "p", "n"], "Yes, partly, no"],
    [["Delete"], "Clear a mark"],
    [["Ctrl Z"], "Undo your last change"],
    [["Esc"], "Leave the grid"],
  ] as ReadonlyArray<readonly [keys: readonly string[], act: string]>,

  /** What others did since the last announcement, in one sentence. */
  announce: (who: string[], did: { cells: number; choice: boolean; text: boolean }): string => {
    const acts = [
      ...(did.cells > 0
        ? [plural(did.cells, { one: "marked # cell", other: "marked # cells" })]
        : []),
      ...(did.choice ? ["changed the choice"] : []),
      ...(did.text ? ["changed the answer"] : []),
    ];
    return `${who.length > 0 ? list(who) : "Someone"} ${list(acts)}`;
  },
  announceSettled: (who: string): string => `Settled by ${who}`,

  notes: "Notes",
  addNote: "Add a note",
  copyLink: "Copy link",
  linkCopied: "The link is copied.",
  settledOn: (who: string, at: string): string => `by ${who}, ${at}`,

  lost: (n: number): string =>
    plural(n, { one: "# edit is gone", other: "# edits are gone" }) + " from this device.",
  toSave: (n: number): string => plural(n, { one: "# answer to save", other: "# answers to save" }),
  saveAll: (n: number): string => plural(n, { one: "Save", other: "Save # answers" }),
  staleAnswer: (question: string): string => `${quote(question)} was changed after you read it.`,
  heldAnswer: (question: string): string => `${quote(question)} needs you.`,
  blankAnswer: (question: string): string => `${quote(question)} has no answer yet.`,
  look: "Look at it",
};

/** The shape of a whole locale table. */
export type Strings = FirstStrings & typeof enMore;
