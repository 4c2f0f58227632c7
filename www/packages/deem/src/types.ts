/** The shapes that a host and the elements see. Words are those of docs/protocol.md. */

import type { Readable } from "./readable.js";

/** One judgement of an option against a criterion. */
export type Mark = "yes" | "partly" | "no";

/** Record status on the wire. */
export type Status = "open" | "settled" | "reopened" | "discarded" | "cancelled" | "expired";

/** A row: something that can be chosen. */
export interface OptionDef {
  /** Unique in the whole card. */
  id: string;
  /** 1 to 200 characters. */
  label: string;
  /** At most 1,000 characters; absent when empty. */
  description?: string;
}

/** A column: a quality that options are judged against. */
export interface Criterion {
  /** Unique in the whole card. */
  id: string;
  /** 1 to 40 characters. */
  label: string;
}

/** One question of a card. */
export interface Question {
  /** Unique in the whole card. */
  id: string;
  /** One line of at most 80 characters. */
  header: string;
  /** What is asked; at most 1,000 characters. */
  question: string;
  /** Shown under the question. */
  context?: string;
  /** Rows; empty on a written question. */
  options: OptionDef[];
  /** Whether any number of options may be picked. */
  multiple: boolean;
  /** Present on a written question. */
  response?: "text";
  /** Columns; absent where there are none. */
  criteria?: Criterion[];
  /** A host's dialog: shown exactly, without criteria and growth. */
  verbatim?: boolean;
}

/** What is asked. Frozen, except that rows and columns are appended. */
export interface Definition {
  /** One, or up to ten in the older shape. */
  questions: Question[];
}

/** `optionId/criterionId` to its mark; an unmarked cell has no key. */
export type Marks = Record<string, Mark>;

/** What was answered to one question: `chosen` or `text`, never both. */
export interface QuestionAnswer {
  /** Which question. */
  id: string;
  /** Its text, as it read. */
  question: string;
  /** Options as they read, in the order of the definition. */
  chosen?: { id: string; label: string }[];
  /** Own words. */
  text?: string;
  /** Absent when no cell is marked. */
  marks?: Marks;
  /** The chosen option was an untouched suggestion. */
  suggested?: boolean;
}

/** What a Save settled. */
export interface Answer {
  /** One per question. */
  answers: QuestionAnswer[];
}

/** A settled answer, also the shape of a history entry. Instants are RFC 3339 UTC. */
export interface Settled {
  /** Which generation it settled. */
  generation: number;
  /** The answer. */
  answer: Answer;
  /** All marks; absent when none. */
  marks?: Marks;
  /** Who pressed Save. */
  resolver: string;
  /** The relay's time of the commit. */
  at: string;
  /** The device's time, where the Save waited. */
  pressedAt?: string;
  /** One line of at most 300 characters. */
  why?: string;
  /** Its author; absent on an agent's draft. */
  whyBy?: string;
  /** What was on screen; absent where that is not known. */
  shown?: { options: string[]; criteria: string[] };
  /** An import made it from a file's saved answer. */
  imported?: boolean;
}

/** Where a row or column stands: defined, or a proposal with its verdict. */
export type RowState = "defined" | "pending" | "duplicate" | "full" | "key-spent" | "invalid";

/** A row or a column of the grid. */
export interface Row {
  /** Of the option or criterion. */
  id: string;
  /** The question it belongs to. */
  question: string;
  /** As it is shown. */
  label: string;
  /** Of an option. */
  description?: string;
  /** Defined, or the verdict on a proposal. */
  state: RowState;
  /** The id it duplicates. */
  of?: string;
}

/** The draft's part of one question. */
export interface QuestionDraft {
  /** Which side counts: the choices, or own words. */
  mode: "choices" | "custom";
  /** The single choice, an option's id. */
  single: string | null;
  /** Picked options of several. */
  picks: string[];
  /** Own words, or the written answer. */
  text: string;
}

