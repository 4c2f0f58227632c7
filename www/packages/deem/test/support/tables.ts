/** Runs the shared tables of `tests/fixtures/` through the built package. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

/** From dist-test/ in the package up to the repository, unless a run elsewhere says where. */
const FIXTURES =
  process.env["DEEM_FIXTURES"] ?? new URL("../../../../../tests/fixtures/", import.meta.url);

export interface Case<Input, Expect> {
  name: string;
  input: Input;
  expect: Expect;
}

/** A whole table, for what it holds beside its cases. */
export function readTable(name: string): { cases: Case<unknown, unknown>[] } {
  const file = new URL(`${name}.json`, FIXTURES);
  return JSON.parse(readFileSync(file, "utf8")) as { cases: Case<unknown, unknown>[] };
}

/** Every case of a table; `count` is how many there are, so that an emptied table fails. */
export function runTable<Input, Expect>(
  name: string,
  count: number,
  check: (input: Input, expect: Expect) => void,
): void {
  const table = readTable(name) as { cases: Case<Input, Expect>[] };
  const wrong: string[] = [];
  for (const one of table.cases) {
    try {
      check(one.input, one.expect);
    } catch (error) {
      wrong.push(`${one.name}: ${error instanceof Error ? error.message : JSON.stringify(error)}`);
    }
  }
  assert.deepEqual(wrong, []);
  assert.equal(table.cases.length, count, "every case of the table ran");
}

/** What a function of the package refused, as its typed object. */
export function refused(act: () => unknown): Record<string, unknown> | undefined {
  try {
    act();
    return undefined;
  } catch (error) {
    if (typeof error === "object" && error !== null && "code" in error) {
      return { ...error };
    }
    throw error;
  }
}
