/**
 * A `DecisionHandle` in memory, for the element tests only: it keeps a snapshot and edits it, with
 * no rules of its own.
 */
import { apply } from "../src/elements/text-change.js";
import { questionnaire } from "../src/questionnaire.js";
import { type Readable, readable } from "../src/readable.js";
import type {
  CardSnapshot,
  DecisionHandle,
  Mark,
  Presence,
  Question,
  QuestionDraft,
  Row,
} from "../src/types.js";

export type Part = Partial<Omit<CardSnapshot, "definition">> & { questions: Question[] };

const emptyDraft = (): QuestionDraft => ({ mode: "choices", single: null, picks: [], text: "" });

export function snapshotOf(part: Part): CardSnapshot {
  const { questions, ...rest } = part;
  const rows: Row[] = questions.flatMap((q) =>
    q.options.map((o) => ({
      id: o.id,
      question: q.id,
      label: o.label,
      ...(o.description ? { description: o.description } : {}),
      state: "defined" as const,
    })),
  );
  const columns: Row[] = questions.flatMap((q) =>
    (q.criteria ?? []).map((c) => ({
      id: c.id,
      question: q.id,
      label: c.label,
      state: "defined" as const,
    })),
  );
  return {
    id: "d1",
    status: "open",
    generation: 1,
    definition: { questions },
    origin: "human",
    owner: "ana",
    digest: "0".repeat(64),
    draft: Object.fromEntries(questions.map((q) => [q.id, emptyDraft()])),
    marks: {},
    rows,
    columns,
    history: [],
    sync: { state: "synced", pending: 0, online: true },
    save: { state: "none" },
    snippets: [],
    presence: [],
    contested: [],
    lens: [],
    equal: [],
    // As the engine has it: a closed card and one with a waiting save take no edits.
    editable:
      ["open", "reopened"].includes(part.status ?? "open") && part.save?.state !== "waiting",
    canUndo: false,
    ...rest,
  };
}

export class FixtureHandle implements DecisionHandle {
  readonly calls: unknown[][] = [];
  openers = 0;
  #snap: CardSnapshot;
  readonly #listeners = new Set<() => void>();
  readonly #past: CardSnapshot[] = [];
  #next = 1;

  constructor(snap: CardSnapshot) {
    this.#snap = snap;
  }

  get id(): string {
    return this.#snap.id;
  }

  /** A change from elsewhere. */
  set(part: Partial<CardSnapshot>): void {
    this.#snap = { ...this.#snap, ...part };
    for (const listener of [...this.#listeners]) listener();
  }

  snapshot(): CardSnapshot {
    return this.#snap;
  }

  questionnaire(): string {
    return questionnaire(this.snapshot());
  }

  readable(): Readable[] {
    return readable(this.snapshot());
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  open(): () => void {
    this.openers += 1;
    return () => {
      this.openers -= 1;
    };
  }

  #edit(call: unknown[], part: Partial<CardSnapshot>): void {
    this.calls.push(call);
    this.#past.push(this.#snap);
    this.set({ ...part, canUndo: true });
  }

  #draft(
    question: string | undefined,
    part: Partial<QuestionDraft>,
  ): Record<string, QuestionDraft> {
    const id = question ?? this.#snap.definition.questions[0]?.id ?? "";
    return { ...this.#snap.draft, [id]: { ...(this.#snap.draft[id] ?? emptyDraft()), ...part } };
  }

  setMark(option: string, criterion: string, mark: Mark | null): void {
    const marks = { ...this.#snap.marks };
    if (mark === null) delete marks[`${option}/${criterion}`];
    else marks[`${option}/${criterion}`] = mark;
    this.#edit(["setMark", option, criterion, mark], { marks });
  }

  choose(option: string | null, question?: string): void {
    this.#edit(["choose", option], {
      draft: this.#draft(question, { mode: "choices", single: option }),
    });
  }

  pick(option: string, on: boolean): void {
    const question = this.#snap.rows.find((row) => row.id === option)?.question;
    const picks = (this.#snap.draft[question ?? ""]?.picks ?? []).filter((id) => id !== option);
    this.#edit(["pick", option, on], {
      draft: this.#draft(question, { mode: "choices", picks: on ? [...picks, option] : picks }),
    });
  }

  setMode(mode: "choices" | "custom", question?: string): void {
    this.#edit(["setMode", mode], { draft: this.#draft(question, { mode }) });
  }

  setText(text: string, caret?: number, question?: string): void {
    this.#edit(["setText", text, caret], {
      draft: this.#draft(question, { mode: "custom", text }),
    });
  }

  /** Somebody else's text edit, at a place in the text. */
  remoteText(at: number, drop: number, put: string): void {
    const id = this.#snap.definition.questions[0]?.id ?? "";
    this.set({
      draft: this.#draft(id, { text: apply(this.#snap.draft[id]?.text ?? "", { at, drop, put }) }),
    });
  }

  appendOption(label: string, _description?: string, question?: string): void {
    const row: Row = {
      id: `new${this.#next++}`,
      question: question ?? "q1",
      label,
      state: "pending",
    };
    this.#edit(["appendOption", label], { rows: [...this.#snap.rows, row] });
  }

  appendCriterion(label: string, question?: string): void {
    if (label === "refuse me")
      throw Object.assign(new Error("refused"), { code: "invalid", reason: "character" });
    const row: Row = {
      id: `new${this.#next++}`,
      question: question ?? "q1",
      label,
      state: "pending",
    };
    this.#edit(["appendCriterion", label], { columns: [...this.#snap.columns, row] });
  }

  save(): void {
    this.calls.push(["save"]);
  }

  takeBackSave(): void {
    this.calls.push(["takeBackSave"]);
    this.set({ save: { state: "none" }, editable: true });
  }

  dismissSave(): void {
    this.calls.push(["dismissSave"]);
    this.set({ save: { state: "none" } });
  }

  restoreSnippet(id: string): void {
    this.calls.push(["restoreSnippet", id]);
  }

  dropSnippet(id: string): void {
    this.calls.push(["dropSnippet", id]);
    this.set({ snippets: this.#snap.snippets.filter((one) => one.id !== id) });
  }

  undo(): void {
    this.calls.push(["undo"]);
    const before = this.#past.pop();
    if (before) this.set(before);
  }

  redo(): void {
    this.calls.push(["redo"]);
  }

  readonly presences: unknown[] = [];

  setPresence(where: Pick<Presence, "question" | "cell" | "field"> | null): void {
    this.presences.push(where);
  }

  async reopen(): Promise<void> {
    this.calls.push(["reopen"]);
    const { settled } = this.#snap;
    this.set({
      status: "reopened",
      editable: true,
      generation: this.#snap.generation + 1,
      history: settled ? [...this.#snap.history, settled] : [],
    });
  }

  async discard(): Promise<void> {
    this.calls.push(["discard"]);
    this.set({ status: "discarded", editable: false });
  }

  async cancel(reason: string): Promise<void> {
    this.calls.push(["cancel", reason]);
    this.set({ status: "cancelled", reason });
  }

  async setWhy(text: string): Promise<void> {
    this.calls.push(["setWhy", text]);
    const { settled } = this.#snap;
    if (settled) this.set({ settled: { ...settled, why: text, whyBy: "ana" } });
  }
}
