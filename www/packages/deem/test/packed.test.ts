/** The tables once more, through what `npm pack` would publish and nothing beside it. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const TABLES = ["growth", "projections", "refusals", "tables"];

let folder: string;

before(() => {
  folder = mkdtempSync(join(tmpdir(), "deem-packed-"));
});

after(() => rmSync(folder, { recursive: true, force: true }));

/** Packs the package and unpacks it where an application would have it installed. */
function install(): string {
  const to = ["--silent", "--offline", "--ignore-scripts", "--pack-destination", folder];
  const packed = execFileSync("npm", ["pack", ...to], { cwd: join(here, ".."), encoding: "utf8" });
  execFileSync("tar", ["-xzf", join(folder, packed.trim()), "-C", folder]);
  const installed = join(folder, "node_modules", "deem");
  mkdirSync(join(folder, "node_modules"));
  writeFileSync(join(folder, "package.json"), '{"private": true, "type": "module"}\n');
  renameSync(join(folder, "package"), installed);
  return installed;
}

test("D1.5 D4.5 D6.2 D11.2 D12.1 the packed package runs every table", () => {
  const installed = install();
  assert.ok(!existsSync(join(installed, "test")), "tests are not published");
  for (const part of ["support", ...TABLES.map((name) => `${name}.test.js`)])
    cpSync(join(here, part), join(folder, "run", part), { recursive: true });
  const files = TABLES.map((name) => join(folder, "run", `${name}.test.js`));
  const fixtures = new URL("../../../../tests/fixtures/", import.meta.url).href;
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const told = execFileSync(process.execPath, ["--test", "--test-reporter=tap", ...files], {
    cwd: folder,
    env: { ...env, DEEM_FIXTURES: fixtures },
    encoding: "utf8",
  });
  // Folding, lengths, answers, matrix, content; growth; projections; refusals.
  assert.match(told, /^# pass 8$/m);
  assert.match(told, /^# fail 0$/m);
});
