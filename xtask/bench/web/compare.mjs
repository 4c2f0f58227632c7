/**
 * The engine beside Yjs and ywasm on the same work, in Node and in a page. Each round makes fresh
 * documents; figures are medians of the rounds, in microseconds of one operation. The engine's are
 * whole paths: checked, put into the draft, encoded, made an outbox row, handed out; received
 * through the gate, kept, and shown.
 */
const OPTIONS = 20;
const CRITERIA = 5;
const MARKS = 10_000;
const LETTERS = 1_500;
const DRAFTS = 1_000;
const MARKS_PER_DRAFT = 10;
const VALUES = [null, "no", "partly", "yes"];
const ROOM = 1;

function entry(decision, commit) {
  const list = (n, of) => Array.from({ length: n }, (_, i) => ({ id: `${of}${i + 1}`, label: `${of} ${i + 1}` }));
  const question = { id: "q1", header: "Which", question: "Which one?", multiple: false };
  const definition = {
    questions: [{ ...question, options: list(OPTIONS, "o"), criteria: list(CRITERIA, "c") }],
  };
  const at = "2026-11-30T10:00:00.000Z";
  const opened = { kind: "opened", id: decision, owner: "ada", origin: "human", at, definition };
  return { commit, at, by: "ada", decision, events: [opened] };
}

/** Seeded, so that every side does the same work. */
function dice(seed = 1) {
  let state = seed;
  return (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state >>> 8) % bound;
  };
}

function plan(count) {
  const roll = dice();
  return Array.from({ length: count }, () => [
    `o${roll(OPTIONS) + 1}`,
    `c${roll(CRITERIA) + 1}`,
    roll(3) + 1,
  ]);
}

const PLAN = plan(MARKS);
const TEXT = Array.from({ length: LETTERS }, (_, at) => "a sentence to be typed ".charAt(at % 23)).join("");

/** Splits a batch of outputs: `op u8, parts u8`, then `length u32 little-endian, bytes` each. */
function* outputs(batch) {
  const view = new DataView(batch.buffer, batch.byteOffset, batch.byteLength);
  let at = 0;
  while (at < batch.byteLength) {
    const [op, count] = [view.getUint8(at), view.getUint8(at + 1)];
    at += 2;
    const parts = [];
    for (let part = 0; part < count; part += 1) {
      const length = view.getUint32(at, true);
      parts.push(batch.subarray(at + 4, at + 4 + length));
      at += 4 + length;
    }
    yield { op, parts };
  }
}

const SEND_BINARY = 1;
const SEND_TEXT = 2;
const PUT = 3;
const REMOVE = 4;

/** An engine that leads, welcomed by a relay that knows the decisions. */
function engineOf(Engine, decisions, person = "ada") {
  const engine = new Engine(JSON.stringify({ space: "s", person, user: person, tab: `tab-of-${person}-0000000000000` }));
  engine.clock(0, 0);
  engine.storage("memory");
  engine.loaded();
  engine.leading(1);
  engine.socketOpened();
  const missed = decisions.map((decision, at) => entry(decision, at + 1));
  const space = { space: "s", ok: true, commit: missed.length, missed };
  engine.socketText(JSON.stringify({ kind: "welcome", store: "st", relay: "b/1", spaces: [space], ops: [] }));
  return engine;
}

/** Joins the room of `d1`, empty at the relay; returns what the device was given. */
function join(engine, device) {
  engine.open("d1");
  const note = ({ op, parts }) => {
    const text = (part) => new TextDecoder().decode(part);
    if (op === PUT) device.set(`${text(parts[0])} ${text(parts[1])}`, parts[2].slice());
    if (op === REMOVE) device.delete(`${text(parts[0])} ${text(parts[1])}`);
  };
  for (const { op, parts } of outputs(engine.drain())) {
    note({ op, parts });
    if (op !== SEND_TEXT) continue;
    const { kind, rid } = JSON.parse(new TextDecoder().decode(parts[0]));
    if (kind !== "join") continue;
    const room = { room: ROOM, generation: 1, epoch: 0, seq: 0, people: {}, clocks: {}, proposals: [] };
    engine.socketText(JSON.stringify({ kind, rid, ok: true, ...room }));
  }
  engine.socketBinary(new Uint8Array([ROOM, 0, 0, 1, 2, 0, 0]));
  for (const output of outputs(engine.drain())) note(output);
  return note;
}

