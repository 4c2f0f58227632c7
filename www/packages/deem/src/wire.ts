/**
 * What relay and engine send, generated from the Rust types by `cargo xtask types`.
 * Do not edit. Words and meaning: docs/protocol.md.
 */

/** Every code of a refusal (docs/protocol.md 9). */
export type Code =
  | "stale"
  | "invalid"
  | "duplicate"
  | "full"
  | "resolved"
  | "not-decided"
  | "resolving"
  | "implementation"
  | "draft-full"
  | "rate"
  | "unavailable"
  | "token-expired"
  | "malformed"
  | "unauthenticated"
  | "forbidden"
  | "not-found"
  | "too-large"
  | "op-reused"
  | "frozen"
  | "gap"
  | "order"
  | "tangled"
  | "forged"
  | "old-generation"
  | "old-epoch"
  | "ids-full"
  | "after-refusal"
  | "bad-update";

/** What an `invalid` is about. */
export type Reason =
  | "blank"
  | "too-long"
  | "too-short"
  | "pattern"
  | "character"
  | "unknown-option"
  | "unknown-criterion"
  | "not-a-choice"
  | "not-written"
  | "verbatim"
  | "no-criteria"
  | "empty-list"
  | "not-unique"
  | "unanswered"
  | "two-choices"
  | "key-spent"
  | "document-full";

/** Where a record stands; open means `open` or `reopened` (D4.9). */
export type Status = "open" | "settled" | "reopened" | "discarded" | "cancelled" | "expired";

/**
 * The questions of a card: one, or up to ten in the older shape (`D1.2`).
 *
 * On the wire `{questions: [{id, header, question, context?, options, multiple, response?,
 * criteria?, verbatim?}]}` (`P2`).
 */
export interface Definition {
  /** At least one. */
  questions: Question[];
}

export interface Question {
  id: string;
  header: string;
  question: string;
  context?: string;
  options: OptionDef[];
  multiple: boolean;
  response?: Response;
  criteria?: Criterion[];
  verbatim?: boolean;
}

export type Response = "text";

/** A row: something that can be chosen. */
export interface OptionDef {
  /** Unique in the whole card. */
  id: string;
  /** 1..=200 units. */
  label: string;
  /** 0..=1000 units; absent when empty. */
  description?: string;
}

/** A column: a named quality that options are judged against. */
export interface Criterion {
  /** Unique in the whole card, always strict (`D1.4`). */
  id: string;
  /** 1..=40 units. */
  label: string;
}

/** One judgement of an option against a criterion. */
export type Mark = "no" | "partly" | "yes";

/** Which side of a choice card counts (`D2.2`). */
export type Mode = "choices" | "custom";

/** The two kinds of row or column that a definition can grow by. */
export type Kind = "option" | "criterion";

/** What a Save settled: `{answers: [...]}`, in definition order. */
export interface Answer {
  /** One per question. */
  answers: QuestionAnswer[];
}

/** What was answered to one question: `{id, question, chosen? | text?, marks?, suggested?}` (`P8`). */
export interface QuestionAnswer {
  /** Which question. */
  id: string;
  /** Its text. */
  question: string;
  /** In definition order; exactly one of `chosen` and `text` is there. */
  chosen?: Chosen[];
  /** Trimmed. */
  text?: string;
  /** Absent when no cell is marked. */
  marks?: Record<string, Mark>;
  /** True when the chosen option was an untouched suggestion (`D3`). */
  suggested?: boolean;
}

/** A chosen option as it read when it was saved. */
export interface Chosen {
  /** Its id. */
  id: string;
  /** Its label. */
  label: string;
}

/** Who raised a card (`D7.6`); `import` for one that came from a file (`P9`). */
export type Origin = "agent" | "conversation" | "human" | "workflow" | "import";

/**
 * A settled answer with everything that was said of it: `{generation, answer, marks?, resolver,
 * at, pressedAt?, why?, whyBy?, shown?}` (`P8`). Also the shape of a history entry.
 */
export interface Settled {
  /** Which generation it settled. */
  generation: number;
  /** The answer. */
  answer: Answer;
  /** All marks of the answer; absent when none. */
  marks?: Record<string, Mark>;
  /** Who pressed Save. */
  resolver: string;
  /** The relay's time of the commit. */
  at: string;
  /** The device's time, where the save waited (`D4.8`). */
  pressedAt?: string;
  /** One line, 1..=300 units (`D5.4`). */
  why?: string;
  /** Its author; absent on an agent's draft; there without `why` where a person cleared it. */
  whyBy?: string;
  /** What was on screen; absent = unknown. */
  shown?: Shown;
  /** True on a record that an import made from a file's saved answer (`P9`). */
  imported?: boolean;
}

