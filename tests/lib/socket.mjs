/**
 * A client of `/v1/connect` for tests: Yjs on one side, the wire of `docs/protocol.md` on the
 * other. It checks nothing itself, so it can also send what no honest client would.
 */
import { once } from "node:events";
import * as decoding from "lib0/decoding";
import * as encoding from "lib0/encoding";
import WebSocket from "ws";
import * as Y from "yjs";
import { until } from "./relay.mjs";

/** `room, n, message` as one binary frame. */
export function frame(room, n, message) {
  const encoder = encoding.createEncoder();
  encoding.writeVarUint(encoder, room);
  encoding.writeVarUint(encoder, n);
  encoding.writeUint8Array(encoder, message);
  return encoding.toUint8Array(encoder);
}

/** A y-protocols sync message: 0 = step 1, 1 = step 2, 2 = update. */
export function sync(type, bytes) {
  const encoder = encoding.createEncoder();
  encoding.writeVarUint(encoder, 0);
  encoding.writeVarUint(encoder, type);
  encoding.writeVarUint8Array(encoder, bytes);
  return encoding.toUint8Array(encoder);
}

/** An open socket with everything it was told. */
export class Link {
  /** Text messages in order of arrival. */
  messages = [];
  closed = undefined;
  #rid = 0;
  #rooms = new Map();

  static async open(url, { user, space, since = 0, ops = [], hello = {} }) {
    const link = new Link();
    link.space = space;
    link.socket = new WebSocket(`${url.replace("http", "ws")}/v1/connect`, "deem.v1");
    link.socket.binaryType = "arraybuffer";
    link.socket.on("message", (data, binary) => link.#take(data, binary));
    link.socket.on("close", (code, reason) => {
      link.closed = { code, reason: reason.toString() };
    });
    link.socket.on("error", () => {});
    await Promise.race([once(link.socket, "open"), once(link.socket, "close")]);
    if (link.closed) throw new Error("refused before it was open");
    link.send({ kind: "hello", user, client: "test/1", spaces: [{ space, since }], ops, ...hello });
    link.welcome = await link.wait((m) => m.kind === "welcome");
    return link;
  }

  send(message) {
    this.socket.send(JSON.stringify(message));
  }

  /** The first message so far or from now on that fits; rejects when the socket closes. */
  wait(fits, limitMs = 20_000) {
    return until(
      "a message",
      () => {
        const found = this.messages.find(fits);
        if (!found && this.closed) {
          throw new Error(`closed with ${this.closed.code} ${this.closed.reason}`);
        }
        return found;
      },
      limitMs,
    );
  }

  /** The answer to a request. */
  async ask(message) {
    const rid = (this.#rid += 1);
    this.send({ ...message, rid });
    return this.wait((m) => m.rid === rid);
  }

  /** Joins a draft with a fresh Y.Doc and waits for its state. */
  async join(decision, doc = new Y.Doc()) {
    const room = `${this.space}/${decision}`;
    const joined = await this.ask({ kind: "join", room, ids: [doc.clientID] });
    if (!joined.ok) throw new Error(`join refused: ${JSON.stringify(joined)}`);
    const draft = new Draft(this, joined, doc);
    this.#rooms.set(joined.room, draft);
    this.socket.send(frame(joined.room, 0, sync(0, Y.encodeStateVector(doc))));
    await until("the draft's state", () => draft.synced || this.closed);
    return draft;
  }

  #take(data, binary) {
    if (!binary) {
      const message = JSON.parse(data.toString());
      this.messages.push(message);
      const draft = this.#rooms.get(message.room);
      if (message.kind === "ack") draft?.acked.set(message.n, message.seq);
      if (message.kind === "nack") draft?.nacked.set(message.n, message.code);
      return;
    }
    const decoder = decoding.createDecoder(new Uint8Array(data));
    const draft = this.#rooms.get(decoding.readVarUint(decoder));
    decoding.readVarUint(decoder);
    if (decoding.readVarUint(decoder) !== 0) return;
    const type = decoding.readVarUint(decoder);
    if (type !== 1 && type !== 2) return;
    draft?.receive(type, decoding.readVarUint8Array(decoder));
  }

  close() {
    this.socket.terminate();
  }
}

/** A draft that a link has joined. */
class Draft {
  synced = false;
  acked = new Map();
  nacked = new Map();
  #n = 0;

  constructor(link, joined, doc) {
    Object.assign(this, { link, doc, joined, room: joined.room, marks: doc.getMap("marks") });
  }

  receive(type, update) {
    Y.applyUpdate(this.doc, update, "relay");
    this.synced ||= type === 1;
  }

  /** Sends any bytes as an update; its number. */
  update(bytes) {
    this.#n += 1;
    this.link.socket.send(frame(this.room, this.#n, sync(2, bytes)));
    return this.#n;
  }

  /** Sets a cell in the document and sends the update; its number. */
  mark(cell, value) {
    let update;
    const listen = (bytes) => (update = bytes);
    this.doc.on("update", listen);
    this.marks.set(cell, value);
    this.doc.off("update", listen);
    return this.update(update);
  }

  /** Resolves with the seq of an update once it is durable. */
  ack(n) {
    return until("an ack", () => {
      if (this.nacked.has(n)) throw new Error(`update ${n} refused: ${this.nacked.get(n)}`);
      return this.acked.get(n);
    });
  }
}
