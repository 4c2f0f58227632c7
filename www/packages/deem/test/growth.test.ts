/** `growth.json` through the rules of the built package: a relay reduced to two flags. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { decide, evolve, init } from "deem/testing";
import { refused, runTable } from "./support/tables.js";

before(() => init());

interface Step {
  append?: "option" | "criterion";
  event?: string;
  key?: string;
  label?: string;
  description?: string;
  by?: string;
  meanwhile?: string;
}

interface Input {
  card: {
    options: string[];
    criteria: string[];
    response?: string;
    verbatim?: boolean;
    suggestion?: number;
  };
  steps: Step[];
}

interface Entry {
  id: string;
  label: string;
}

interface Known {
  generation: number;
  definition: { questions: [{ id: string; options: Entry[]; criteria?: Entry[] }] };
  appended: [string, string, { id: string }][];
  suggested?: string;
}

class World {
  events: unknown[] = [];
  record: Known;
  saving = false;
  implementation = false;
  announced = 0;

  constructor(card: Input["card"]) {
    const opening = {
      id: "d7",
      origin: "agent",
      header: null,
      question: "How do we roll out?",
      context: null,
      answering: card.response === "text" ? "written" : "one",
      options: card.options.map((label) => [label, null]),
      criteria: card.criteria.length > 0 ? card.criteria : null,
      verbatim: card.verbatim === true,
      anchor: null,
    };
    const events = JSON.parse(
      decide(undefined, JSON.stringify({ open: opening }), this.#context("asker", "agent")),
    ) as unknown[];
    this.record = JSON.parse(evolve(undefined, JSON.stringify(events))) as Known;
    this.events.push(...events);
    if (card.suggestion !== undefined) {
      const option = this.#question.options[card.suggestion]?.id;
      this.#act("asker", "agent", { suggest: { generation: 1, option } });
    }
  }

  get #question(): Known["definition"]["questions"][0] {
    return this.record.definition.questions[0];
  }

  get options(): Entry[] {
    return this.#question.options;
  }

  get criteria(): Entry[] {
    return this.#question.criteria ?? [];
  }

  #context(person: string, role: string, draft: unknown = null): string {
    const { saving, implementation } = this;
    const now = "2026-11-30T10:02:11.000Z";
    return JSON.stringify({ now, actor: { person, role }, saving, implementation, draft });
  }

  #commit(events: unknown[]): void {
    this.record = JSON.parse(
      evolve(JSON.stringify(this.record), JSON.stringify(events)),
    ) as Known;
    this.events.push(...events);
  }

  #act(by: string, role: string, command: unknown, draft?: unknown): void {
    const context = this.#context(by, role, draft);
    const record = JSON.stringify(this.record);
    this.#commit(JSON.parse(decide(record, JSON.stringify(command), context)) as unknown[]);
  }

  happen(event: string): void {
    if (event === "save-begins") this.saving = true;
    else if (event === "save-fails") this.saving = false;
    else if (event === "save-commits") this.#save();
    else if (event === "reopen" || event === "discard") this.#act("ana", "writer", event);
    else if (event === "cancel") this.#act("asker", "agent", { cancel: { reason: "Moot" } });
    else if (event === "implementation-begins") this.implementation = true;
    else if (event === "implementation-ends") this.implementation = false;
    else if (event === "restart") {
      this.record = JSON.parse(evolve(undefined, JSON.stringify(this.events))) as Known;
    } else throw new Error(`no such event: ${event}`);
  }

  #save(): void {
    this.saving = false;
    const digest = "07".repeat(32);
    const question = this.#question.id;
    const questions = { [question]: { mode: "custom", single: null, text: "Done" } };
    const view = { questions, picks: [], marks: {}, proposals: [] };
    const save = { generation: this.record.generation, digest, shown: null, pressed_at: null };
    const now = { view, digest, content: null, changed: [], partial: false };
    this.#act("ana", "writer", { save }, now);
  }

  append(step: Step): unknown {
    const { append: kind, key, label, description, by, meanwhile } = step;
    const request = { question: null, kind, key, label, description: description ?? null };
    const command = JSON.stringify({ append: request });
    const judge = (): string =>
      decide(JSON.stringify(this.record), command, this.#context(by ?? "", "writer"));
    if (meanwhile !== undefined) {
      judge();
      this.happen(meanwhile);
    }
    const fault = refused(judge);
    if (fault?.["code"] === "duplicate") {
      return { refused: "duplicate", of: this.#indexOf(String(fault["of"])) };
    }
    if (fault) return { refused: fault["code"] };
    const events = JSON.parse(judge()) as unknown[];
    const repeated = events.length === 0;
    if (!repeated) this.announced += 1;
    this.#commit(events);
    const made = this.record.appended.find(([of, under]) => of === kind && under === key)?.[2];
    const at = this.#indexOf(made?.id ?? "");
    const list = kind === "option" ? this.options : this.criteria;
    const kept = { at, label: list[at]?.label };
    return repeated ? { ...kept, repeated: true } : kept;
  }

  #indexOf(id: string): number {
    const option = this.options.findIndex((entry) => entry.id === id);
    return option >= 0 ? option : this.criteria.findIndex((entry) => entry.id === id);
  }
}

test("D6.1 D6.2 D6.5 growth table", () => {
  runTable("growth", 55, (input: Input, expect: Record<string, unknown>) => {
    const world = new World(input.card);
    const outcomes: unknown[] = [];
    for (const step of input.steps) {
      if (step.event === undefined) outcomes.push(world.append(step));
      else world.happen(step.event);
    }
    const labels = (entries: Entry[]): string[] => entries.map((entry) => entry.label);
    assert.deepEqual(outcomes, expect["outcomes"]);
    assert.deepEqual(labels(world.options), expect["options"]);
    assert.deepEqual(labels(world.criteria), expect["criteria"]);
    assert.equal(world.announced, expect["announced"]);
    if ("suggestion" in expect) {
      const standing = world.options.findIndex((entry) => entry.id === world.record.suggested);
      assert.equal(standing < 0 ? null : standing, expect["suggestion"]);
    }
  });
});
