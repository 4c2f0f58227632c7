/**
 * The wasm engine's edit, whole path: one random mark in a 20 x 5 draft, checked, put into the
 * draft, encoded, made an outbox row and handed out. 10,000 of them, divided. Runs in Node and in a
 * page; Yjs beside it sets the same cells of a Y.Map and encodes each update.
 */
const OPTIONS = 20;
const CRITERIA = 5;
const BATCH = 10_000;
const VALUES = [null, "no", "partly", "yes"];

function entry() {
  const list = (n, of) => Array.from({ length: n }, (_, i) => ({ id: `${of}${i + 1}`, label: `${of} ${i + 1}` }));
  const question = { id: "q1", header: "Which", question: "Which one?", multiple: false };
  const definition = {
    questions: [{ ...question, options: list(OPTIONS, "o"), criteria: list(CRITERIA, "c") }],
  };
  const at = "2026-11-30T10:00:00.000Z";
  const opened = { kind: "opened", id: "d1", owner: "ada", origin: "human", at, definition };
  return { commit: 1, at, by: "ada", decision: "d1", events: [opened] };
}

/** Seeded, so that both sides do the same work. */
function dice(seed = 1) {
  let state = seed;
  return (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state >>> 8) % bound;
  };
}

function plan() {
  const roll = dice();
  return Array.from({ length: BATCH }, () => [
    `o${roll(OPTIONS) + 1}`,
    `c${roll(CRITERIA) + 1}`,
    roll(3) + 1,
  ]);
}

function deemRound(Engine) {
  const engine = new Engine(JSON.stringify({ space: "s", person: "ada", user: "ada", tab: "tab-of-the-bench-00001" }));
  engine.clock(0, 0);
  engine.storage("memory");
  engine.loaded();
  engine.leading(1);
  engine.socketOpened();
  const space = { space: "s", ok: true, commit: 1, missed: [entry()] };
  engine.socketText(JSON.stringify({ kind: "welcome", store: "st", relay: "b/1", spaces: [space], ops: [] }));
  engine.open("d1");
  engine.drain();
  const marks = plan();
  const start = performance.now();
  let bytes = 0;
  for (const [option, criterion, value] of marks) {
    engine.setMark("d1", option, criterion, value);
    bytes += engine.drain().length;
  }
  const ms = performance.now() - start;
  const set = engine.matrix("d1").filter((cell) => cell > 0).length;
  engine.free();
  if (set !== OPTIONS * CRITERIA || bytes === 0) throw new Error(`the engine marked ${set} cells`);
  return (ms * 1000) / BATCH;
}

function yjsRound(Y) {
  const doc = new Y.Doc();
  const map = doc.getMap("marks");
  let bytes = 0;
  doc.on("update", (update) => {
    bytes += update.length;
  });
  const marks = plan();
  const start = performance.now();
  for (const [option, criterion, value] of marks) map.set(`${option}/${criterion}`, VALUES[value]);
  const ms = performance.now() - start;
  if (bytes === 0) throw new Error("Yjs wrote nothing");
  return (ms * 1000) / BATCH;
}

const median = (list) => list.toSorted((a, b) => a - b)[list.length >> 1];

/** Microseconds an edit, medians of `rounds` after two to warm up. */
export function measure(Engine, Y, rounds = 7) {
  const run = (once) => {
    once();
    once();
    return median(Array.from({ length: rounds }, once));
  };
  return { deem: run(() => deemRound(Engine)), yjs: run(() => yjsRound(Y)) };
}
