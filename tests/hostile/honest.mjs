/**
 * Two honest people on a thread of their own, so that what is measured is the relay and not the
 * attacker's event loop: one marks, and it counts once the ack is there and the other sees the mark.
 */
import { setTimeout as pace } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { until } from "../lib/relay.mjs";
import { Link } from "../lib/socket.mjs";

const VALUES = ["yes", "partly", "no"];
/** Between two marks, ms: a quick hand, and far below the rate of edits. */
const PACE_MS = 5;

const { url, space, card, cells, hellos } = workerData;
const join = async (hello) => (await Link.open(url, { space, hello })).join(card);
const [una, tim] = await Promise.all(hellos.map(join));
let turn = 0;

/** How long the next mark's ack took, ms. */
async function mark() {
  turn += 1;
  const [one, other, first] = turn % 2 ? [una, tim, 0] : [tim, una, 5];
  const cell = cells[first + (turn % 5)];
  const value = VALUES[(VALUES.indexOf(one.marks.get(cell)) + 1) % VALUES.length];
  const began = performance.now();
  await one.ack(one.mark(cell, value));
  const took = performance.now() - began;
  await until("the mark at the other", () => other.marks.get(cell) === value);
  return took;
}

let over = true;

/** Marks until it is told to stop, or `count` times. */
async function run(count) {
  over = false;
  const took = [];
  try {
    while (!over && took.length < count) {
      took.push(await mark());
      await pace(PACE_MS);
    }
    parentPort.postMessage({ took });
  } catch (error) {
    parentPort.postMessage({ failed: `${error.message}` });
  }
}

parentPort.on("message", ({ count }) => {
  if (count === 0) over = true;
  else void run(count ?? Number.POSITIVE_INFINITY);
});
parentPort.postMessage({ ready: true });
