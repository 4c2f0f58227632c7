/** Runs the shared tables of `tests/fixtures/` through the built package. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

export interface Case<Input, Expect> {
  name: string;
  input: Input;
  expect: Expect;
}

/** Every case of a table; `count` is how many there are, so that an emptied table fails. */
export function runTable<Input, Expect>(
  name: string,
  count: number,
  check: (input: Input, expect: Expect) => void,
): void {
  // From dist-test/ in the package up to the repository.
  const file = new URL(`../../../../../tests/fixtures/${name}.json`, import.meta.url);
  const table = JSON.parse(readFileSync(file, "utf8")) as { cases: Case<Input, Expect>[] };
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
