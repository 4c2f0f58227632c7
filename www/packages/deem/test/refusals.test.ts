/** `refusals.json` through the rules of the built package: every code, its values, the order. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { checkEdit, checkProposal, decide, evolve, init } from "deem/testing";
import { readTable, refused, runTable } from "./support/tables.js";

before(() => init());

interface Input {
  record: string | null;
  command?: unknown;
  context?: Record<string, unknown>;
  edit?: unknown;
  propose?: unknown;
  proposals?: unknown[];
}

interface Table {
  context: Record<string, unknown>;
  records: Record<string, unknown[]>;
}

/** Events where it is not refused; none for an edit, which is only checked. */
function judge(table: Table, input: Input): { kind: string }[] {
  const events = input.record === null ? undefined : table.records[input.record];
  const record = events && evolve(undefined, JSON.stringify(events));
  if (input.command !== undefined) {
    const context = JSON.stringify({ ...table.context, ...input.context });
    return JSON.parse(decide(record, JSON.stringify(input.command), context)) as { kind: string }[];
  }
  const { id, definition } = JSON.parse(record ?? "") as { id: string; definition: unknown };
  const on = [id, JSON.stringify(definition), JSON.stringify(input.proposals ?? [])] as const;
  if (input.edit !== undefined) checkEdit(...on, JSON.stringify(input.edit));
  else checkProposal(...on, JSON.stringify(input.propose));
  return [];
}

test("D1.5 D1.7 D2.4 D2.8 D3 D4.2 D4.3 D4.4 D4.9 D5 D6.1 D6.2 refusals table", () => {
  const table = readTable("refusals") as unknown as Table;
  runTable("refusals", 152, (input: Input, expect: Record<string, unknown>) => {
    let kinds: string[] = [];
    const fault = refused(() => {
      kinds = judge(table, input).map((event) => event.kind);
    });
    if (!fault) {
      assert.deepEqual({ events: kinds }, expect);
      return;
    }
    const { message, ...values } = fault;
    assert.equal(typeof message, "string");
    if (values["code"] === "malformed") values["path"] = String(values["path"]).split(": ")[0];
    assert.deepEqual(values, expect);
  });
});
