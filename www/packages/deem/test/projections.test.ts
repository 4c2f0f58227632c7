/** `projections.json` through the rules of the built package: written, read back, refused. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { init, readProjections, writeProjection } from "deem/testing";
import { refused, runTable } from "./support/tables.js";

before(() => init());

interface Input {
  projection?: unknown;
  text?: string[];
}

interface Expect {
  text?: string[];
  projections?: unknown[];
  error?: { line: number; column: number; what: string };
}

const joined = (lines: string[]): string => `${lines.join("\n")}\n`;
const read = (lines: string[]): unknown => JSON.parse(readProjections(joined(lines)));

test("D11.2 D1.2 projections table", () => {
  runTable("projections", 36, (input: Input, expect: Expect) => {
    if (input.projection !== undefined) {
      const lines = expect.text ?? [];
      assert.equal(writeProjection(JSON.stringify(input.projection)), joined(lines));
      assert.deepEqual(read(lines), [input.projection]);
      return;
    }
    const lines = input.text ?? [];
    if (expect.projections) {
      assert.deepEqual(read(lines), expect.projections);
      return;
    }
    const { code, line, column, what } = refused(() => read(lines)) ?? {};
    assert.equal(code, "malformed");
    assert.deepEqual([line, column], [expect.error?.line, expect.error?.column]);
    assert.ok(String(what).includes(expect.error?.what ?? "no error"), String(what));
  });
});
