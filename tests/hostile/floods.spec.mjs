/**
 * Somebody who was let in and sends too much, too large, too small, in another's name, or reads
 * nothing. Bounds are counts: frames until cut, messages that pass, bytes that wait.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import * as decoding from "lib0/decoding";
import * as encoding from "lib0/encoding";
import { Awareness, applyAwarenessUpdate } from "y-protocols/awareness";
import * as Y from "yjs";
import { op, until } from "../lib/relay.mjs";
import { frame, sync } from "../lib/socket.mjs";
import { Stage, closeOf, door, http, metrics } from "./stage.mjs";

/** `limits.rs` and what a frame may be over them when it is queued. */
const CONTROL_BYTES_MAX = 262_144;
const FRAME_BYTES_MAX = (1 << 20) + 64;
const OUTGOING_BYTES_MAX = 1 << 20;
const CONTROL_BURST = 200;
const CONTROL_PER_SECOND = 50;
const PRESENCE_PER_SECOND = 20;
const PRESENT_PER_SOCKET_MAX = 64;
const SOCKETS_PER_PERSON_MAX = 64;

let stage;
let url;

before(async () => {
  stage = await (await Stage.open()).people();
  url = stage.url;
});

after(() => stage?.close());

/** An awareness message of entries `[client, clock, state]`. */
function presence(entries) {
  const body = encoding.createEncoder();
  encoding.writeVarUint(body, entries.length);
  for (const [client, clock, state] of entries) {
    encoding.writeVarUint(body, client);
    encoding.writeVarUint(body, clock);
    encoding.writeVarString(body, JSON.stringify(state));
  }
  const message = encoding.createEncoder();
  encoding.writeVarUint(message, 1);
  encoding.writeVarUint8Array(message, encoding.toUint8Array(body));
  return encoding.toUint8Array(message);
}

/** Every presence entry that a draft's link is told from now on, as `[client, state]`. */
function listen(draft) {
  const heard = [];
  const awareness = new Awareness(draft.doc);
  awareness.on("change", ({ added, updated, removed }) => {
    for (const id of [...added, ...updated]) heard.push([id, awareness.getStates().get(id)]);
    for (const id of removed) heard.push([id, null]);
  });
  const take = (data, binary) => {
    if (!binary) return;
    const decoder = decoding.createDecoder(new Uint8Array(data));
    if (decoding.readVarUint(decoder) !== draft.room) return;
    decoding.readVarUint(decoder);
    if (decoding.readVarUint(decoder) !== 1) return;
    applyAwarenessUpdate(awareness, decoding.readVarUint8Array(decoder), "relay");
  };
  draft.link.socket.on("message", take);
  return {
    heard,
    stop() {
      draft.link.socket.off("message", take);
      awareness.destroy();
    },
  };
}

/** A client's frame of the first byte `first`, masked with zeros. */
function raw(first, payload) {
  const long = payload.length > 125;
  const head = long ? Buffer.alloc(14) : Buffer.alloc(6);
  head[0] = first;
  head[1] = long ? 0xff : 0x80 | payload.length;
  if (long) head.writeBigUInt64BE(BigInt(payload.length), 2);
  return Buffer.concat([head, payload]);
}

const seconds = (began) => Math.ceil((performance.now() - began) / 1000) + 1;

test("huge frames: one byte over is cut by the header, before the rest has come", async () => {
  const head = (first, length) => raw(first, Buffer.alloc(length)).subarray(0, 14);
  await stage.beside("huge frames", async () => {
    for (const length of [FRAME_BYTES_MAX + 1, 2 ** 31, 2 ** 31 + 9]) {
      for (const first of [0x81, 0x82]) {
        const link = await stage.link("mallory");
        // The header alone: none of its payload was sent.
        const bytes = head(first, Math.min(length, FRAME_BYTES_MAX + 1));
        bytes.writeBigUInt64BE(BigInt(length), 2);
        link.socket._socket.write(bytes);
        await until("a close", () => link.closed);
        assert.equal(link.closed.code, 4413);
      }
    }
    // Text is bounded as an HTTP body is.
    const link = await stage.link("mallory");
    link.socket._socket.write(raw(0x81, Buffer.alloc(CONTROL_BYTES_MAX + 1, " ")));
    await until("a close", () => link.closed);
    assert.equal(link.closed.code, 4413);
  });
});