/** What a save says was on screen (`D6.4`). */
export interface Shown {
  /** Rows. */
  options: string[];
  /** Columns. */
  criteria: string[];
}

/** What a person's device held for a cancelled decision: never the answer (`D5.3`). */
export interface LateAnswer {
  /** Whose. */
  by: string;
  /** When the relay took it. */
  at: string;
  /** Of which generation. */
  generation: number;
  /** Unsaved text, or */
  text?: string;
  /** a whole answer. */
  answer?: Answer;
}

/** One committed fact of a decision; `kind` on the wire as in `P8`. */
export type Event =
  | { kind: "opened"; id: string; owner: string; origin: Origin; at: string; definition: Definition; anchor?: unknown }
  | { kind: "option-appended"; question: string; key: string; option: OptionDef }
  | { kind: "criterion-appended"; question: string; key: string; criterion: Criterion }
  | { kind: "suggested"; option: string }
  | { kind: "suggestion-cleared" }
  | ({ kind: "settled" } & Settled)
  | { kind: "reopened"; generation: number }
  | { kind: "discarded" }
  | { kind: "cancelled"; reason: string }
  | { kind: "expired" }
  | { kind: "why-set"; generation: number; text?: string; by: string }
  | { kind: "why-drafted"; generation: number; text: string }
  | ({ kind: "late-answer" } & LateAnswer)
  | { kind: "epoch-started"; generation: number; epoch: number };

/** Who moved a draft since a revision: one accepted update. */
export interface Change {
  /** Its author. */
  by: string;
  /** When the relay accepted it. */
  at: string;
  /** Its place in the generation. */
  seq: number;
}

/** `{id, label}` of a suggested option. */
export interface Suggested {
  /** Which option. */
  id: string;
  /** Its label. */
  label: string;
}

/** One readable difference: `{kind, where, before, after}`. */
export interface Difference {
  /** What differs. */
  kind: DifferenceKind;
  /** Question, option or cell id. */
  where: string;
  /** A text, label or mark; none = nothing. */
  before: string | null;
  /** A text, label or mark; none = nothing. */
  after: string | null;
}

/** What kind of thing differs between two contents. */
export type DifferenceKind = "text" | "choice" | "pick" | "mark" | "label";

/** A cell that two people set at the same time (`D12.2`): `{option, criterion, stands, lost}`. */
export interface Contested {
  /** The row. */
  option: string;
  /** The column. */
  criterion: string;
  /** What the draft shows. */
  stands: Said;
  /** What others said at the same time, newest last. */
  lost: Said[];
}

/** What lost or stands in a contested cell: `{mark, by, at, seq}` (`P8`). */
export interface Said {
  /** The mark; none where it was cleared. */
  mark: Mark | null;
  /** Who. */
  by: string;
  /** The relay's time. */
  at: string;
  /** Its update's place in the generation. */
  seq: number;
}

/** Everything a card shows, in one read. */
export interface CardSnapshot {
  id: string;
  status: Status;
  generation: number;
  definition: Definition;
  origin: Origin;
  owner: string;
  digest?: string;
  draft: Record<string, QuestionView>;
  marks: Record<string, Mark>;
  rows: RowView[];
  columns: RowView[];
  suggested?: Suggested;
  settled?: Settled;
  history: Settled[];
  reason?: string;
  sync: SyncView;
  save: SaveView;
  snippets: SnippetView[];
  presence: PresenceView[];
  contested: Contested[];
  lens: LensView[];
  equal: string[];
  editable: boolean;
  canUndo: boolean;
}

/** A row or column: defined, or proposed with its verdict. */
export interface RowView {
  id: string;
  question: string;
  label: string;
  description?: string;
  state: RowState;
  of?: string;
}

/** Where a row or column stands. */
export type RowState = "defined" | "pending" | "duplicate" | "full" | "key-spent" | "invalid";

/** The draft's part of one question. */
export interface QuestionView {
  mode: Mode;
  single: string | null;
  picks: string[];
  text: string;
}

