/**
 * What every element of this package has: words by the page's language, a store, a shadow root, and
 * light DOM that reads without script. `DecisionElement` adds one decision.
 */
import { en, type FirstStrings } from "../locale/en.js";
import { loadStrings, stringsOf } from "../locale/index.js";
import type { CardSnapshot, DecisionHandle, SpaceStore } from "../types.js";
import { h, say, set, show } from "./dom.js";
import { adopt, CARD } from "./styles.js";
import { tooOld, type Unsupported, wasmBlocked } from "./support.js";

/** How long a first connection may take before it is said that there is none. */
const PATIENCE_MS = 2_000;

/** On a server there is no HTMLElement; importing this there must not fail. */
const Base: typeof HTMLElement =
  globalThis.HTMLElement ?? (class {} as unknown as typeof HTMLElement);

/** What a card, a page and the Save bar share. */
export abstract class DeemElement extends Base {
  static readonly observedAttributes = ["lang", "decision", "heading-level", "mode", "href"];

  #root: ShadowRoot | null = null;
  #store: SpaceStore | null = null;
  #given: FirstStrings | null = null;
  #shownIn: FirstStrings | null = null;

  constructor() {
    super();
    // Too old a browser keeps its light DOM: a shadow root would hide it.
    if (tooOld()) return;
    this.#root = this.shadowRoot ?? this.attachShadow({ mode: "open" });
    adopt(this.#root, CARD);
  }

  /** The open space. */
  get store(): SpaceStore | null {
    return this.#store;
  }
  set store(store: SpaceStore | null) {
    if (store === this.#store) return;
    this.#store = store;
    this.found();
  }

  /** The words shown: those given, else those of the nearest `lang`, else English. */
  get strings(): FirstStrings {
    return this.#given ?? stringsOf(langOf(this)) ?? en;
  }
  set strings(strings: FirstStrings | null) {
    this.#given = strings;
    this.refresh();
  }

  connectedCallback(): void {
    // Properties that a host set before the element was defined hide the accessors: take them in.
    for (const name of ["strings", "nameOf", "store", "handle", "problem"]) {
      if (!Object.hasOwn(this, name)) continue;
      const value = Reflect.get(this, name);
      Reflect.deleteProperty(this, name);
      Reflect.set(this, name, value);
    }
    this.found();
  }

  attributeChangedCallback(name: string): void {
    if (name === "mode") this.reset();
    this.found();
    this.refresh();
  }

  protected get root(): ShadowRoot {
    if (this.#root === null) throw new Error("nothing is drawn in a browser that is too old");
    return this.#root;
  }

  /** Another store, or the element came into a document. */
  protected found(): void {
    this.refresh();
  }

  /** Forgets the parts made in another language. */
  protected abstract reset(): void;
  protected abstract draw(): void;

  /** Shows what is known now, once its words are here. */
  protected refresh(): void {
    if (!this.isConnected || this.#root === null) return;
    const words = this.#given ?? stringsOf(langOf(this));
    if (!words) return void loadStrings(langOf(this)).then(() => this.refresh());
    if (words !== this.#shownIn) {
      if (this.#shownIn) this.reset();
      this.#shownIn = words;
    }
    this.draw();
  }
}

/** An element that shows one decision. */
export abstract class DecisionElement extends DeemElement {
  readonly #slot = h("slot");
  #plain: HTMLElement | null = null;
  #reason: HTMLElement | null = null;
  #handle: DecisionHandle | null = null;
  #problem: unknown = null;
  #nameOf: ((person: string) => string) | null = null;
  #stop: (() => void) | null = null;
  /** A first connection has had its time. */
  #waited = false;

  /** The decision itself, for a host without a store. */
  get handle(): DecisionHandle | null {
    return this.#handle;
  }
  set handle(handle: DecisionHandle | null) {
    if (handle === this.#handle) return;
    this.#disconnect();
    this.#handle = handle;
    this.reset();
    this.#connect();
  }

  get decision(): string {
    return this.getAttribute("decision") ?? "";
  }
  set decision(id: string) {
    this.setAttribute("decision", id);
  }

  /** What `openSpace` failed with: the light DOM stays, with the reason in words. */
  get problem(): unknown {
    return this.#problem;
  }
  set problem(problem: unknown) {
    this.#problem = problem;
    this.refresh();
  }

  /**
   * How a person's `sub` is shown; by default the name of someone present, else the `sub` itself.
   */
  get nameOf(): ((person: string) => string) | null {
    return this.#nameOf;
  }
  set nameOf(nameOf: ((person: string) => string) | null) {
    this.#nameOf = nameOf;
    this.refresh();
  }

  /** 1 to 6, by the attribute `heading-level`. */
  get headingLevel(): number {
    const level = Number(this.getAttribute("heading-level") ?? this.levelUsual);
    return level >= 1 && level <= 6 ? level : this.levelUsual;
  }

  /** `mode="form"`: one select per cell in place of the grid's keys. */
  get mode(): "grid" | "form" {
    return this.getAttribute("mode") === "form" ? "form" : "grid";
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#connect();
    if (tooOld() && !this.#reason) this.#explain("browser");
  }

  disconnectedCallback(): void {
    this.#disconnect();
  }

  protected get levelUsual(): number {
    return 3;
  }

  protected name(person: string): string {
    if (this.#nameOf) return this.#nameOf(person);
    const present = this.#handle?.snapshot()?.presence.find((one) => one.person === person);
    return present?.name ?? person;
  }

  protected abstract update(snap: CardSnapshot, handle: DecisionHandle): void;

  protected override found(): void {
    if (this.store && this.decision !== "" && this.#handle?.id !== this.decision)
      this.handle = this.store.decision(this.decision);
    super.found();
  }

  /** Until the record is known the light DOM stays: the card as plain HTML. */
  protected override draw(): void {
    const handle = this.#handle;
    const snap = handle?.snapshot();
    this.#keepPlain(snap === undefined);
    if (handle && snap) this.update(snap, handle);
  }

  #keepPlain(on: boolean): void {
    if (on && !this.#plain) {
      this.#plain = h("div", { class: "card plain" }, this.#slot);
      this.root.prepend(this.#plain);
    }
    if (!this.#plain) return;
    show(this.#plain, on);
    if (on) this.#explain(this.#why());
  }

  #why(): Unsupported | null {
    if (wasmBlocked() && !this.#handle) return "wasm";
    if (this.#problem !== null) return "failed";
    if (!this.#handle || !this.store) return null;
    if (!this.#waited) return null;
    // A relay that is reached has told of every decision there is.
    return this.store.status().online ? "unknown" : "unreached";
  }

  /** The reason, below the light DOM, or in it where there is no shadow root. */
  #explain(why: Unsupported | null): void {
    if (why === null) return void this.#reason?.remove();
    this.#reason ??= h("p", { class: "reason", role: "status", part: "reason" });
    set(this.#reason, { "data-reason": why });
    say(this.#reason, this.strings.unsupported[why]);
    const place = this.#plain ?? this;
    if (this.#reason.parentElement !== place) place.append(this.#reason);
  }

  #connect(): void {
    const handle = this.#handle;
    if (!handle || !this.isConnected || this.#stop) return;
    const close = handle.open();
    const unsubscribe = handle.subscribe(() => this.refresh());
    const unknown = () => {
      if (!handle.snapshot()) this.refresh();
    };
    const leave = this.store?.subscribe(unknown);
    const patience = setTimeout(() => {
      this.#waited = true;
      unknown();
    }, PATIENCE_MS);
    this.#stop = () => {
      clearTimeout(patience);
      leave?.();
      unsubscribe();
      handle.setPresence(null);
      close();
    };
    this.refresh();
  }

  #disconnect(): void {
    this.#stop?.();
    this.#stop = null;
  }
}

/** The nearest `lang`, through shadow roots; "" where none is given. */
function langOf(el: Element): string {
  for (let at: Element | null = el; at; ) {
    const near: Element | null = at.closest("[lang]");
    if (near) return near.getAttribute("lang") ?? "";
    const root = at.getRootNode();
    at = root instanceof ShadowRoot ? root.host : null;
  }
  return "";
}
