/**
 * What every element of this package has: a store or a handle by property, a shadow root, and light
 * DOM that reads without script.
 */
import { en, type Strings } from "../locale/en.js";
import type { CardSnapshot, DecisionHandle, SpaceStore } from "../types.js";
import { h, show } from "./dom.js";
import { sheet } from "./styles.js";

/** On a server there is no HTMLElement; importing this there must not fail. */
const Base: typeof HTMLElement =
  globalThis.HTMLElement ?? (class {} as unknown as typeof HTMLElement);

export abstract class DecisionElement extends Base {
  static readonly observedAttributes = ["decision", "heading-level"];

  readonly #root: ShadowRoot;
  readonly #slot: HTMLSlotElement;
  #store: SpaceStore | null = null;
  #handle: DecisionHandle | null = null;
  #strings: Strings = en;
  #nameOf: ((person: string) => string) | null = null;
  #stop: (() => void) | null = null;

  constructor() {
    super();
    this.#root = this.shadowRoot ?? this.attachShadow({ mode: "open" });
    this.#root.adoptedStyleSheets = [sheet()];
    this.#slot = h("slot");
    this.#root.append(this.#slot);
  }

  /** The open space; with the attribute `decision` it gives the handle. */
  get store(): SpaceStore | null {
    return this.#store;
  }
  set store(store: SpaceStore | null) {
    if (store === this.#store) return;
    this.#store = store;
    this.#find();
  }

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

  get strings(): Strings {
    return this.#strings;
  }
  set strings(strings: Strings) {
    this.#strings = strings;
    this.reset();
    this.#update();
  }

  /**
   * How a person's `sub` is shown; by default the name of someone present, else the `sub` itself.
   */
  get nameOf(): ((person: string) => string) | null {
    return this.#nameOf;
  }
  set nameOf(nameOf: ((person: string) => string) | null) {
    this.#nameOf = nameOf;
    this.#update();
  }

  get headingLevel(): number {
    const level = Number(this.getAttribute("heading-level") ?? 3);
    return level >= 1 && level <= 6 ? level : 3;
  }

  connectedCallback(): void {
    // Properties that a host set before the element was defined hide the accessors: take them in.
    for (const name of ["strings", "nameOf", "store", "handle"] as const) {
      if (!Object.hasOwn(this, name)) continue;
      const value = this[name];
      Reflect.deleteProperty(this, name);
      Reflect.set(this, name, value);
    }
    this.#find();
    this.#connect();
  }

  disconnectedCallback(): void {
    this.#disconnect();
  }

  attributeChangedCallback(): void {
    this.#find();
    this.#update();
  }

  protected get root(): ShadowRoot {
    return this.#root;
  }

  protected name(person: string): string {
    if (this.#nameOf) return this.#nameOf(person);
    const present = this.#handle?.snapshot()?.presence.find((one) => one.person === person);
    return present?.name ?? person;
  }

  /** Forgets the parts made for another decision or another language. */
  protected abstract reset(): void;
  protected abstract update(snap: CardSnapshot, handle: DecisionHandle): void;

  protected refresh(): void {
    this.#update();
  }

  #find(): void {
    if (this.#store && this.decision !== "" && this.#handle?.id !== this.decision)
      this.handle = this.#store.decision(this.decision);
  }

  #connect(): void {
    const handle = this.#handle;
    if (!handle || !this.isConnected || this.#stop) return;
    const close = handle.open();
    const unsubscribe = handle.subscribe(() => this.#update());
    this.#stop = () => {
      unsubscribe();
      handle.setPresence(null);
      close();
    };
    this.#update();
  }

  #disconnect(): void {
    this.#stop?.();
    this.#stop = null;
  }

  /** Until the record is known the light DOM stays: the card as plain HTML. */
  #update(): void {
    const handle = this.#handle;
    const snap = handle?.snapshot();
    show(this.#slot, snap === undefined);
    if (handle && snap && this.isConnected) this.update(snap, handle);
  }
}