/** B3.4, one word per state. */
export type SyncState =
  | "synced"
  | "device"
  | "sending"
  | "save-waiting"
  | "needs-you"
  | "cannot-store"
  | "not-stored"
  | "read-only"
  | "reload";

/** How far what a card shows has come. */
export interface CardSync {
  /** In one word. */
  state: SyncState;
  /** Edits that the relay has not acknowledged. */
  pending: number;
  /** Whether the relay is reached now. */
  online: boolean;
  /** What is wrong, in a code of codes.json, where `state` is not enough. */
  code?: string;
}

/** One line of a readable difference between the revision a save named and what is shown now. */
export interface Difference {
  /** What differs. */
  kind: "text" | "choice" | "pick" | "mark" | "label";
  /** Question, option or cell id. */
  where: string;
  /** A text, label or mark; null = nothing. */
  before: string | null;
  /** A text, label or mark; null = nothing. */
  after: string | null;
}

/** What became of this person's last Save here. */
export type SaveState =
  | { state: "none" }
  | { state: "waiting"; since: string }
  | { state: "old"; since: string }
  | {
      state: "stale";
      changed: { by: string; at: string; seq: number }[];
      difference: Difference[];
      /** What this person had read is not known any more: `changed` may lack earlier changes. */
      partial?: boolean;
    }
  | { state: "resolved"; status: Status; resolver?: string; at?: string; answer?: Answer }
  | { state: "refused"; code: string; reason?: string; question?: string; max?: number }
  | { state: "blocked" };

/** An edit that the relay refused or that could not be placed: visible and restorable. */
export interface Snippet {
  /** For `restoreSnippet` and `dropSnippet`. */
  id: string;
  /** Why it found no place, a code of codes.json. */
  code: string;
  /** What the edit would have set, in words: a text, a label or a mark. */
  text: string;
}

/** Somebody who works at a decision now, and where. */
export interface Presence {
  /** Their `sub`. */
  person: string;
  /** What they call themselves, else the `sub`. */
  name: string;
  /** Of their draft; one person may be there several times. */
  clientId: number;
  /** Whether it is this tab. */
  self: boolean;
  /** In which question. */
  question?: string;
  /** `optionId/criterionId` */
  cell?: string;
  /** In which field. */
  field?: string;
}

/** A cell that two people set at the same time (D12.2). */
export interface Contested {
  /** The row. */
  option: string;
  /** The column. */
  criterion: string;
  /** What the draft shows; `at` is RFC 3339 UTC. */
  stands: { mark: Mark | null; by: string; at: string; seq: number };
  /** What others said at the same time, newest last. */
  lost: { mark: Mark | null; by: string; at: string; seq: number }[];
}

/** D12.1: `option` is behind `behind`; changing `flip` would end that. */
export interface LensEntry {
  /** Which option. */
  option: string;
  /** The options it is behind. */
  behind: string[];
  /** Cells, as `optionId/criterionId`. */
  flip: string[];
}

/** Everything a card shows, in one read. */
export interface CardSnapshot {
  /** Of the decision. */
  id: string;
  /** Where the record stands. */
  status: Status;
  /** From 1; a reopened decision has the next. */
  generation: number;
  /** What is asked. */
  definition: Definition;
  /** Who raised it. */
  origin: "agent" | "conversation" | "human" | "workflow" | "import";
  /** The asker's `sub`. */
  owner: string;
  /** 64 hex digits: the displayed draft revision. Absent on closed decisions. */
  digest?: string;
  /** Per question id. */
  draft: Record<string, QuestionDraft>;
  /** Marked cells. */
  marks: Marks;
  /** Definition rows, then this draft's proposals. */
  rows: Row[];
  /** Criteria, then proposed ones. */
  columns: Row[];
  /** The standing suggestion. */
  suggested?: { id: string; label: string };
  /** The answer that stands. */
  settled?: Settled;
  /** Earlier answers, newest last. */
  history: Settled[];
  /** Cancelled: the asker's words. */
  reason?: string;
  /** How far this has come. */
  sync: CardSync;
  /** What became of this person's last Save here. */
  save: SaveState;
  /** Edits that found no place. */
  snippets: Snippet[];
  /** Who is here. */
  presence: Presence[];
  /** Cells that two people set at the same time. */
  contested: Contested[];
  /** Options that are behind another one. */
  lens: LensEntry[];
  /** Criteria on which all options have the same mark. */
  equal: string[];
  /** May this person edit and save here? */
  editable: boolean;
  /** Whether `undo` would do anything. */
  canUndo: boolean;
}

