/** B1: the hooks and components of `deem/react` in the example application, in React 19's StrictMode. */
import assert from "node:assert/strict";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { build } from "vite";
import { launch } from "../lib/browser.mjs";
import { Cable } from "../lib/cable.mjs";
import { call, cli, op, root, startRelay, temporaryFolder, until } from "../lib/relay.mjs";
import { pack, project } from "./project.mjs";

let folder, relay, browser;

before(async () => {
  folder = await temporaryFolder("deem-react-");
  const tarball = await pack(folder.path);
  const peers = ["react", "react-dom", "scheduler"];
  const path = await project(folder.path, "app", tarball, {}, peers);
  const example = join(root, "www/examples/react");
  for (const part of ["src", "index.html", "tsconfig.json"]) {
    await cp(join(example, part), join(path, part), { recursive: true });
  }
  // Development React: StrictMode mounts twice and says what it dislikes.
  await build({
    root: path,
    configFile: false,
    logLevel: "silent",
    mode: "development",
    define: { "process.env.NODE_ENV": '"development"' },
    build: { target: "es2022", minify: false },
  });
  relay = await startRelay({ data: join(folder.path, "data"), web: join(path, "dist") });
  browser = await launch();
});

after(async () => {
  await browser?.close();
  await relay?.kill();
  await folder?.release();
});

async function raise(space) {
  const { body } = await call(relay.url, "POST", `/v1/spaces/${space}/decisions`, {
    user: "cleo",
    body: {
      op: op(),
      header: "Workshop",
      question: "Where do we hold it?",
      options: [{ label: "Barn" }, { label: "Library" }],
      criteria: [{ label: "Price" }, { label: "Room" }],
    },
  });
  return body.id;
}

/** One person at the example; everything React or the page complains about is kept. */
async function visit(user, space, url = relay.url) {
  const context = await browser.newContext();
  const page = await context.newPage();
  const wrong = [];
  page.on("pageerror", (error) => wrong.push(error.message));
  page.on("console", (said) => {
    const refused = said.text().includes("ERR_CONNECTION");
    if (["error", "warning"].includes(said.type()) && !refused) wrong.push(said.text());
  });
  await page.goto(`${url}/?user=${user}&space=${space}`);
  const card = page.locator("decision-card");
  const hooks = page.getByRole("complementary", { name: "By hooks" });
  return { context, page, card, hooks, wrong };
}

test("B1 hooks and the card show and change one decision, for two people", async () => {
  const id = await raise("two");
  const ana = await visit("ana", "two");
  const ben = await visit("ben", "two");
  // By useMark, seen in the card here and by the hooks there.
  await ana.hooks.getByRole("button", { name: "Price: not marked" }).first().click();
  await ana.hooks.getByRole("button", { name: "Price: yes" }).waitFor();
  await ben.hooks.getByRole("button", { name: "Price: yes" }).waitFor();
  // By the card, seen by the hooks.
  await ben.card.locator('[data-label="Room"]').nth(1).focus();
  await ben.page.keyboard.press("p");
  await ana.hooks.getByRole("button", { name: "Room: partly" }).waitFor();
  // By useDraft, seen in the card there.
  await ana.hooks.getByRole("button", { name: "Barn", exact: true }).click();
  await ben.hooks.getByText("Chosen: Barn").waitFor();
  await ben.card.locator("input:checked").waitFor();
  // usePresence.
  await ana.hooks.getByText("Also here: ben").waitFor();
  // useSyncStatus.
  await ana.page.getByRole("status").getByText("Online, synced").first().waitFor();
  const { draft } = (await cli(["decision", "show", id, "--json"], { url: relay.url, space: "two" })).json();
  assert.deepEqual(Object.values(draft.content.marks).toSorted(), ["partly", "yes"]);
  assert.deepEqual([ana.wrong, ben.wrong], [[], []]);
  await ana.context.close();
  await ben.context.close();
});

test("B1 a decision that is raised is shown, listed and written by hand", async () => {
  const ana = await visit("ana", "raise");
  await ana.page.getByLabel("What is to be decided?").fill("What do we cook?");
  await ana.page.getByRole("button", { name: "Raise", exact: true }).click();
  await ana.page.getByRole("navigation").getByRole("button", { name: /What do we cook/ }).waitFor();
  await ana.card.getByRole("textbox").first().fill("Soup");
  await ana.page.getByRole("status").getByText("Online, synced").first().waitFor();
  assert.deepEqual(ana.wrong, []);
  await ana.context.close();
});

test("B1 StrictMode's second mount leaves nothing open: a card that goes away leaves its room", async () => {
  await raise("leave");
  await raise("leave");
  const ana = await visit("ana", "leave");
  const ben = await visit("ben", "leave");
  await ben.card.locator('[data-label="Room"]').first().focus();
  await ana.hooks.getByText("Also here: ben").waitFor();
  // Ben turns to the other decision: his presence goes from the first one.
  const other = ben.page.locator('nav li button[aria-pressed="false"]');
  await other.click();
  await until("Ben's leave", async () => !(await ana.hooks.innerText()).includes("Also here"));
  await ana.context.close();
  await ben.context.close();
});

test("B3.4 the status hook says what waits while the relay is gone", async () => {
  await raise("away");
  const cable = new Cable(relay.port);
  await cable.plug();
  const ana = await visit("ana", "away", cable.url);
  await ana.page.getByRole("status").getByText("Online, synced").first().waitFor();
  await cable.cut();
  await ana.page.getByRole("status").getByText("Offline").first().waitFor();
  await ana.hooks.getByRole("button", { name: "Price: not marked" }).first().click();
  await ana.page.getByRole("status").getByText("Offline, 1 waiting").first().waitFor();
  await cable.plug();
  await ana.page.getByRole("status").getByText("Online, synced").first().waitFor();
  assert.deepEqual(ana.wrong, []);
  await ana.context.close();
  await cable.cut();
});
