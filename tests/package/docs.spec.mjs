/** B1: everything that an entry exports says what it is, and so does each of its members (TSDoc). */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { root } from "../lib/relay.mjs";

const PACKAGE = join(root, "www/packages/deem");

/** What the platform, React or Lexical names and describes. */
const KNOWN =
  /^(constructor|connectedCallback|disconnectedCallback|attributeChangedCallback|observedAttributes|formAssociated|free|\[Symbol\.dispose\]|createDOM|updateDOM|decorate|exportDOM|getTextContent|isInline)$/;

/** The declarations of a file by name: their lines, and whether a comment stands before them. */
function declarations(text) {
  const lines = text.split("\n");
  const found = new Map();
  for (const [at, line] of lines.entries()) {
    const head = /^(?:export )?(?:declare )?(?:abstract )?(class|interface|type|function|const|enum) (\w+)/.exec(line);
    if (!head) continue;
    const end = line.endsWith("{") ? lines.indexOf("}", at) : at;
    // Of an overload the first one is described.
    if (!found.has(head[2])) found.set(head[2], { kind: head[1], documented: isAfterComment(lines, at), body: lines.slice(at + 1, end) });
  }
  return found;
}

const isAfterComment = (lines, at) => lines[at - 1]?.trimEnd().endsWith("*/") ?? false;

/** Members of a class or interface without a comment. */
function bare(body) {
  const missing = new Set();
  const described = new Set();
  for (const [at, line] of body.entries()) {
    const member = /^ {4}(?!private|protected|#)(?:(?:static|readonly|abstract|get|set|accessor) )*(\[Symbol\.\w+\]|\w+)[?(:<;]/.exec(line);
    if (!member || KNOWN.test(member[1])) continue;
    if (isAfterComment(body, at)) described.add(member[1]);
    else missing.add(member[1]);
  }
  // A getter speaks for its setter.
  return [...missing].filter((name) => !described.has(name));
}

/** Names without a comment that can be reached from a `.d.ts`. */
async function undocumented(file, seen = new Set(), only) {
  const key = `${file} ${only ?? "*"}`;
  if (seen.has(key)) return [];
  seen.add(key);
  const text = await readFile(file, "utf8");
  const own = declarations(text);
  const found = [];
  const look = (name) => {
    const declared = own.get(name);
    if (!declared) return;
    if (!declared.documented) found.push(name);
    if (declared.kind === "class" || declared.kind === "interface") {
      for (const member of bare(declared.body)) found.push(`${name}.${member}`);
    }
  };
  const next = (from) => join(dirname(file), from.replace(/\.js$/, ".d.ts"));
  const isExported = (name) => only === undefined || name === only;
  for (const [, name] of text.matchAll(/^export (?:declare )?(?:abstract )?(?:class|interface|type|function|const|enum) (\w+)/gm)) {
    if (isExported(name)) look(name);
  }
  for (const [, list, from] of text.matchAll(/^export (?:type )?\{([^}]*)\}(?: from "(\.[^"]*)")?;/gm)) {
    for (const part of list.split(",").map((it) => it.trim().replace(/^type /, "")).filter(Boolean)) {
      const [name, alias = name] = part.split(" as ");
      if (!isExported(alias)) continue;
      if (from) found.push(...(await undocumented(next(from), seen, name)));
      else look(name);
    }
  }
  for (const [, from] of text.matchAll(/^export (?:type )?\*(?: as \w+)? from "(\.[^"]*)";/gm)) {
    found.push(...(await undocumented(next(from), seen, only)));
  }
  return found;
}

test("B1 everything public is described where it is declared", async () => {
  const { exports } = JSON.parse(await readFile(join(PACKAGE, "package.json"), "utf8"));
  const missing = {};
  for (const [entry, way] of Object.entries(exports)) {
    if (typeof way !== "object" || entry.endsWith(".wasm")) continue;
    const names = await undocumented(join(PACKAGE, way.types));
    if (names.length > 0) missing[entry] = [...new Set(names)].toSorted();
  }
  assert.deepEqual(missing, {}, JSON.stringify(missing, null, 1));
});

test("the check finds what is not described", () => {
  const found = declarations(
    "/** One. */\nexport interface A {\n    /** Said. */\n    one: string;\n    two?: number;\n    three(): void;\n}\nexport declare function f(): void;\n",
  );
  assert.deepEqual([found.get("A").documented, bare(found.get("A").body)], [true, ["two", "three"]]);
  assert.equal(found.get("f").documented, false);
});
