/** The shapes that a host and the elements see. Words are those of docs/protocol.md. */

import type { Readable } from "./readable.js";

/** One judgement of an option against a criterion. */
export type Mark = "yes" | "partly" | "no";

/** Record status on the wire. */
export type Status = "open" | "settled" | "reopened" | "discarded" | "cancelled" | "expired";

export interface OptionDef {
  id: string;
  label: string;
  description?: string;
}

export interface Criterion {
  id: string;
  label: string;
}

export interface Question {
  id: string;
  header: string;
  question: string;
  context?: string;
  options: OptionDef[];
  multiple: boolean;
  /** Present on a written question. */
  response?: "text";
  criteria?: Criterion[];
  verbatim?: boolean;
}

export interface Definition {
  questions: Question[];
}

/** `optionId/criterionId` to its mark; an unmarked cell has no key. */
export type Marks = Record<string, Mark>;

export interface QuestionAnswer {
  id: string;
  question: string;
  chosen?: { id: string; label: string }[];
  text?: string;
  marks?: Marks;
  suggested?: boolean;
}

export interface Answer {
  answers: QuestionAnswer[];
}

/** A settled answer, also the shape of a history entry. Instants are RFC 3339 UTC. */
export interface Settled {
  generation: number;
  answer: Answer;
  marks?: Marks;
  resolver: string;
  at: string;
  pressedAt?: string;
  why?: string;
  whyBy?: string;
  shown?: { options: string[]; criteria: string[] };
  imported?: boolean;
}

/** Where a row or column stands: defined, or a proposal with its verdict. */
export type RowState = "defined" | "pending" | "duplicate" | "full" | "key-spent" | "invalid";

export interface Row {
  id: string;
  /** The question it belongs to. */
  question: string;
  label: string;
  description?: string;
  state: RowState;
  /** The id it duplicates. */
  of?: string;
}

/** The draft's part of one question. */
export interface QuestionDraft {
  mode: "choices" | "custom";
  single: string | null;
  picks: string[];
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

export interface CardSync {
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
  kind: "text" | "choice" | "pick" | "mark" | "label";
  /** Question, option or cell id. */
  where: string;
  before: string | null;
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
  id: string;
  code: string;
  /** What the edit would have set, in words: a text, a label or a mark. */
  text: string;
}

export interface Presence {
  person: string;
  name: string;
  clientId: number;
  self: boolean;
  question?: string;
  /** `optionId/criterionId` */
  cell?: string;
  field?: string;
}

export interface Contested {
  option: string;
  criterion: string;
  stands: { mark: Mark | null; by: string; at: string; seq: number };
  lost: { mark: Mark | null; by: string; at: string; seq: number }[];
}

/** D12.1: `option` is behind `behind`; changing `flip` would end that. */
export interface LensEntry {
  option: string;
  behind: string[];
  flip: string[];
}

/** Everything a card shows, in one read. */
export interface CardSnapshot {
  id: string;
  status: Status;
  generation: number;
  definition: Definition;
  origin: "agent" | "conversation" | "human" | "workflow" | "import";
  owner: string;
  /** 64 hex digits: the displayed draft revision. Absent on closed decisions. */
  digest?: string;
  /** Per question id. */
  draft: Record<string, QuestionDraft>;
  marks: Marks;
  /** Definition rows, then this draft's proposals. */
  rows: Row[];
  columns: Row[];
  suggested?: { id: string; label: string };
  settled?: Settled;
  history: Settled[];
  /** Cancelled: the asker's words. */
  reason?: string;
  sync: CardSync;
  save: SaveState;
  snippets: Snippet[];
  presence: Presence[];
  contested: Contested[];
  lens: LensEntry[];
  /** Criteria on which all options have the same mark. */
  equal: string[];
  /** May this person edit and save here? */
  editable: boolean;
  canUndo: boolean;
}

export interface DeemErrorShape {
  code: string;
  message: string;
  [value: string]: unknown;
}

/** One decision of an open space. Edits return nothing and notify once per transaction. */
export interface DecisionHandle {
  readonly id: string;
  /** Undefined until the record is known on this device. The same object until something changed. */
  snapshot(): CardSnapshot | undefined;
  /** The `<Questionnaire>` projection (P8) of what is settled, for documents kept as Markdown. */
  questionnaire(): string | undefined;
  /** As plain HTML that reads without script; `readableHtml` makes text of each. */
  readable(): Readable[] | undefined;
  subscribe(listener: () => void): () => void;
  /** Keeps the draft open and live while at least one opener holds it. */
  open(): () => void;
  setMark(option: string, criterion: string, mark: Mark | null): void;
  choose(option: string | null, question?: string): void;
  pick(option: string, on: boolean): void;
  /** `mode` alone, without touching picks or text. */
  setMode(mode: "choices" | "custom", question?: string): void;
  /** The whole text the field shows now; `caret` in UTF-16 units places repeated letters. */
  setText(text: string, caret?: number, question?: string): void;
  appendOption(label: string, description?: string, question?: string): void;
  appendCriterion(label: string, question?: string): void;
  /** Claims the displayed revision. Waits offline. */
  save(): void;
  takeBackSave(): void;
  /** Dismisses a stale, resolved or refused save state: "Keep editing". */
  dismissSave(): void;
  restoreSnippet(id: string): void;
  dropSnippet(id: string): void;
  undo(): void;
  redo(): void;
  setPresence(where: { question?: string; cell?: string; field?: string } | null): void;
  /** These need the relay; they reject with a typed error while offline. */
  reopen(): Promise<void>;
  discard(): Promise<void>;
  cancel(reason: string): Promise<void>;
  setWhy(text: string): Promise<void>;
}

export interface SpaceStatus {
  state: SyncState;
  pending: number;
  online: boolean;
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
  decision: string;
  /** Empty where the device does not know the decision. */
  header: string;
  question: string;
  /** Oldest first. */
  edits: WaitingEdit[];
  /** When a Save was pressed that has no outcome yet, RFC 3339 UTC. */
  savePressedAt?: string;
}

/** What another person left waiting on this device. */
export interface OthersWaiting {
  person: string;
  /** How many decisions it is about. */
  decisions: number;
  /** How many edits wait or were set aside. */
  edits: number;
}

export interface SpaceStore {
  readonly space: string;
  readonly user: string;
  decision(id: string): DecisionHandle;
  /** Ids of known decisions, newest first. */
  decisions(): { id: string; status: Status; header: string; question: string }[];
  /** Raises a written decision (D7.5). */
  createDecision(question: string, context?: string): Promise<string>;
  subscribe(listener: () => void): () => void;
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
  close(): Promise<void>;
}

/** What is used of a WebSocket. */
export interface SocketLike {
  binaryType: string;
  onopen: ((event: never) => void) | null;
  onmessage: ((event: never) => void) | null;
  onclose: ((event: never) => void) | null;
  send(data: string | Uint8Array<ArrayBuffer>): void;
  close(code?: number, reason?: string): void;
}

export interface OpenSpaceOptions {
  /** The relay, `http(s)://` or `ws(s)://`. */
  url: string;
  space: string;
  /** One of `token` and `user` (under `--dev`). */
  token?: () => Promise<string>;
  user?: string;
  /** `"memory"`: nothing is kept on the device. Default: IndexedDB. */
  storage?: "indexeddb" | "memory";
  /** Default: the platform's. Node has one since 22; before, give that of the package `ws`. */
  WebSocket?: new (url: string, protocols: string) => SocketLike;
  /** Where the wasm engine is; default: beside the module. */
  wasm?: URL | string | Response | BufferSource | WebAssembly.Module;
}