test("tiny frames: pieces add up to one message's bound, and what is nothing closes", async () => {
  await stage.beside("tiny frames", async () => {
    // One message in pieces of one byte each: held until it is too long, then cut.
    const pieces = await stage.link("mallory");
    const first = raw(0x01, Buffer.from(" "));
    const rest = Buffer.concat(Array.from({ length: CONTROL_BYTES_MAX }, () => raw(0x00, Buffer.from(" "))));
    pieces.socket._socket.write(Buffer.concat([first, rest, raw(0x80, Buffer.from(" "))]));
    await until("a close", () => pieces.closed);
    assert.equal(pieces.closed.code, 4413);
    // 50,000 frames with nothing in them: the first one ends it.
    const empty = await stage.link("mallory");
    empty.socket._socket.write(Buffer.concat(Array.from({ length: 50_000 }, () => raw(0x82, Buffer.alloc(0)))));
    await until("a close", () => empty.closed);
    assert.equal(empty.closed.code, 4400);
    // 50,000 pings, read as they are answered: each has its pong, and the socket still speaks.
    const pings = await stage.link("mallory");
    let pongs = 0;
    pings.socket.on("pong", () => (pongs += 1));
    pings.socket._socket.write(Buffer.concat(Array.from({ length: 50_000 }, () => raw(0x89, Buffer.from("p")))));
    await until("all pongs", () => pongs === 50_000 || pings.closed, 60_000);
    assert.equal((await pings.ask({ kind: "records", space: "home" })).ok, true);
    pings.close();
  });
});

test("flood of requests: a burst and then a rate pass, the rest is told when to come back", async () => {
  const count = 2_000;
  await stage.beside("flood of requests", async () => {
    const link = await stage.link("mallory");
    const began = performance.now();
    for (let rid = 1; rid <= count; rid += 1) link.send({ kind: "records", rid, space: "home" });
    await until("all answers", () => link.closed || link.messages.filter((m) => m.rid).length === count, 60_000);
    const answers = link.messages.filter((message) => message.rid);
    const passed = answers.filter((answer) => answer.ok).length;
    assert.ok(passed >= CONTROL_BURST, `${passed}`);
    assert.ok(passed <= CONTROL_BURST + CONTROL_PER_SECOND * seconds(began), `${passed}`);
    const refused = answers.filter((answer) => !answer.ok);
    assert.ok(refused.every((answer) => answer.reason === "rate" && answer.retryAfterMs > 0));
    link.close();
  });
});

test("flood of edits over HTTP: 1,000 at once and 200 a second pass", async () => {
  const [option, criterion] = stage.cells[11].split("/");
  const edits = Array.from({ length: 500 }, (_, at) => ({ set: "mark", option, criterion, mark: at % 2 ? "yes" : "no" }));
  await stage.beside("flood of edits", async () => {
    const began = performance.now();
    const asked = Array.from({ length: 20 }, () =>
      http(url, "POST", `${stage.decision}/edit`, { ...stage.as("mallory"), body: { op: op(), edits } }),
    );
    const answers = await Promise.all(asked);
    const passed = answers.filter((answer) => answer.status === 200).length * edits.length;
    assert.ok(passed >= 1_000 && passed <= 1_000 + 200 * seconds(began), `${passed}`);
    for (const answer of answers.filter((one) => one.status !== 200)) {
      assert.deepEqual([answer.status, answer.body.code, answer.body.retryAfterMs > 0], [429, "rate", true]);
    }
  });
});

test("flood after a refusal: no later update of that draft is taken", async () => {
  await stage.beside("flood after a refusal", async () => {
    const draft = await (await stage.link("mallory")).join(stage.card.id);
    const { deem_updates_total: taken } = await metrics(url);
    const first = draft.mark("nothing/nowhere", "yes");
    const last = Array.from({ length: 2_000 }, (_, at) => draft.mark(stage.cells[11], at % 2 ? "yes" : "no")).at(-1);
    await until("every nack", () => draft.link.closed || draft.nacked.size === last, 60_000);
    assert.equal(draft.acked.size, 0);
    assert.equal([...draft.nacked.values()].filter((code) => code === "after-refusal").length, last - 1);
    assert.notEqual(draft.nacked.get(first), "after-refusal");
    assert.ok((await metrics(url)).deem_updates_total >= taken);
    draft.link.close();
  });
});

