/** What JavaScript sees of a space: cached snapshots, listeners, edits, saves. No rules. */
import { Driver } from "./driver/driver.js";
import { drivers } from "./driver/drivers.js";
import { OthersOnDevice } from "./others-on-device.js";
import { canShare } from "./driver/tabs.js";
import { Engine, init, resetInstance } from "./engine.js";
import { DeemError } from "./errors.js";
import { documentsName } from "./provider/name.js";
import { questionnaire } from "./questionnaire.js";
import { type Readable, readable } from "./readable.js";
import type {
  CardSnapshot,
  DecisionHandle,
  Mark,
  OpenSpaceOptions,
  OthersWaiting,
  SpaceStatus,
  SpaceStore,
  Status,
} from "./types.js";

type Listener = () => void;
type Listed = { id: string; status: Status; header: string; question: string };

const MARKS: Record<Mark, number> = { no: 1, partly: 2, yes: 3 };

/** Every open space of this page: a panic of the one instance restarts them all. */
const open = new Set<Space>();
let resetting = false;

/** After so many failures of its engine a space stays closed and asks to be loaded again. */
const RESTARTS_MAX = 3;

function resetAll(): void {
  if (resetting) return;
  resetting = true;
  queueMicrotask(() => {
    resetting = false;
    resetInstance();
    for (const space of open) space.restart();
  });
}

/** A random id of 22 base64url characters for this tab. */
function tabId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

/** The `sub` of a token: whose device store this is. The relay checks the token, not we. */
function subject(token: string): string {
  const part = token.split(".")[1] ?? "";
  const json = atob(part.replaceAll("-", "+").replaceAll("_", "/"));
  const claims = JSON.parse(
    new TextDecoder().decode(Uint8Array.from(json, (c) => c.charCodeAt(0))),
  ) as { sub?: unknown };
  if (typeof claims.sub !== "string") throw new DeemError({ code: "unauthenticated" });
  return claims.sub;
}

/** Who opens the space. Offline, the person this browser last opened it as. */
async function whoOpens(options: OpenSpaceOptions): Promise<string> {
  if (options.user !== undefined) return options.user;
  if (!options.token) {
    throw new DeemError({ code: "unauthenticated", message: "give openSpace a token or a user" });
  }
  const kept = `deem:last:${options.url}:${options.space}`;
  const storage = typeof localStorage === "undefined" ? undefined : localStorage;
  try {
    const person = subject(await options.token());
    storage?.setItem(kept, person);
    return person;
  } catch (error) {
    const last = storage?.getItem(kept);
    if (last) return last;
    throw error;
  }
}

function socketClass(options: OpenSpaceOptions): NonNullable<OpenSpaceOptions["WebSocket"]> {
  if (options.WebSocket) return options.WebSocket;
  if (typeof WebSocket !== "undefined") return WebSocket;
  const message = "this platform has no WebSocket: give openSpace one, as that of the package ws";
  throw new DeemError({ code: "malformed", message });
}

/** Opens a space: from this device at once, live as soon as the relay is reached. */
export async function openSpace(options: OpenSpaceOptions): Promise<SpaceStore> {
  const [person] = await Promise.all([whoOpens(options), init(options.wasm)]);
  const space = new Space(options, person);
  await space.start();
  return space;
}

class Space implements SpaceStore {
  readonly space: string;
  readonly user: string;
  #others: OthersOnDevice;
  #driver: Driver;
  #decisions = new Map<string, Decision>();
  #listeners = new Set<Listener>();
  #listed: Listed[] | undefined;
  #status: SpaceStatus | undefined;
  #documents: BroadcastChannel | undefined;

