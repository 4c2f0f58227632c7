/** A card that has nothing to show says why, and shows itself once it can. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { launch } from "../lib/browser.mjs";
import { Cable } from "../lib/cable.mjs";
import { startRelay, temporaryFolder } from "../lib/relay.mjs";
import { openMatrix, webFolder } from "./device-page.mjs";

/** `host` gives the page; the card is of `relay`, which lets pages of that host in. */
let folder, host, relay, browser;

before(async () => {
  folder = await temporaryFolder();
  const web = await webFolder(folder.path);
  host = await startRelay({ data: join(folder.path, "host"), web });
  relay = await startRelay({ data: join(folder.path, "data"), extra: ["--origin", host.url] });
  browser = await launch();
});

after(async () => {
  await browser?.close();
  await relay?.kill();
  await host?.kill();
  await folder?.release();
});

/** A page with a card of `decision` from the relay at `url`. */
async function open(decision, url) {
  const page = await browser.newPage();
  await page.goto(`${host.url}/?user=ada&relay=${url}#/demo/${decision}`);
  return page;
}

test("B3.4 a decision that is not there is said to be none", async () => {
  const page = await open("d-nobody-opened-it", relay.url);
  await page.getByText("There is no such decision in this space").waitFor();
});

test("B3.4 a relay that is not reached is said, and the card comes with it", async () => {
  const decision = await openMatrix(relay, 2, 2);
  const cable = new Cable(relay.port);
  await cable.plug();
  const { url } = cable;
  await cable.cut();
  const page = await open(decision, url);
  const reason = page.getByText("Not connected, and this decision is not on this device yet");
  await reason.waitFor();
  await cable.plug();
  await page.getByRole("grid").waitFor();
  assert.equal(await reason.isVisible(), false);
  await cable.cut();
});