/** What every refusal and failure has. */
export interface DeemErrorShape {
  /** A code of codes.json, or `closed`. */
  code: string;
  /** One sentence for a person. */
  message: string;
  [value: string]: unknown;
}

/** One decision of an open space. Edits return nothing and notify once per transaction. */
export interface DecisionHandle {
  /** Of the decision. */
  readonly id: string;
  /** Undefined until the record is known on this device. The same object until something changed. */
  snapshot(): CardSnapshot | undefined;
  /** The `<Questionnaire>` projection (P8) of what is settled, for documents kept as Markdown. */
  questionnaire(): string | undefined;
  /** As plain HTML that reads without script; `readableHtml` makes text of each. */
  readable(): Readable[] | undefined;
  /** Calls `listener` after each transaction that changed what is shown; the result stops it. */
  subscribe(listener: () => void): () => void;
  /** Keeps the draft open and live while at least one opener holds it. */
  open(): () => void;
  /** Sets one cell, or clears it with null. */
  setMark(option: string, criterion: string, mark: Mark | null): void;
  /** Sets or clears the single choice of a question, by default of the first. */
  choose(option: string | null, question?: string): void;
  /** Sets or clears one pick of several. */
  pick(option: string, on: boolean): void;
  /** `mode` alone, without touching picks or text. */
  setMode(mode: "choices" | "custom", question?: string): void;
  /** The whole text the field shows now; `caret` in UTF-16 units places repeated letters. */
  setText(text: string, caret?: number, question?: string): void;
  /** Proposes a row. */
  appendOption(label: string, description?: string, question?: string): void;
  /** Proposes a column. */
  appendCriterion(label: string, question?: string): void;
  /** Claims the displayed revision. Waits offline. */
  save(): void;
  /** Takes a waiting Save back; throws `resolving` once it is with the relay. */
  takeBackSave(): void;
  /** Dismisses a stale, resolved or refused save state: "Keep editing". */
  dismissSave(): void;
  /** Makes an edit again that found no place. */
  restoreSnippet(id: string): void;
  /** Forgets it. */
  dropSnippet(id: string): void;
  /** Takes this tab's last edit back. */
  undo(): void;
  /** Makes it again. */
  redo(): void;
  /** Tells the others where this person is; null = nowhere. */
  setPresence(where: { question?: string; cell?: string; field?: string } | null): void;
  /** Opens a settled decision again. Needs the relay; rejects with a typed error while offline. */
  reopen(): Promise<void>;
  /** Sets the decision aside. Needs the relay. */
  discard(): Promise<void>;
  /** Withdraws it, in the asker's words. Needs the relay. */
  cancel(reason: string): Promise<void>;
  /** Says why, in one line; empty clears. Needs the relay. */
  setWhy(text: string): Promise<void>;
}

/** How far a space has come. */
export interface SpaceStatus {
  /** Of the card that needs most. */
  state: SyncState;
  /** Edits that the relay has not acknowledged. */
  pending: number;
  /** Whether the relay is reached now. */
  online: boolean;
  /** What is wrong, in a code of codes.json, where `state` is not enough. */
  code?: string;
  /** How many edits are gone, where the browser evicted the device's data. */
  lost?: number;
  /** Nothing is kept on this device, though it was to be: private mode, full, or damaged. */
  unkept?: true;
  /**
   * How often the engine failed and was started again from the device. What was being done in that
   * moment may be missing; everything that had been said to be saved is there.
   */
  restarts?: number;
  /** Edits of another person waiting on this device: never sent, only listed. */
  others: { person: string; rows: number }[];
}

