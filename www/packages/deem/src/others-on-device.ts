/** What other people left waiting in this browser: listed, exported, deleted (B3.2). */
import { countRows, deleteWaiting, otherPeople, readOther } from "./driver/others.js";
import { Engine } from "./engine.js";
import { DeemError } from "./errors.js";
import type { OthersWaiting, WaitingDecision } from "./types.js";

export class OthersOnDevice {
  /** Of the databases of this relay and space; a person follows. */
  readonly prefix: string;
  /** As last counted. */
  counted: { person: string; rows: number }[] = [];
  #relay: string;
  #space: string;
  #own: string;
  #changed: () => void;

  constructor(relay: string, space: string, own: string, changed: () => void) {
    this.prefix = `deem:${relay}:${space}:`;
    this.#relay = relay;
    this.#space = space;
    this.#own = own;
    this.#changed = changed;
  }

  async #people(): Promise<string[]> {
    const names = await otherPeople(this.prefix, this.prefix + this.#own);
    return names.map((name) => name.slice(this.prefix.length));
  }

  /** Counts anew; cheap, nothing is read. */
  async count(): Promise<void> {
    const one = async (person: string): Promise<{ person: string; rows: number }> => ({
      person,
      rows: await countRows(this.prefix + person).catch(() => 0),
    });
    const counted = await Promise.all((await this.#people()).map(one));
    const before = JSON.stringify(this.counted);
    this.counted = counted.filter((other) => other.rows > 0);
    if (JSON.stringify(this.counted) !== before) this.#changed();
  }

  async waiting(): Promise<OthersWaiting[]> {
    const people = await this.#people();
    const lists = await Promise.all(
      people.map(async (person) => {
        const decisions = await this.#read(person);
        const edits = decisions.reduce((sum, of) => sum + of.edits.length, 0);
        return { person, decisions: decisions.length, edits };
      }),
    );
    return lists.filter((list) => list.decisions > 0);
  }

  async export(person: string): Promise<string> {
    const decisions = await this.#read(person);
    if (decisions.length === 0) throw this.#nothing(person);
    const file = {
      format: "deem waiting edits",
      version: 1,
      relay: this.#relay,
      space: this.#space,
      person,
      exportedAt: new Date().toISOString(),
      decisions,
    };
    return `${JSON.stringify(file, null, 2)}\n`;
  }

  async delete(person: string): Promise<void> {
    this.#notOwn(person);
    await deleteWaiting(this.prefix + person);
    await this.count();
  }

  /** Read by an engine that is never started: it has no socket, no tabs, no device. */
  async #read(person: string): Promise<WaitingDecision[]> {
    this.#notOwn(person);
    const rows = await readOther(this.prefix + person);
    const engine = new Engine(JSON.stringify({ space: this.#space, person, tab: "reader" }));
    try {
      for (const { store, key, value } of rows) engine.load(store, key, value);
      return JSON.parse(engine.waiting()) as WaitingDecision[];
    } finally {
      engine.free();
    }
  }

  /** This person's own edits are not another's: they are sent. */
  #notOwn(person: string): void {
    if (person === this.#own) throw this.#nothing(person);
  }

  #nothing(person: string): DeemError {
    const message = `Nothing of another person ${person} waits on this device.`;
    return new DeemError({ code: "not-found", message });
  }
}
