/**
 * Every word a card shows at first, in English; `en-more.ts` has those of what opens. Another
 * language is one table of both: loaded by the `lang` of the page (`index.ts`), or given to an
 * element as its `strings` property.
 */
import type { CardSync, Mark, RowState, Status } from "../types.js";
import { formats } from "./format.js";

const { number, list, plural, when, day } = formats("en-GB");
const quote = (label: string): string => `“${label}”`;

export const en = {
  lang: "en",
  dir: "ltr" as "ltr" | "rtl",

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
  matrix: "Options and criteria",
  ownWords: "Own words",
  keptText: (text: string): string => `Kept, not counted: ${text}`,
  kept: "kept, not counted",
  suggestedTag: "suggested",
  advice: (label: string): string => `Suggested: ${label}. It counts only if you save.`,
  answer: "Answer",
  answerIn: "Answer in your own words",
  count: (used: number, most: number): string => `${number(used)} of ${number(most)}`,
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
  mostOptions: (most: number): string => `${most} options are the most.`,
  mostCriteria: (most: number): string => `${most} criteria are the most.`,

  here: (names: string[]): string =>
    list(names) + plural(names.length, { one: " is here", other: " are here" }),
  more: (n: number): string => `+${n}`,

  quote,
  contestedTitle: (option: string, criterion: string): string => `${option}, ${criterion}`,
  contestedSaid: (who: string, mark: Mark | null): string =>
    mark === null ? `${who} cleared it` : `${who} said ${mark}`,
  contestedShort: (parts: string[], mark: Mark | null): string =>
    `${list(parts)}, at the same time; ${mark ?? "unmarked"} stands`,

  sync: (s: CardSync): string => {
    const waits = s.pending > 0 ? ` · ${number(s.pending)} to send` : "";
    if (s.state === "synced" && !s.online) return "Offline · nothing to send";
    // Away, the relay says nothing of its store; what waits is here.
    const state = s.state === "cannot-store" && !s.online ? "device" : s.state;
    const text = {
      synced: "Synced",
      device: `Saved on this device${waits}`,
      sending: "Sending",
      "save-waiting": "Save waiting",
      "needs-you": s.code === "forbidden" ? "No longer yours to edit" : "Needs you",
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
  nothingToSave: {
    picked: "Nothing is picked yet",
    written: "Nothing is written yet",
    own: "Own words are empty",
    several: "Not all is answered yet",
  },
  saveOnItsWay: "Your save is on its way",

  settledBy: (who: string, at: string): string => `${who}, ${at}`,
  pressed: (at: string): string => `pressed ${at}, before the connection came back`,
  imported: "imported",
  asSuggested: "as suggested",
  whyBy: (who: string): string => `Reason by ${who}`,
  whyDraft: "A drafted reason, not yet anyone’s words",
  withdrawnBecause: (reason: string): string => `Withdrawn: ${reason}`,

  reopen: "Reopen",
  needsConnection: "This needs a connection.",
  menu: "More",

  unsupported: {
    wasm: "This page does not allow WebAssembly, so the decision can be read here but not changed.",
    browser: "This browser is too old to change the decision here. It can be read.",
    failed: "The decision could not be opened here. This is how it was when the page was written.",
    unknown: "There is no such decision in this space, or it is not for you to see.",
    unreached: "Not connected, and this decision is not on this device yet. Trying again.",
  },

  list,
  when,
  day,
};

/** The shape of the table of what is seen at first. */
export type FirstStrings = typeof en;
