/**
 * The leading tab's part: carries the document rooms of all tabs over the one socket of the space
 * (B3.3). It never looks into a document: what the relay says goes to every tab, what a tab says to
 * the relay, and an answer to who asked.
 */
import type { Driver } from "../driver/driver.js";
import { farewell, frame, presentIn, Reader } from "./bytes.js";

/** What the tabs of one person tell each other; `member` is one provider in one tab. */
export type Word =
  | { kind: "open"; document: string; member: string; client: number }
  | { kind: "shut"; document: string; member: string }
  /** For the relay and all other members. `n` numbers what needs an ack; 0 does not. */
  | { kind: "say"; document: string; member: string; n: number; message: Uint8Array }
  /** For the other members alone. */
  | { kind: "peer"; document: string; member: string; message: Uint8Array }
  /** A tab leads from now on: say what you have open. */
  | { kind: "lead"; tab: string }
  /** The room is joined; without `to` for the first time on this connection. */
  | { kind: "live"; tab: string; document: string; to?: string }
  | { kind: "down"; tab: string }
  | { kind: "closed"; document: string; code: string }
  | { kind: "heard"; document: string; message: Uint8Array }
  | { kind: "ack"; document: string; member: string; n: number }
  | { kind: "nack"; document: string; member: string; n: number; code: string };

type Flight = { member: string; n: number };

/** A member's client id, and the ids it is present under with their clocks. */
interface Member {
  client: number;
  present: Map<number, number>;
}

/** One document that somebody in this browser has open. */
class Room {
  readonly members = new Map<string, Member>();
  number: number | undefined;
  live = false;
  sent = 0;
  readonly flights = new Map<number, Flight>();
}

/** Client ids that one join may name (docs/protocol.md 5). */
const IDS_MAX = 64;
/** How long a refusal that passes is waited out where the relay names no time, ms. */
const PAUSE_MS = 1_000;
const PASSING = new Set(["rate", "unavailable", "token-expired", "resolving"]);

/** Numbers of requests, apart from the engine's. */
const RID = "document-";

export class Carrier {
  #driver: Driver;
  #tab: string;
  #tell: (word: Word) => void;
  #rooms = new Map<string, Room>();
  #numbers = new Map<number, string>();
  #asked = new Map<string, string>();
  #asks = 0;
  #carries = false;
  #timers = new Set<ReturnType<typeof setTimeout>>();

  constructor(driver: Driver, tell: (word: Word) => void) {
    this.#driver = driver;
    this.#tab = driver.options.tab;
    this.#tell = tell;
  }

  /** The relay is reached through this tab from now on, or no longer. */
  carries(on: boolean): void {
    if (on === this.#carries) return;
    this.#carries = on;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
    this.#numbers.clear();
    this.#asked.clear();
    // Whoever is still there says again what it has open.
    this.#rooms.clear();
    this.#tell({ kind: on ? "lead" : "down", tab: this.#tab });
  }

  /** A word of a member, in this tab or another. */
  hear(word: Word): void {
    if (!this.#carries) return;
    if (word.kind === "open") this.#open(word.document, word.member, word.client);
    else if (word.kind === "shut") this.#shut(word.document, word.member);
    else if (word.kind === "say") this.#say(word.document, word.member, word.n, word.message);
  }

  /** A tab is gone without a word: so is its presence. */
  gone(tab: string): void {
    for (const [document, room] of this.#rooms) {
      for (const member of [...room.members.keys()]) {
        if (member.startsWith(`${tab}.`)) this.#shut(document, member);
      }
    }
  }

  text(text: string): boolean {
    if (this.#rooms.size === 0) return false;
    const said = JSON.parse(text) as Record<string, unknown>;
    const rid = said["rid"];
    if (typeof rid === "string") {
      const document = this.#asked.get(rid);
      if (document === undefined) return rid.startsWith(RID);
      this.#asked.delete(rid);
      this.#answered(document, said);
      return true;
    }
    const document = this.#numbers.get(Number(said["room"]));
    const room = document === undefined ? undefined : this.#rooms.get(document);
    if (document === undefined || !room) return false;
    const flight = room.flights.get(Number(said["n"]));
    if (flight && said["kind"] === "ack") {
      room.flights.delete(Number(said["n"]));
      this.#tell({ kind: "ack", document, ...flight });
    } else if (flight && said["kind"] === "nack") this.#refused(document, room, flight, said);
    return true;
  }

  binary(bytes: Uint8Array): boolean {
    const reader = new Reader(bytes);
    const document = this.#numbers.get(reader.number());
    if (document === undefined) return false;
    reader.number();
    this.#tell({ kind: "heard", document, message: reader.rest().slice() });
    return true;
  }

  #open(document: string, member: string, client: number): void {
    const room = this.#rooms.get(document);
    if (room) {
      if (!room.members.has(member)) room.members.set(member, { client, present: new Map() });
      if (room.live) this.#tell({ kind: "live", tab: this.#tab, document, to: member });
      return;
    }
    const fresh = new Room();
    fresh.members.set(member, { client, present: new Map() });
    this.#rooms.set(document, fresh);
    this.#join(document);
  }

  #shut(document: string, member: string): void {
    const room = this.#rooms.get(document);
    const present = room?.members.get(member)?.present;
    if (!room || !present) return;
    room.members.delete(member);
    if (present.size > 0) {
      const message = farewell(present);
      this.#send(room, 0, message);
      this.#tell({ kind: "heard", document, message });
    }
    if (room.members.size > 0) return;
    if (this.#carries && room.number !== undefined) {
      this.#numbers.delete(room.number);
      this.#driver.socket?.text(JSON.stringify({ kind: "leave", room: room.number }));
    }
    this.#rooms.delete(document);
  }

  #say(document: string, member: string, n: number, message: Uint8Array): void {
    const room = this.#rooms.get(document);
    const present = room?.members.get(member)?.present;
    if (!room || !present) return;
    for (const [client, clock] of presentIn(message)) present.set(client, clock);
    if (!room.live) return;
    if (n === 0) return this.#send(room, 0, message);
    room.sent += 1;
    room.flights.set(room.sent, { member, n });
    this.#send(room, room.sent, message);
  }

