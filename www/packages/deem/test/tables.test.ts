/** The shared tables, from TypeScript through the built package: no second implementation. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import {
  checkField,
  contentDigest,
  deriveAnswer,
  foldLabel,
  init,
  readMatrix,
} from "deem/testing";
import { refused, runTable } from "./support/tables.js";

before(() => init());

interface FoldingInput {
  label?: string;
  pair?: [string, string];
}

test("D1.5 D1.6 folding table", () => {
  runTable("folding", 62, (input: FoldingInput, expect: Record<string, unknown>) => {
    if (input.pair) {
      const [one, two] = input.pair;
      assert.equal(foldLabel(one) === foldLabel(two), expect["same"]);
      return;
    }
    const label = input.label ?? "";
    const fault = refused(() => foldLabel(label));
    if (fault) {
      assert.equal(fault["fault"], expect["refused"]);
      return;
    }
    assert.equal(foldLabel(label), expect["folded"]);
    assert.equal(foldLabel(foldLabel(label)), expect["folded"]);
  });
});

interface LengthInput {
  field: string;
  from: string;
  text: [string, number][];
}

test("D1.1 D1.3 D1.4 D5.4 D6.2 lengths table", () => {
  runTable("lengths", 60, (input: LengthInput, expect: Record<string, unknown>) => {
    const text = input.text.map(([piece, times]) => piece.repeat(times)).join("");
    const check = (): string => checkField(input.field, input.from === "stored", text);
    const fault = refused(check);
    if (fault) {
      assert.equal(fault["reason"], expect["refused"]);
      return;
    }
    const kept = check();
    if (input.field === "why" && kept === "") assert.equal(expect["clears"], true);
    else assert.equal(kept.length, expect["units"]);
  });
});

type Pair = [id: string, label: string];
const named = (pairs: Pair[]): { id: string; label: string }[] =>
  pairs.map(([id, label]) => ({ id, label }));

interface AnswersInput {
  questions: ({ id: string; options?: Pair[]; criteria?: Pair[] } & Record<string, unknown>)[];
  drafts?: Record<
    string,
    {
      mode?: string;
      single?: string | null;
      text?: string;
      picks?: Record<string, boolean>;
      marks?: Record<string, string | null>;
    }
  >;
  suggestion?: string;
}

interface Answered {
  id: string;
  question: string;
  chosen?: { id: string; label: string }[];
}

test("D4.3 D4.5 D2.2 D2.3 D3 answers table", () => {
  runTable("answers", 51, (input: AnswersInput, expect: Record<string, unknown>) => {
    const questions = input.questions.map(({ options, criteria, ...rest }) => ({
      ...rest,
      header: "Header",
      options: named(options ?? []),
      ...(criteria ? { criteria: named(criteria) } : {}),
    }));
    const view = { questions: {} as Record<string, unknown>, picks: [] as string[], marks: {} };
    for (const [id, draft] of Object.entries(input.drafts ?? {})) {
      view.questions[id] = {
        mode: draft.mode ?? "choices",
        single: draft.single ?? null,
        text: draft.text ?? "",
      };
      for (const [option, on] of Object.entries(draft.picks ?? {})) if (on) view.picks.push(option);
      const set = Object.entries(draft.marks ?? {}).filter(([, mark]) => mark !== null);
      Object.assign(view.marks, Object.fromEntries(set));
    }
    const derive = (): string =>
      deriveAnswer(JSON.stringify({ questions }), JSON.stringify(view), input.suggestion);
    const fault = refused(derive);
    if (fault) {
      assert.equal(fault["code"], expect["refused"]);
      assert.equal(fault["question"], expect["of"]);
      return;
    }
    const { answers } = JSON.parse(derive()) as { answers: Answered[] };
    const listed = answers.map(({ chosen, ...rest }) =>
      chosen ? { ...rest, chosen: chosen.map(({ id, label }) => [id, label]) } : rest,
    );
    assert.deepEqual(listed, expect["answers"]);
  });
});

interface MatrixInput {
  options: string[];
  criteria: string[];
  marks: Record<string, string>;
}

interface MatrixExpect {
  equal: string[];
  dominated: Record<string, string[]>;
  flips: Record<string, { sets: string[][] }>;
  smallest: number | null;
}

interface Reading {
  equal: string[];
  dominated: { option: string; by: string[]; flips: { cell: string; to: string }[] }[];
}

test("D12.1 matrix table", () => {
  const read = (input: MatrixInput): Reading =>
    JSON.parse(
      readMatrix(
        JSON.stringify(input.options),
        JSON.stringify(input.criteria),
        JSON.stringify(input.marks),
      ),
    ) as Reading;
  runTable("matrix", 38, (input: MatrixInput, expect: MatrixExpect) => {
    const reading = read(input);
    assert.deepEqual(reading.equal, expect.equal);
    const dominated = Object.fromEntries(reading.dominated.map(({ option, by }) => [option, by]));
    assert.deepEqual(dominated, expect.dominated);
    for (const { option, flips } of reading.dominated) {
      const set = flips.map((flip) => flip.cell);
      const listed = (expect.flips[option]?.sets ?? []).map((cells) => cells.join(" "));
      assert.ok(listed.includes(set.join(" ")), `${option}: ${set.join(" ")}`);
      const marks = { ...input.marks };
      for (const { cell, to } of flips) {
        assert.notEqual(marks[cell] ?? to, to, "a flip swaps a mark");
        marks[cell] = to;
      }
      const again = read({ ...input, marks });
      assert.ok(again.dominated.every((other) => other.option !== option));
    }
    const sizes = reading.dominated.map((found) => found.flips.length);
    assert.equal(sizes.length === 0 ? null : Math.min(...sizes), expect.smallest);
  });
});

interface ContentInput {
  decision: string;
  generation: number;
  definition: unknown;
  draft: unknown;
  suggested?: string;
  own?: unknown[];
}

test("D4.2 D6.4 content table: canonical form and digest", () => {
  runTable("content", 34, (input: ContentInput, expect: { canonical: string; digest: string }) => {
    const read = contentDigest(
      input.decision,
      input.generation,
      JSON.stringify(input.definition),
      JSON.stringify(input.draft),
      input.suggested,
      JSON.stringify(input.own ?? []),
    ) as { content: string; digest: string };
    assert.equal(read.content, expect.canonical);
    assert.equal(read.digest, expect.digest);
  });
});
