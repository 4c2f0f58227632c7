/**
 * Every word a card shows, in English. Another language is another object of the same shape, given
 * to a card as its `strings` property.
 */
import type { CardSync, Mark, RowState, Status } from "../types.js";

const LOCALE = "en-GB";
const number = new Intl.NumberFormat(LOCALE);
const list = new Intl.ListFormat(LOCALE, { type: "conjunction" });
const quoted = (labels: string[]): string => list.format(labels.map((label) => `“${label}”`));
const plural = (n: number, one: string, many: string): string =>
  `${number.format(n)} ${n === 1 ? one : many}`;

/** What a refusal of a local edit or of a request means to the person; any other code is named. */
const REASONS: Record<string, string> = {
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
};

export const en = {
  status: {
    open: "Open",
    reopened: "Reopened",
    settled: "Settled",
    discarded: "Set aside",
    cancelled: "Withdrawn",
    expired: "Expired",
  } satisfies Record<Status, string>,

  marks: { yes: "yes", partly: "partly", no: "no" } satisfies Record<Mark, string>,
  unmarked: "not marked",

  option: "Option",
  options: "Options",
  matrix: "Options and criteria",
  ownWords: "Own words",
  keptText: (text: string): string => `Kept, not counted: ${text}`,
  kept: "kept, not counted",
  suggestedTag: "suggested",
  advice: (label: string): string => `Suggested: ${label}. It counts only if you save.`,
  answer: "Answer",
  answerIn: "Answer in your own words",
  count: (used: number, most: number): string => `${number.format(used)} of ${number.format(most)}`,
  rowState: {
    defined: "",
    pending: "not yet shared",
    duplicate: "already there",
    full: "no room",
    "key-spent": "refused",
    invalid: "refused",
  } satisfies Record<RowState, string>,
  addedUnseen: "added while this was being saved",

  addOption: "Add option",
  addCriterion: "Add criterion",
  optionHint: "Another option",
  criterionHint: "What matters here? For example, price",
  add: "Add",
  done: "Done",
  mostOptions: (most: number): string => `${most} options are the most.`,
  mostCriteria: (most: number): string => `${most} criteria are the most.`,
  duplicateRow: (label: string, of: string): string =>
    `“${label}” was not added: it is already here as ${of}.`,
  fullRow: (label: string, most: number): string =>
    `“${label}” was not added: there are already ${most}.`,
  refusedRow: (label: string): string => `“${label}” was not added.`,
  itsMarks: (marks: string): string => `You marked it: ${marks}.`,
  carry: (n: number, of: string): string => `Move ${plural(n, "mark", "marks")} to ${of}`,
  hide: "Hide",

  here: (names: string[]): string =>
    `${list.format(names)} ${names.length === 1 ? "is" : "are"} here`,
  more: (n: number): string => `+${n}`,

  quote: (label: string): string => `“${label}”`,
  behind: (options: string[], on: string[]): string =>
    on.length > 0
      ? ` is worse than ${quoted(options)} on ${quoted(on)}, and better on nothing.`
      : ` is better than ${quoted(options)} on nothing, and worse on something.`,
  flip: (cells: string[]): string =>
    ` Changing ${cells.length === 1 ? "one mark" : `${cells.length} marks`} would end that: ${list.format(cells)}.`,
  flipThere: " Changing that one mark would end it.",
  equal: (criteria: string[]): string => `All options are equal on ${quoted(criteria)}.`,

  contestedLabel: "Who said what",
  contestedTitle: (option: string, criterion: string): string => `${option}, ${criterion}`,
  contestedSaid: (who: string, mark: Mark | null): string =>
    mark === null ? `${who} cleared it` : `${who} said ${mark}`,
  contestedStands: (mark: Mark | null): string =>
    `At the same time. ${mark === null ? "Unmarked" : mark[0]?.toUpperCase() + mark.slice(1)} stands.`,
  contestedShort: (parts: string[], mark: Mark | null): string =>
    `${list.format(parts)}, at the same time; ${mark ?? "unmarked"} stands`,
  setTo: (mark: Mark | null): string => (mark === null ? "Clear it" : `Set to ${mark}`),

  sync: (s: CardSync): string => {
    const waits = s.pending > 0 ? ` · ${number.format(s.pending)} to send` : "";
    if (s.state === "synced" && !s.online) return "Offline · nothing to send";
    // Away, the relay says nothing of its store; what waits is here.
    const state = s.state === "cannot-store" && !s.online ? "device" : s.state;
    const text = {
      synced: "Synced",
      device: `Saved on this device${waits}`,
      sending: "Sending",
      "save-waiting": "Save waiting",
      "needs-you": "Needs you",
      "cannot-store": "Relay cannot store, kept here",
      "not-stored": "Not stored",
      "read-only": "Read-only copy",
      reload: "Reload to update",
    }[state];
    return s.online || s.state === "reload" ? text : `${text} · offline`;
  },

  save: "Save",
  saveShown: "Save what is shown now",
  saveNow: "Save it now",
  keepEditing: "Keep editing",
  takeBack: "Take back",
  close: "Close",
  nothingToSave: "Nothing to save yet",
  saveOnItsWay: "Your save is on its way",
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
    `Not saved: ${names.length > 0 ? list.format(names) : "someone"} changed the answer after you read it.`,
  staleNothing: "Nothing in it differs now from what you read.",
  staleSpaces: "Only spaces or line breaks differ.",
  resolvedTitle: (who: string | undefined, status: string): string =>
    who === undefined
      ? `Not saved: the decision is now ${status.toLowerCase()}.`
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

  reason: (code: string): string => REASONS[code] ?? `It was refused: ${code}.`,
  editRefused: "That change was not made.",
  requestRefused: "That was not done.",

  settledBy: (who: string, at: string): string => `${who}, ${at}`,
  pressed: (at: string): string => `pressed ${at}, before the connection came back`,
  imported: "imported",
  asSuggested: "as suggested",
  whyBy: (who: string): string => `Reason by ${who}`,
  whyDraft: "A drafted reason, not yet anyone’s words",
  addWhy: "Add a reason",
  editWhy: "Edit",
  why: "The reason, in one line",
  saveWhy: "Save reason",
  cancel: "Cancel",
  earlier: "Earlier: ",
  earlierItem: (answer: string, who: string, at: string): string => `${answer}, by ${who}, ${at}`,
  noAnswer: "no answer",
  withdrawnBecause: (reason: string): string => `Withdrawn: ${reason}`,

  reopen: "Reopen",
  needsConnection: "This needs a connection.",
  menu: "More",
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
    ["Arrows", "Move"],
    ["Home, End", "First or last in the row"],
    ["Ctrl Home, Ctrl End", "First or last cell"],
    ["Space", "Pick an option, or the next mark"],
    ["Enter", "The next mark"],
    ["y, p, n", "Yes, partly, no"],
    ["Delete", "Clear a mark"],
    ["Ctrl Z", "Undo your last change"],
    ["Esc", "Leave the grid"],
  ] as ReadonlyArray<readonly [string, string]>,

  announceMarks: (who: string | undefined, n: number): string =>
    who === undefined
      ? `${plural(n, "cell was", "cells were")} marked`
      : `${who} marked ${plural(n, "cell", "cells")}`,
  announceChoice: (who: string | undefined): string => `${who ?? "Someone"} changed the choice`,
  announceText: (who: string | undefined): string => `${who ?? "Someone"} changed the answer`,
  announceSettled: (who: string): string => `Settled by ${who}`,

  list: (items: string[]): string => list.format(items),
  /** An RFC 3339 instant as a person reads it, without the year where it is this one. */
  when: (at: string): string => {
    const date = new Date(at);
    if (Number.isNaN(date.getTime())) return at;
    const year =
      date.getFullYear() === new Date().getFullYear() ? {} : ({ year: "numeric" } as const);
    const day = date.toLocaleDateString(LOCALE, { day: "numeric", month: "short", ...year });
    return `${day} ${date.toLocaleTimeString(LOCALE, { hour: "2-digit", minute: "2-digit" })}`;
  },
};

/** The shape of a locale table. */
export type Strings = typeof en;