function number(bytes, at) {
  let value = 0;
  let scale = 1;
  for (;;) {
    const byte = bytes[at];
    at += 1;
    value += (byte & 127) * scale;
    if (byte < 128) return [value, at];
    scale *= 128;
  }
}

/** The updates that a person's engine sends for the plan, each acknowledged. */
function updatesOf(Engine) {
  const engine = engineOf(Engine, ["d1"], "noor");
  join(engine, new Map());
  const updates = [];
  for (const [option, criterion, value] of PLAN) {
    engine.setMark("d1", option, criterion, value);
    for (const { op, parts } of outputs(engine.drain())) {
      if (op !== SEND_BINARY) continue;
      const [, n] = number(parts[0], 0);
      const [sent, type] = number(parts[0], n);
      if (parts[0][type] !== 0 || parts[0][type + 1] !== 2) continue;
      const [, start] = number(parts[0], type + 2);
      updates.push(parts[0].slice(start));
      engine.socketText(JSON.stringify({ kind: "ack", room: ROOM, n: sent, seq: updates.length }));
    }
    engine.drain();
  }
  engine.free();
  return updates;
}

function frame(update, seq) {
  const bytes = [ROOM];
  const put = (value) => {
    for (; value > 127; value = Math.floor(value / 128)) bytes.push((value & 127) | 128);
    bytes.push(value);
  };
  put(seq);
  bytes.push(0, 2);
  put(update.length);
  const whole = new Uint8Array(bytes.length + update.length);
  whole.set(bytes);
  whole.set(update, bytes.length);
  return whole;
}

/** What one side does; each method gives the milliseconds of its timed part. */
function deem(Engine, { frames, device, state }) {
  const timed = (work) => {
    const start = performance.now();
    work();
    return performance.now() - start;
  };
  return {
    mark() {
      const engine = engineOf(Engine, ["d1"]);
      engine.open("d1");
      engine.drain();
      const ms = timed(() => {
        for (const [option, criterion, value] of PLAN) {
          engine.setMark("d1", option, criterion, value);
          engine.drain();
        }
      });
      engine.free();
      return ms;
    },
    apply() {
      const engine = engineOf(Engine, ["d1"]);
      join(engine, new Map());
      const ms = timed(() => {
        for (const bytes of frames) {
          engine.socketBinary(bytes);
          engine.drain();
        }
      });
      if (engine.matrix("d1").every((cell) => cell === 0)) throw new Error("nothing was applied");
      engine.free();
      return ms;
    },
    load() {
      let set = 0;
      const ms = timed(() => {
        const engine = new Engine(JSON.stringify({ space: "s", person: "ada", user: "ada", tab: "tab-of-the-load-000001" }));
        for (const [key, value] of device) engine.load(...key.split(" "), value);
        engine.storage("memory");
        engine.loaded();
        engine.open("d1");
        set = engine.matrix("d1").filter((cell) => cell > 0).length;
        engine.drain();
        engine.free();
      });
      if (set !== OPTIONS * CRITERIA) throw new Error(`${set} cells after the load`);
      return ms;
    },
    type() {
      const engine = engineOf(Engine, ["d1"]);
      engine.open("d1");
      engine.drain();
      const ms = timed(() => {
        for (let at = 1; at <= LETTERS; at += 1) {
          engine.setText("d1", undefined, TEXT.slice(0, at), at);
          engine.drain();
        }
      });
      engine.free();
      return ms;
    },
    drafts() {
      const names = Array.from({ length: DRAFTS }, (_, at) => `d${at + 1}`);
      const engine = engineOf(Engine, names);
      engine.drain();
      const ms = timed(() => {
        for (const name of names) {
          engine.open(name);
          for (let at = 0; at < MARKS_PER_DRAFT; at += 1) {
            engine.setMark(name, ...PLAN[at]);
            engine.drain();
          }
        }
      });
      engine.free();
      return ms;
    },
    state,
  };
}