/** One edit that waits on a device, for a person to read. */
export interface WaitingEdit {
  /** What it sets: `Barn / Price: yes`. */
  words: string;
  /** As `POST .../edit` takes it (docs/protocol.md). */
  edit?: Record<string, unknown>;
  /** Why it was set aside, where it was: a code of codes.json. */
  code?: string;
}

/** What waits of one decision. */
export interface WaitingDecision {
  /** Its id. */
  decision: string;
  /** Empty where the device does not know the decision. */
  header: string;
  /** What is asked. */
  question: string;
  /** Oldest first. */
  edits: WaitingEdit[];
  /** When a Save was pressed that has no outcome yet, RFC 3339 UTC. */
  savePressedAt?: string;
}

/** What another person left waiting on this device. */
export interface OthersWaiting {
  /** Their `sub`. */
  person: string;
  /** How many decisions it is about. */
  decisions: number;
  /** How many edits wait or were set aside. */
  edits: number;
}

/** An open space. */
export interface SpaceStore {
  /** Its name. */
  readonly space: string;
  /** Whose it is on this device. */
  readonly user: string;
  /** The handle of a decision; always the same object. */
  decision(id: string): DecisionHandle;
  /** Ids of known decisions, newest first. */
  decisions(): { id: string; status: Status; header: string; question: string }[];
  /** Raises a written decision (D7.5). */
  createDecision(question: string, context?: string): Promise<string>;
  /** Calls `listener` when anything of the space changed; the result stops it. */
  subscribe(listener: () => void): () => void;
  /** How far the space has come. */
  status(): SpaceStatus;
  /** What other people left waiting on this device: never sent in this person's name, or theirs. */
  othersWaiting(): Promise<OthersWaiting[]>;
  /**
   * What a person left waiting, as the text of a JSON file:
   * `{format: "deem waiting edits", version: 1, relay, space, person, exportedAt, decisions:
   * WaitingDecision[]}`. Rejects with `not-found` where nothing waits.
   */
  exportWaiting(person: string): Promise<string>;
  /**
   * Deletes what a person left waiting. Rejects with `resolving` while a tab of that person is
   * open here: it is sending them.
   */
  deleteWaiting(person: string): Promise<void>;
  /** Leaves the space; what waits stays on the device. */
  close(): Promise<void>;
}

/** What is used of a WebSocket. */
export interface SocketLike {
  /** Set to `arraybuffer`. */
  binaryType: string;
  /** Called when it is open. */
  onopen: ((event: never) => void) | null;
  /** Called with a frame. */
  onmessage: ((event: never) => void) | null;
  /** Called with `code` and `reason`. */
  onclose: ((event: never) => void) | null;
  /** Sends a frame. */
  send(data: string | Uint8Array<ArrayBuffer>): void;
  /** Closes it. */
  close(code?: number, reason?: string): void;
}

/** What `openSpace` takes. */
export interface OpenSpaceOptions {
  /** The relay, `http(s)://` or `ws(s)://`. */
  url: string;
  /** Its name. */
  space: string;
  /** One of `token` and `user` (under `--dev`). */
  token?: () => Promise<string>;
  /** Who, against a relay under `--dev`. */
  user?: string;
  /** `"memory"`: nothing is kept on the device. Default: IndexedDB. */
  storage?: "indexeddb" | "memory";
  /** Default: the platform's. Node has one since 22; before, give that of the package `ws`. */
  WebSocket?: new (url: string, protocols: string) => SocketLike;
  /** Where the wasm engine is; default: beside the module. */
  wasm?: URL | string | Response | BufferSource | WebAssembly.Module;
}
