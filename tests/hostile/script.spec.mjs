/**
 * Script in every text field that people and agents fill, through the running relay into the real
 * page: it is shown as it was written, and none of it becomes an element or runs.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { launch } from "../lib/browser.mjs";
import { call, cli, op, root, startRelay, temporaryFolder, until } from "../lib/relay.mjs";

/** A person's name holds no white space, so its script has none. */
const PERSON = "<img/src=x/onerror=window.__ran='person'>";
const script = (field) => `${field}"'><img src=x onerror=window.__ran='${field}'>`;
/** A criterion's label is short. */
const CRITERION = "<svg onload=window.__ran='c'>";
const LIST = "/v1/spaces/demo/decisions";

let folder;
let relay;
let browser;

before(async () => {
  folder = await temporaryFolder();
  relay = await startRelay({ data: join(folder.path, "data"), web: join(root, "www/app/dist") });
  browser = await launch();
});

after(async () => {
  await browser?.close();
  await relay?.kill();
  await folder?.release();
});

/** Under `--dev` a name goes into the query, where it may hold any letter. */
async function act(path, body, user = PERSON) {
  const address = `${LIST}${path}?user=${encodeURIComponent(user)}`;
  const response = await fetch(`${relay.url}${address}`, { method: "POST", body: JSON.stringify({ op: op(), ...body }) });
  const answer = await response.json();
  assert.ok(response.ok, `${path}: ${JSON.stringify(answer)}`);
  return answer;
}

const read = async (id) => (await call(relay.url, "GET", `${LIST}/${id}`, { user: "reader" })).body;

/** A matrix with script in all of its fields; settled, with a why, where `settle` says so. */
async function matrix(settle) {
  const opened = await act("", {
    header: script("header"),
    question: script("question"),
    context: script("context"),
    options: [{ label: script("label"), description: script("description") }, { label: "Plain" }],
    criteria: [{ label: CRITERION }],
  });
  const [question] = opened.definition.questions;
  const [option] = question.options;
  await act(`/${opened.id}/options`, { key: op(), label: script("appended"), description: script("appended-description") });
  const edits = [{ set: "mark", option: option.id, criterion: question.criteria[0].id, mark: "yes" },
    { set: "choice", option: option.id }];
  await act(`/${opened.id}/edit`, { edits });
  if (!settle) return opened.id;
  const { generation, draft } = await read(opened.id);
  await act(`/${opened.id}/save`, { generation, digest: draft.digest });
  await act(`/${opened.id}/why`, { text: script("why") });
  return opened.id;
}

/** Everything in the page and in its shadow trees: its text, and elements that came from the script. */
function look() {
  const texts = [];
  const foreign = [];
  const walk = (node) => {
    if (node.nodeType === Node.TEXT_NODE) texts.push(node.data);
    if (node instanceof HTMLInputElement || node instanceof HTMLTextAreaElement) texts.push(node.value);
    if (node instanceof Element) {
      for (const { name, value } of node.attributes) {
        if (/^on/.test(name)) foreign.push(`${node.localName} ${name}`);
        if (/^\s*(javascript|data):/i.test(value) && node.localName !== "link") foreign.push(`${node.localName} ${value}`);
      }
      if (node.localName === "img" || (node.localName === "script" && node.closest("main"))) foreign.push(node.outerHTML);
    }
    if (node.shadowRoot) walk(node.shadowRoot);
    for (const child of node.childNodes) walk(child);
  };
  walk(document);
  return { text: texts.join(" "), foreign, ran: window.__ran };
}

/** Opens the decision's page as `user` and waits until every one of `shown` stands there. */
async function visit(id, user, shown, prepare = async () => {}) {
  const context = await browser.newContext();
  const page = await context.newPage();
  const dialogs = [];
  page.on("dialog", (dialog) => {
    dialogs.push(dialog.message());
    return dialog.dismiss();
  });
  await page.goto(`${relay.url}/?user=${encodeURIComponent(user)}#/demo/${id}`);
  await page.locator("decision-card").first().waitFor();
  await prepare(page);
  const seen = await until(`${shown.join(", ")} on the page`, async () => {
    const now = await page.evaluate(look);
    return shown.every((text) => now.text.includes(text)) && now;
  });
  assert.deepEqual([seen.foreign, seen.ran, dialogs], [[], undefined, []]);
  return { page, context };
}

test("script in every text field of an open card is shown as written", async () => {
  const id = await matrix(false);
  const shown = ["header", "question", "context", "label", "description", "appended"].map(script);
  const one = await visit(id, "reader", [...shown, CRITERION]);
  // Somebody of that name is in a cell of the card.
  const other = await visit(id, PERSON, [script("question")]);
  await other.page.locator("decision-card").getByRole("gridcell").first().focus();
  const after_ = await one.page.evaluate(look);
  assert.deepEqual([after_.foreign, after_.ran], [[], undefined]);
  for (const { context } of [one, other]) await context.close();
});

test("script in a settled answer, its why and its person is shown as written, and so in history", async () => {
  const id = await matrix(true);
  const settled = await visit(id, "reader", [script("question"), script("label"), script("why"), PERSON]);
  await settled.context.close();
  await act(`/${id}/reopen`, {});
  const reopened = await visit(id, "reader", [script("question"), script("label")]);
  await reopened.context.close();
});

test("script in a written answer is shown as written", async () => {
  const { id } = await act("", { question: script("question"), response: "text" });
  await act(`/${id}/edit`, { edits: [{ set: "text", text: script("answer") }] });
  const open = await visit(id, "reader", [script("question"), script("answer")]);
  await open.context.close();
  const { generation, draft } = await read(id);
  await act(`/${id}/save`, { generation, digest: draft.digest });
  const settled = await visit(id, "reader", [script("answer"), PERSON]);
  await settled.context.close();
});

test("script in an answer of HTTP is JSON that no browser takes for a page", async () => {
  const id = await matrix(false);
  for (const path of [`${LIST}/${id}`, LIST, `${LIST}/%3Cscript%3E`, `/v1/${script("path")}`, "/v1/spaces/demo/log"]) {
    const answer = await fetch(`${relay.url}${path}`, { headers: { "x-deem-user": "reader" } });
    assert.match(answer.headers.get("content-type"), /^application\/json/, path);
    assert.equal(answer.headers.get("x-content-type-options"), "nosniff", path);
  }
});

test("escapes of a terminal in a text are printed as signs", async () => {
  const steer = "\u001b]0;owned\u0007\u001b[2Jtext";
  const refused = await call(relay.url, "POST", LIST, { user: "asker", body: { op: op(), question: steer } });
  assert.equal(refused.body.code, "invalid");
  const { id } = await act("", { question: "Written?", response: "text" });
  await act(`/${id}/edit`, { edits: [{ set: "text", text: "a\u202eb\u200bc" }] });
  const shown = await cli(["decision", "show", id], { url: relay.url, user: "reader", state: join(folder.path, "state") });
  assert.match(shown.stdout, /a<U\+202E>b<U\+200B>c/);
  assert.equal(/[\u001b\u0007\u202e\u200b]/.test(shown.stdout), false);
});