  constructor(options: OpenSpaceOptions, person: string) {
    this.space = options.space;
    this.user = person;
    const relay = new URL(options.url, globalThis.location?.href).host;
    this.#others = new OthersOnDevice(relay, options.space, person, () => this.#changed(new Set([""])));
    const tab = tabId();
    const config = JSON.stringify({
      space: options.space,
      person,
      tab,
      ...(options.token ? {} : { user: person }),
    });
    this.#driver = new Driver({
      url: options.url,
      space: options.space,
      name: this.#others.prefix + person,
      tab,
      memory: options.storage === "memory",
      WebSocket: socketClass(options),
      token: options.token,
      engine: () => new Engine(config),
      changed: (ids) => this.#changed(ids),
      reset: resetAll,
    });
    drivers.set(this, this.#driver);
  }

  async start(): Promise<void> {
    open.add(this);
    try {
      await this.#driver.start();
    } catch (error) {
      open.delete(this);
      throw error;
    }
    this.#carryDocuments();
    void this.#others.count();
  }

  /** Documents of another tab go over the socket of the one that leads, whatever it shows itself. */
  #carryDocuments(): void {
    const driver = this.#driver;
    if (driver.options.memory || !canShare()) return;
    const channel = new BroadcastChannel(documentsName(driver.options.name));
    this.#documents = channel;
    channel.onmessage = () => {
      channel.close();
      void import("./provider/line-later.js").then(({ lineOf }) => {
        if (!driver.closed) lineOf(driver);
      });
    };
  }

  /** After a panic. One that comes again at once is not tried for ever. */
  restart(): void {
    const tell = (): void => this.#changed(new Set([""]));
    const last = this.#driver.restarts > RESTARTS_MAX;
    const done = last ? this.#driver.stop().then(tell) : this.#driver.restart();
    done.then(() => {
      if (!last) for (const decision of this.#decisions.values()) decision.openAgain();
    }, tell);
  }

  decision(id: string): DecisionHandle {
    let decision = this.#decisions.get(id);
    if (!decision) {
      decision = new Decision(id, this.#driver);
      this.#decisions.set(id, decision);
    }
    return decision;
  }

  decisions(): Listed[] {
    if (this.#driver.isRunning) {
      this.#listed ??= this.#driver.run((engine) => engine.decisions()) as Listed[];
    }
    return this.#listed ?? [];
  }

  async createDecision(question: string, context?: string): Promise<string> {
    const words = JSON.stringify(context === undefined ? { question } : { question, context });
    const reply = await this.#driver.request("create", "", words);
    return String(reply["id"]);
  }

  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  status(): SpaceStatus {
    this.#status ??= this.#readStatus();
    return this.#status;
  }

  #readStatus(): SpaceStatus {
    const { lost, restarts, keeps, isRunning } = this.#driver;
    const told = isRunning
      ? (this.#driver.run((engine) => engine.status()) as SpaceStatus)
      : { state: "reload" as const, pending: 0, online: false };
    // Edits that are gone are said, and a space that lost some is not "synced" (B3.1).
    const gone = told.state === "synced" ? { lost, state: "needs-you" as const } : { lost };
    return {
      ...told,
      ...(lost > 0 ? gone : {}),
      ...(restarts > 0 ? { restarts } : {}),
      ...(keeps === "none" ? { unkept: true as const } : {}),
      others: this.#others.counted,
    };
  }

  othersWaiting(): Promise<OthersWaiting[]> {
    return this.#others.waiting();
  }

  exportWaiting(person: string): Promise<string> {
    return this.#others.export(person);
  }

  deleteWaiting(person: string): Promise<void> {
    return this.#others.delete(person);
  }

  async close(): Promise<void> {
    open.delete(this);
    this.#documents?.close();
    await this.#driver.close();
  }

  #changed(ids: Set<string>): void {
    const { isRunning, restarts } = this.#driver;
    if (isRunning) this.#listed = undefined;
    // Between a panic and the next engine what was said last stands.
    if (isRunning || restarts > RESTARTS_MAX) this.#status = undefined;
    // A card says whether the relay is reached, so what changes for the space changes for each.
    if (ids.has("")) for (const decision of this.#decisions.values()) decision.noteChange();
    else for (const id of ids) this.#decisions.get(id)?.noteChange();
    for (const listener of [...this.#listeners]) listener();
  }
}

class Decision implements DecisionHandle {
  readonly id: string;
  #driver: Driver;
  #snapshot: CardSnapshot | undefined;
  #fresh = false;
  #listeners = new Set<Listener>();
  #openers = 0;

  constructor(id: string, driver: Driver) {
    this.id = id;
    this.#driver = driver;
  }

  /** The engine says that something of this card changed. */
  noteChange(): void {
    this.#fresh = false;
    for (const listener of [...this.#listeners]) listener();
  }

  /** A new engine took over: it knows nothing of who looks at what. */
  openAgain(): void {
    if (this.#openers > 0) this.#driver.run((engine) => engine.open(this.id));
    this.noteChange();
  }

  snapshot(): CardSnapshot | undefined {
    // Between a panic and the next engine the card shows what it showed.
    if (!this.#fresh && this.#driver.isRunning) {
      const json = this.#driver.run((engine) => engine.snapshot(this.id));
      this.#snapshot = json === undefined ? undefined : (JSON.parse(json) as CardSnapshot);
      this.#fresh = true;
    }
    return this.#snapshot;
  }

  questionnaire(): string | undefined {
    const snap = this.snapshot();
    return snap && questionnaire(snap);
  }

  readable(): Readable[] | undefined {
    const snap = this.snapshot();
    return snap && readable(snap);
  }

  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  open(): () => void {
    if (this.#openers++ === 0) this.#driver.run((engine) => engine.open(this.id));
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      if (--this.#openers === 0) this.#driver.quietly((engine) => engine.shut(this.id));
    };
  }

  setMark(option: string, criterion: string, mark: Mark | null): void {
    const value = mark === null ? 0 : MARKS[mark];
    this.#driver.run((engine) => engine.setMark(this.id, option, criterion, value));
  }

  choose(option: string | null, question?: string): void {
    this.#driver.run((engine) => engine.choose(this.id, question, option ?? undefined));
  }

  pick(option: string, on: boolean): void {
    this.#driver.run((engine) => engine.pick(this.id, option, on));
  }

  setMode(mode: "choices" | "custom", question?: string): void {
    this.#driver.run((engine) => engine.setMode(this.id, question, mode === "custom"));
  }

  setText(text: string, caret?: number, question?: string): void {
    this.#driver.run((engine) => engine.setText(this.id, question, text, caret));
  }

  appendOption(label: string, description?: string, question?: string): void {
    this.#driver.run((engine) => engine.appendOption(this.id, question, label, description));
  }

  appendCriterion(label: string, question?: string): void {
    this.#driver.run((engine) => engine.appendCriterion(this.id, question, label));
  }

  save(): void {
    this.#driver.run((engine) => engine.save(this.id));
  }

  takeBackSave(): void {
    this.#driver.run((engine) => engine.takeBackSave(this.id));
  }

  dismissSave(): void {
    this.#driver.run((engine) => engine.dismissSave(this.id));
  }

  restoreSnippet(id: string): void {
    this.#driver.run((engine) => engine.restoreSnippet(this.id, id));
  }

  dropSnippet(id: string): void {
    this.#driver.run((engine) => engine.dropSnippet(this.id, id));
  }

  undo(): void {
    this.#driver.run((engine) => engine.undo(this.id));
  }

  redo(): void {
    this.#driver.run((engine) => engine.redo(this.id));
  }

  setPresence(where: { question?: string; cell?: string; field?: string } | null): void {
    const words = where ? JSON.stringify(where) : undefined;
    this.#driver.quietly((engine) => engine.setPresence(this.id, words));
  }

  async reopen(): Promise<void> {
    await this.#driver.request("reopen", this.id, "");
  }

  async discard(): Promise<void> {
    await this.#driver.request("discard", this.id, "");
  }

  async cancel(reason: string): Promise<void> {
    await this.#driver.request("cancel", this.id, reason);
  }

  async setWhy(text: string): Promise<void> {
    await this.#driver.request("why", this.id, text);
  }
}