test("flood of sockets: 64 of one person, and everybody else has theirs", async () => {
  await stage.beside("flood of sockets", async () => {
    const hello = JSON.stringify({ kind: "hello", user: "mallory", client: "t/1", spaces: [{ space: "home", since: 0 }] });
    const states = await Promise.all(
      Array.from({ length: SOCKETS_PER_PERSON_MAX + 40 }, async () => {
        const state = await door(url, "/v1/connect", { protocols: "deem.v1" });
        state.socket.send(hello);
        return state;
      }),
    );
    await until("each is welcome or closed", () => states.every((state) => state.frames || state.closed));
    const closed = states.filter((state) => state.closed);
    assert.equal(closed.length, 40);
    for (const state of closed) assert.deepEqual(await closeOf(state), [4529, "rate"]);
    (await stage.link("tess")).close();
    for (const state of states) state.socket.terminate();
  });
});

test("flood of presence: 20 messages a second pass, each with no more entries than a socket has ids", async () => {
  const mallory = await (await stage.link("mallory")).join(stage.card.id);
  const ear = listen(stage.ilse);
  try {
    await stage.beside("flood of presence", async () => {
      const began = performance.now();
      const me = mallory.doc.clientID;
      for (let clock = 1; clock <= 2_000; clock += 1) {
        mallory.link.socket.send(frame(mallory.room, 0, presence([[me, clock, { cell: String(clock) }]])));
      }
      await mallory.link.ask({ kind: "records", space: "home" });
      const passed = ear.heard.length;
      assert.ok(passed >= 1 && passed <= PRESENCE_PER_SECOND * (1 + seconds(began)), `${passed}`);
    });
    mallory.link.close();
    // One message of 20,000 entries, on a socket that has sent none yet.
    const many = await (await stage.link("crowd")).join(stage.card.id);
    ear.heard.length = 0;
    await stage.beside("presence of 20,000 entries", async () => {
      const entries = Array.from({ length: 20_000 }, (_, at) => [1_000_000 + at, 1, { cell: "x" }]);
      many.link.socket.send(frame(many.room, 0, presence(entries)));
      await many.link.ask({ kind: "records", space: "home" });
      await until("what passed", () => ear.heard.some(([id]) => id >= 1_000_000));
    });
    const told = ear.heard.filter(([id, state]) => id >= 1_000_000 && state);
    assert.equal(told.length, PRESENT_PER_SOCKET_MAX);
    many.link.close();
  } finally {
    ear.stop();
  }
});

test("presence spoofing: an entry is its sender's, whatever it says and whose id it takes", async () => {
  const mallory = await (await stage.link("mallory")).join(stage.card.id);
  const ear = listen(stage.ilse);
  const noors = stage.noor.doc.clientID;
  try {
    await stage.beside("presence spoofing", async () => {
      const say = (draft, entries) => draft.link.socket.send(frame(draft.room, 0, presence(entries)));
      say(stage.noor, [[noors, 5, { cell: "a/b" }]]);
      await until("noor's place", () => ear.heard.length === 1);
      // Noor's id with a later clock, and noor's leaving.
      say(mallory, [[noors, 900, { cell: "z/z", person: "noor" }], [noors, 901, null]]);
      say(mallory, [[mallory.doc.clientID, 1, { cell: "c/d", person: "noor" }]]);
      await until("mallory's place", () => ear.heard.length > 1);
    });
    assert.deepEqual(ear.heard, [
      [noors, { cell: "a/b", person: "noor" }],
      [mallory.doc.clientID, { cell: "c/d", person: "mallory" }],
    ]);
    mallory.link.close();
    await until("mallory's leaving", () => ear.heard.length === 3);
    assert.deepEqual(ear.heard[2], [mallory.doc.clientID, null]);
  } finally {
    ear.stop();
  }
});

