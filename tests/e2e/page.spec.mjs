/** The demo page around the cards: what it says of the address, the device and the connection. */
import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { launch } from "../lib/browser.mjs";
import { call, cli, op, root, startRelay, temporaryFolder } from "../lib/relay.mjs";
import { Person } from "./person.mjs";

const DECISIONS = "/v1/spaces/demo/decisions";

let folder, relay, browser, decision;

before(async () => {
  folder = await temporaryFolder();
  relay = await startRelay({ data: join(folder.path, "data"), web: join(root, "www/app/dist") });
  browser = await launch();
  const { body } = await call(relay.url, "POST", DECISIONS, {
    user: "cleo",
    body: {
      op: op(),
      header: "Workshop",
      question: "Where do we hold the summer workshop?",
      options: [{ label: "Barn" }, { label: "Library" }],
      criteria: [{ label: "Price" }],
    },
  });
  decision = body.id;
});

after(async () => {
  await browser?.close();
  await relay?.kill();
  await folder?.release();
});

async function visit(address) {
  const page = await browser.newPage();
  await page.goto(relay.url + address);
  return page;
}

test("an address that names no space or no person says so and opens nothing else", async () => {
  for (const [address, words] of [
    ["/#/my%20space!", /names the space “my space!”/],
    ["/?user=a%20b#/demo", /names the person “a b”/],
  ]) {
    const page = await visit(address);
    await page.locator("#notice").getByText(words).waitFor();
    assert.equal(await page.locator("decision-card").count(), 0);
    await page.close();
  }
});

test("B3.2 edits of another person that wait on this device are listed and not sent", async () => {
  const ana = await Person.sitDown(browser, relay, { name: "ana", decision });
  await ana.cable.cut();
  await ana.press("Barn", "Price", "y");
  await ana.press("Library", "Price", "n");
  await ana.card.getByText(/Saved on this device/).first().waitFor();
  await ana.page.close();
  await ana.cable.plug();
  const page = await ana.context.newPage();
  await page.goto(`${ana.cable.url}/?user=ben#/demo/${decision}`);
  await page
    .getByText("Ana has 2 edits waiting on this device. They are sent when Ana signs in.")
    .waitFor();
  const { body } = await call(relay.url, "GET", `${DECISIONS}/${decision}`, { user: "cleo" });
  assert.deepEqual(body.draft.content.marks, {});
  await ana.leave();
});

test("raising a decision without a connection keeps what was typed", async () => {
  const ana = await Person.sitDown(browser, relay, { name: "ana", decision });
  await ana.cable.cut();
  await ana.page.getByRole("button", { name: "Raise a decision" }).click();
  const field = ana.page.getByLabel("What do we need to decide?");
  await field.fill("Who cooks?");
  await ana.page.getByRole("button", { name: "Raise it" }).click();
  await ana.page.getByText("No connection. Your text is kept.").waitFor();
  assert.equal(await field.inputValue(), "Who cooks?");
  await ana.leave();
});

test("the repository's own decisions stand under a title of their own", async () => {
  const adr = join(root, "docs/adr");
  const files = (await readdir(adr)).filter((name) => /^\d{4}-.*\.md$/.test(name));
  const paths = files.map((name) => join(adr, name));
  const admin = { url: relay.url, user: "maintainers", role: "admin" };
  const alone = await cli(["import", ...paths], { ...admin, space: "built" });
  assert.equal(alone.code, 0, alone.stderr);
  const page = await visit("/#/built");
  await page.locator('decision-card[decision="adr-0001"]').waitFor();
  assert.deepEqual(await page.locator("#paper h1").allInnerTexts(), ["How Deem is built"]);
  await page.close();
});

test("a settled card that was loaded first can be reopened once the relay is reached", async () => {
  const ana = await Person.sitDown(browser, relay, { name: "ana", decision });
  await ana.pick("Barn");
  await ana.button("Save").click();
  await ana.button("Reopen").waitFor();
  await ana.cable.cut();
  await ana.card.locator('[part=reopen][aria-disabled="true"]').waitFor();
  await ana.cable.plug();
  await ana.card.locator("[part=reopen]:not([aria-disabled])").waitFor();
  await ana.page.reload();
  await ana.card.locator("[part=reopen]:not([aria-disabled])").waitFor();
  await ana.leave();
});
