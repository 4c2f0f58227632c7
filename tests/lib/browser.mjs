/** Chromium for tests: found, not downloaded. */
import { existsSync } from "node:fs";
import { chromium } from "playwright-core";

/** What every browser of the tests is started with. */
export const flags = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** CHROMIUM, else Debian's, else Playwright's own. */
export function chromiumPath() {
  return [process.env.CHROMIUM, "/usr/bin/chromium", chromium.executablePath()].find(
    (path) => path && existsSync(path),
  );
}

/** A running browser; the caller closes it. */
export const launch = (options = {}) =>
  chromium.launch({ executablePath: chromiumPath(), args: flags, ...options });