test("forged authorship: no block, edit or event under another's name", async () => {
  const mallory = await (await stage.link("mallory")).join(stage.card.id);
  // The victim has written and pauses: a block that its author has sent meanwhile is nothing new.
  const tess = await (await stage.link("tess")).join(stage.card.id);
  await tess.ack(tess.mark(stage.cells[11], "yes"));
  const commit = await stage.commit();
  await stage.beside("forged authorship", async () => {
    // Tess's next block, made by somebody who has the document and takes tess's id.
    const fake = new Y.Doc();
    Y.applyUpdate(fake, Y.encodeStateAsUpdate(tess.doc));
    fake.clientID = tess.doc.clientID;
    const had = Y.encodeStateVector(fake);
    fake.getMap("marks").set(stage.cells[11], "no");
    const n = mallory.update(Y.encodeStateAsUpdate(fake, had));
    await until("a nack", () => mallory.nacked.has(n) || mallory.acked.has(n));
    assert.equal(mallory.nacked.get(n), "forged");
    const joined = await mallory.link.ask({ kind: "join", room: `home/${stage.card.id}`, ids: [tess.doc.clientID] });
    assert.equal(joined.ok, false);
    const stock = await door(url, `/yjs/home/${stage.card.id}?user=mallory`, { protocols: ["deem.yjs"] });
    stock.socket.send(sync(2, Y.encodeStateAsUpdate(fake, had)));
    assert.equal((await closeOf(stock))[0], 4422);
    // A name beside the token's is no field of any request.
    const bodies = { edit: { edits: [] }, save: { generation: 1, digest: "0".repeat(64) }, why: { text: "x" } };
    for (const [verb, body] of Object.entries(bodies)) {
      for (const name of ["by", "resolver", "person", "owner"]) {
        const answer = await http(url, "POST", `${stage.decision}/${verb}`, {
          ...stage.as("mallory"), body: { op: op(), ...body, [name]: "tess" } });
        assert.deepEqual([answer.status, answer.body.code], [400, "malformed"], `${verb} ${name}`);
      }
    }
  });
  assert.equal(stage.ilse.marks.get(stage.cells[11]), "yes");
  assert.equal(await stage.commit(), commit);
  for (const one of [mallory, tess]) one.link.close();
});

test("stalled reader: what waits for it is bounded, then it alone is cut", async () => {
  const { deem_slow_readers_cut_total: before_ } = await metrics(url);
  let peak = 0;
  const look = async () => {
    const now = await metrics(url);
    peak = Math.max(peak, now.deem_queue_bytes);
    return now.deem_slow_readers_cut_total - before_;
  };
  const options = Array.from({ length: 20 }, (_, at) => ({ label: `Option ${at}`, description: "x".repeat(1_000) }));
  await stage.beside("stalled reader", async () => {
    const stalled = await stage.link("mallory");
    stalled.socket.pause();
    // What the kernel holds has no bound that is known here: until it is full.
    let cut = 0;
    for (let count = 0; count < 3_000 && !cut; count += 1) {
      const body = { op: op(), question: "Which?", options };
      await http(url, "POST", "/v1/spaces/home/decisions", { ...stage.as("asker"), body });
      if (count % 20 === 0) cut = await look();
    }
    cut = await look();
    assert.equal(cut, 1);
    stalled.socket.resume();
    await until("its close", () => stalled.closed, 30_000);
    // The close frame waits three seconds for a reader that is that slow.
    assert.ok([4508, 1006].includes(stalled.closed.code), `${stalled.closed.code}`);
  });
  // The gauge is of all sockets: the four honest ones are told the same.
  assert.ok(peak <= 5 * (OUTGOING_BYTES_MAX + FRAME_BYTES_MAX), `${peak} bytes waited`);
});

test("stalled asker: who asks for whole drafts and reads none is not read any more", async () => {
  let peak = 0;
  // The gauge is counted each second: what waited in an earlier test is not this one's.
  await until("nothing waits", async () => (await metrics(url)).deem_queue_bytes === 0);
  await stage.beside("stalled asker", async () => {
    // It has missed nothing: its welcome is one frame, as long as what it missed.
    const spaces = [{ space: "home", since: await stage.commit() }];
    const greedy = await (await stage.link("mallory", { spaces })).join(stage.card.id);
    greedy.link.socket.pause();
    const asked = frame(greedy.room, 0, sync(0, Uint8Array.of(0)));
    for (let count = 0; count < 50_000; count += 1) greedy.link.socket.send(asked);
    for (let looks = 0; looks < 100; looks += 1) {
      peak = Math.max(peak, (await metrics(url)).deem_queue_bytes);
    }
    greedy.link.close();
  });
  assert.ok(peak <= OUTGOING_BYTES_MAX + FRAME_BYTES_MAX, `${peak} bytes waited`);
});