  #send(room: Room, n: number, message: Uint8Array): void {
    if (this.#carries && room.number !== undefined) {
      this.#driver.socket?.binary(frame(room.number, n, message));
    }
  }

  /** Joins a room, or asks to be heard in it again after a refusal. */
  #join(document: string, again?: number): void {
    if (!this.#carries) return;
    const rid = `${RID}${(this.#asks += 1)}`;
    this.#asked.set(rid, document);
    const room = again ?? `${this.#driver.options.space}/doc/${document}`;
    const kind = again === undefined ? "join" : "rebase";
    this.#driver.socket?.text(JSON.stringify({ kind, rid, room, ids: this.#ids(document) }));
  }

  #ids(document: string): number[] {
    const members = this.#rooms.get(document)?.members.values() ?? [];
    return [...members].map((member) => member.client).slice(0, IDS_MAX);
  }

  #answered(document: string, said: Record<string, unknown>): void {
    const room = this.#rooms.get(document);
    const number = Number(said["room"]);
    if (!room) {
      // Shut while the answer was on its way.
      if (said["ok"] === true) this.#driver.socket?.text(JSON.stringify({ kind: "leave", room: number }));
      return;
    }
    if (said["ok"] !== true) {
      const code = String(said["reason"]);
      if (PASSING.has(code)) return this.#later(document, undefined, said["retryAfterMs"]);
      return this.#tell({ kind: "closed", document, code });
    }
    if (room.number !== undefined) this.#numbers.delete(room.number);
    // A socket counts its updates of a room on over a rebase.
    if (room.number !== number) room.sent = 0;
    room.number = number;
    room.live = true;
    this.#numbers.set(number, document);
    this.#tell({ kind: "live", tab: this.#tab, document });
  }

  /** Everything after it is refused as well, until the relay has answered a rebase. */
  #refused(document: string, room: Room, flight: Flight, said: Record<string, unknown>): void {
    const code = String(said["code"]);
    const first = room.live;
    room.live = false;
    room.flights.delete(Number(said["n"]));
    this.#tell({ kind: "nack", document, ...flight, code });
    if (!first) return;
    if (PASSING.has(code)) this.#later(document, room.number, said["retryAfterMs"]);
    else this.#join(document, room.number);
  }

  #later(document: string, again: number | undefined, retryAfterMs: unknown): void {
    const wait = typeof retryAfterMs === "number" ? retryAfterMs : PAUSE_MS;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      if (this.#rooms.has(document)) this.#join(document, again);
    }, wait);
    this.#timers.add(timer);
  }
}