/** Yjs and ywasm by one interface: a document with a map, a text and its updates counted. */
function peer(make, applyUpdate, { updates, state }) {
  const timed = (work) => {
    const start = performance.now();
    work();
    return performance.now() - start;
  };
  return {
    mark() {
      const doc = make();
      const ms = timed(() => {
        for (const [option, criterion, value] of PLAN) doc.set(`${option}/${criterion}`, VALUES[value]);
      });
      if (doc.bytes() === 0) throw new Error("no update was encoded");
      doc.free();
      return ms;
    },
    apply() {
      const doc = make();
      const ms = timed(() => {
        for (const update of updates) applyUpdate(doc.doc, update);
      });
      doc.free();
      return ms;
    },
    load() {
      let doc;
      const ms = timed(() => {
        doc = make();
        applyUpdate(doc.doc, state);
        doc.read();
      });
      doc.free();
      return ms;
    },
    type() {
      const doc = make();
      const ms = timed(() => {
        for (let at = 0; at < LETTERS; at += 1) doc.insert(at, TEXT.charAt(at));
      });
      doc.free();
      return ms;
    },
    drafts() {
      const docs = [];
      const ms = timed(() => {
        for (let draft = 0; draft < DRAFTS; draft += 1) {
          const doc = make();
          docs.push(doc);
          for (let at = 0; at < MARKS_PER_DRAFT; at += 1) {
            const [option, criterion, value] = PLAN[at];
            doc.set(`${option}/${criterion}`, VALUES[value]);
          }
        }
      });
      for (const doc of docs) doc.free();
      return ms;
    },
  };
}

function yjsDoc(Y) {
  const doc = new Y.Doc();
  const [map, text] = [doc.getMap("marks"), doc.getText("text")];
  let bytes = 0;
  doc.on("update", (update) => {
    bytes += update.length;
  });
  return {
    doc,
    set: (key, value) => map.set(key, value),
    insert: (at, letter) => text.insert(at, letter),
    read: () => map.toJSON(),
    bytes: () => bytes,
    free: () => doc.destroy(),
  };
}

function ywasmDoc(W) {
  const doc = new W.YDoc({});
  const [map, text] = [doc.getMap("marks"), doc.getText("text")];
  let bytes = 0;
  const watch = doc.onUpdate((update) => {
    bytes += update.length;
  });
  return {
    doc,
    set: (key, value) => map.set(key, value, undefined),
    insert: (at, letter) => text.insert(at, letter, undefined, undefined),
    read: () => map.toJson(undefined),
    bytes: () => bytes,
    free() {
      watch?.free?.();
      doc.free();
    },
  };
}

const median = (list) => list.toSorted((a, b) => a - b)[list.length >> 1];

/** What is measured: operations of a round, and the bar against Yjs. */
export const WORK = {
  mark: { operations: MARKS, bar: 0.3, title: "local mark with encoded update" },
  apply: { operations: MARKS, bar: 0.4, title: "apply updates one by one" },
  load: { operations: 1, bar: 0.5, title: `load a draft after ${MARKS} marks` },
  type: { operations: LETTERS, bar: 0.9, title: `type ${LETTERS} letters` },
  drafts: { operations: DRAFTS, bar: 0.5, title: `${DRAFTS} small drafts` },
};

/** Microseconds an operation per kind of work and side. Sides take turns, so that all meet the same noise. */
export function compare(Engine, Y, W, rounds = 7) {
  const updates = updatesOf(Engine);
  const frames = updates.map((update, at) => frame(update, at + 1));
  const receiver = engineOf(Engine, ["d1"]);
  const device = new Map();
  const note = join(receiver, device);
  const whole = new Y.Doc();
  for (const [at, bytes] of frames.entries()) {
    receiver.socketBinary(bytes);
    for (const output of outputs(receiver.drain())) note(output);
    Y.applyUpdate(whole, updates[at]);
  }
  receiver.free();
  // The record itself comes with the first commit, before the device is listened to.
  const record = engineOf(Engine, ["d1"]);
  for (const { op, parts } of outputs(record.drain())) {
    const text = (part) => new TextDecoder().decode(part);
    if (op === PUT && text(parts[0]) === "records") device.set(`records ${text(parts[1])}`, parts[2].slice());
  }
  record.free();
  const state = Y.encodeStateAsUpdate(whole);
  const sides = {
    deem: deem(Engine, { frames, device }),
    yjs: peer(() => yjsDoc(Y), Y.applyUpdate, { updates, state }),
    ywasm: peer(() => ywasmDoc(W), (doc, update) => W.applyUpdate(doc, update, undefined), { updates, state }),
  };
  const found = {};
  for (const [kind, { operations }] of Object.entries(WORK)) {
    const times = { deem: [], yjs: [], ywasm: [] };
    for (let round = -2; round < rounds; round += 1) {
      for (const [side, does] of Object.entries(sides)) {
        const ms = does[kind]();
        if (round >= 0) times[side].push((ms * 1_000) / operations);
      }
    }
    found[kind] = Object.fromEntries(Object.entries(times).map(([side, list]) => [side, median(list)]));
  }
  return found;
}