/** How far what is shown has come. */
export interface SyncView {
  state: SyncState;
  pending: number;
  online: boolean;
  code?: string;
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

/** What became of this person's last Save here. */
export type SaveView =
  | { state: "none" }
  | { state: "waiting"; since: string }
  | { state: "old"; since: string }
  | { state: "stale"; changed: Change[]; difference: Difference[]; partial?: boolean }
  | { state: "resolved"; status: Status; resolver?: string; at?: string; answer?: Answer }
  | { state: "refused"; code: string; reason?: string; question?: string; max?: number }
  | { state: "blocked" };

/** An edit that found no place. */
export interface SnippetView {
  id: string;
  code: string;
  text: string;
}

/** Somebody in the card. */
export interface PresenceView extends Place {
  person: string;
  name: string;
  clientId: number;
  self: boolean;
}

/** `option` is behind `behind`; changing `flip` would end that (`D12.1`). */
export interface LensView {
  option: string;
  behind: string[];
  flip: string[];
}

/** One line of the list of decisions. */
export interface Listed {
  id: string;
  status: Status;
  header: string;
  question: string;
}

/** Somebody's place in the card. */
export interface Place {
  question?: string;
  cell?: string;
  field?: string;
}

/** One line of the log: `{commit, at, by, decision, events}` (`P8`). */
export interface LogEntry {
  commit: number;
  at: string;
  by: string;
  decision: string;
  events: Event[];
}

/** The answer to `hello`. */
export interface Welcome {
  /** The store's name (`P6`). */
  store: string;
  /** The relay's `NAME/VERSION`. */
  relay: string;
  /** In the order of the `hello`. */
  spaces: WelcomeSpace[];
  /** In the order of the `hello`. */
  ops: WelcomeOp[];
}

/** One space of a `welcome`. */
export interface WelcomeSpace {
  /** Which space. */
  space: string;
  /** Whether the socket follows it now. */
  ok: boolean;
  /** The last durable commit. */
  commit: number;
  /** Commits after `since`, in order. */
  missed?: LogEntry[];
  /** Too much was missed, or another store: ask for `records`. */
  resync?: boolean;
  /** Why not `ok`. */
  code?: string;
}

/** What became of an operation that a `hello` asked about. */
export interface WelcomeOp {
  /** Which. */
  op: string;
  /** `{ok: true, ...}` or `{ok: false, reason, ...}`: its reply without kind, rid and id. */
  outcome?: Record<string, unknown>;
  /** It never arrived, or its outcome was a passing one: send it again. */
  unknown?: boolean;
}

/** The body of a `join` or `rebase` reply that is `ok`. */
export interface Joined {
  /** The room's number, the same for every member until it is evicted. */
  room: number;
  /** Which generation this room is. */
  generation: number;
  /** Which document of it. */
  epoch: number;
  /** Of the last durable update. */
  seq: number;
  /** Yrs client id (decimal) -> person, of everybody who wrote in this document. */
  people: Record<string, string>;
  /**
   * Yrs client id (decimal) -> next clock, of the ids that were named; kept across epochs, so a
   * row whose ack was lost is told apart from one that never arrived.
   */
  clocks: Record<string, number>;
  /** Pending and refused proposals of this draft. */
  proposals: ProposalView[];
  /** Cells that two people set at the same time (`D12.2`). */
  contested?: Contested[];
  /** True if the draft takes no edits (an older generation, or settled). */
  readOnly?: boolean;
}

/** One proposal with its verdict. */
export interface ProposalView {
  kind: Kind;
  id: string;
  key: string;
  label: string;
  description?: string;
  by: string;
  verdict: Verdict;
  of?: string;
}

/** The relay's judgement of a proposal (`P8` `draft.proposals`). */
export type Verdict = "appended" | "pending" | "duplicate" | "full" | "invalid";

/** A card's meta (`P3`). */
export interface Meta {
  status: Status;
  generation: number;
  owner: string;
  origin: Origin;
  resolver?: string;
  at?: string;
  suggested?: string;
  marks?: Record<string, Mark>;
  why?: string;
  whyBy?: string;
  findings: unknown[];
  childId?: string;
  history: Settled[];
}

/** `ack {room, n, seq}` */
export interface Ack {
  room: number;
  n: number;
  seq: number;
}

/** `people {room, people}` */
export interface People {
  /** In which room. */
  room: number;
  /** Yrs client id (decimal) -> person. */
  people: Record<string, string>;
}

/** `verdicts {room, proposals}` */
export interface Verdicts {
  /** In which room. */
  room: number;
  /** Those judged now. */
  proposals: ProposalView[];
}

/** `contested {room, contested}` */
export interface ContestedCells {
  /** In which room. */
  room: number;
  /** As in `Joined`. */
  contested: Contested[];
}

/** `epoch {room, epoch}` */
export interface EpochMessage {
  /** Which room. */
  room: number;
  /** Its new epoch. */
  epoch: number;
}

/** Why a socket is closed. */
export type CloseCode =
  | 4400
  | 4401
  | 4403
  | 4404
  | 4410
  | 4413
  | 4422
  | 4423
  | 4426
  | 4503
  | 4508
  | 4529;

/** The text of a close: JSON, at most 123 bytes. */
export interface CloseReason {
  /** A code of `codes.json`, or the name of the close code. */
  code: string;
  /** When to come back. */
  retryAfterMs?: number;
}
