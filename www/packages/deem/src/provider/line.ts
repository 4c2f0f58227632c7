/** How the providers of one person's tabs reach each other and the tab that leads (B3.3). */
import type { Driver } from "../driver/driver.js";
import { canShare } from "../driver/tabs.js";
import { documentsName } from "./name.js";
import { Carrier, type Word } from "./carrier.js";

/** One provider, as the line knows it. */
export interface Member {
  readonly document: string;
  hear(word: Word): void;
}

const lines = new WeakMap<Driver, Line>();

/** The line of an open space; made with its first document. */
export function lineOf(driver: Driver): Line {
  let line = lines.get(driver);
  if (!line) {
    line = new Line(driver);
    lines.set(driver, line);
  }
  return line;
}

/** Words go to every tab, this one included; each takes what is meant for it. */
export class Line {
  readonly driver: Driver;
  /** Names the channel, the device's store and its lock; not like a space's own (B3.2). */
  readonly name: string;
  #carrier: Carrier;
  #members = new Map<string, Member>();
  #channel: BroadcastChannel | undefined;
  #count = 0;
  /** The tab that carries, as far as it was heard. */
  #leader: string | undefined;

  constructor(driver: Driver) {
    this.driver = driver;
    this.name = documentsName(driver.options.name);
    if (canShare() && !driver.options.memory) {
      this.#channel = new BroadcastChannel(this.name);
      this.#channel.onmessage = (message: MessageEvent<Word>) => this.#hear(message.data);
    }
    const carrier = new Carrier(driver, (word) => this.tell(word));
    this.#carrier = carrier;
    driver.invite({
      carries: (on) => {
        carrier.carries(on);
        if (driver.closed) this.#channel?.close();
      },
      gone: (tab) => carrier.gone(tab),
      text: (text) => carrier.text(text),
      binary: (bytes) => carrier.binary(bytes),
    });
  }

  /** Takes a member in; gives the name that its words carry. */
  join(member: Member): string {
    const id = `${this.driver.options.tab}.${(this.#count += 1)}`;
    this.#members.set(id, member);
    return id;
  }

  leave(id: string): void {
    this.#members.delete(id);
  }

  tell(word: Word): void {
    if (!this.driver.closed) this.#channel?.postMessage(word);
    this.#hear(word);
  }

  #hear(word: Word): void {
    if (word.kind === "lead" || word.kind === "live") this.#leader = word.tab;
    // One that slept through the loss of its lock says so late; the next one carries long since.
    if (word.kind === "down" && word.tab !== (this.#leader ?? word.tab)) return;
    this.#carrier.hear(word);
    for (const [id, member] of [...this.#members]) {
      if (isFor(word, id, member.document)) member.hear(word);
    }
  }
}

function isFor(word: Word, id: string, document: string): boolean {
  if (word.kind === "lead" || word.kind === "down") return true;
  if (word.document !== document) return false;
  if (word.kind === "live") return word.to === undefined || word.to === id;
  if (word.kind === "say" || word.kind === "peer") return word.member !== id;
  if (word.kind === "ack" || word.kind === "nack") return word.member === id;
  return word.kind === "heard" || word.kind === "closed";
}
