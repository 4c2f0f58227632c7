/** The demo page: the plan, the decisions of its space, and who is looking. */
import "deem/define";
import { openSpace, type SpaceStore } from "deem";
import { en } from "deem/element";
import { besideSwitch } from "./beside.js";
import { PlanDocument } from "./document.js";
import { button, h, part } from "./dom.js";
import { DecisionList } from "./list.js";
import { CuttableSocket, isCut, onCut, setCut } from "./network.js";
import { keepFiles } from "./offline.js";
import { personSwitcher, user, wrongUser } from "./people.js";
import { RaiseForm } from "./raise.js";
import { addressOf, route } from "./route.js";
import { Tray } from "./tray.js";
import { showWaiting } from "./waiting.js";

/** A state of at most this many letters stands beside the name of the space on a phone. */
const SHORT = 8;

const notice = part("notice", HTMLElement);

async function start(): Promise<void> {
  void keepFiles();
  personSwitcher(part("person", HTMLSelectElement));
  networkSwitch(part("network", HTMLButtonElement));
  const { space, wrong } = route();
  addEventListener("hashchange", () => {
    if (route().space !== space || route().wrong !== wrong) location.reload();
  });
  const bad = wrong === undefined ? wrongUser : wrong;
  if (bad !== null) return refuse(wrong === undefined ? "person" : "space", bad);
  besideSwitch(part("beside", HTMLButtonElement), part("pane", HTMLElement));
  part("space", HTMLElement).textContent = space;
  document.title = `${space} · Deem`;
  const store = await openSpace({ url: location.origin, space, user, WebSocket: CuttableSocket });
  new Page(store).show();
}

function refuse(kind: string, bad: string): void {
  part("space", HTMLElement).textContent = "";
  part("paper", HTMLElement).hidden = true;
  notice.append(`The address names the ${kind} “${bad}”, and no ${kind} can be called so. `);
  notice.append(h("a", { href: "/" }, "Go to the demo"));
  notice.hidden = false;
}

function networkSwitch(toggle: HTMLButtonElement): void {
  const show = (): void => {
    toggle.textContent = isCut() ? "Go online" : "Go offline";
    toggle.setAttribute("aria-pressed", String(isCut()));
  };
  toggle.addEventListener("click", () => setCut(!isCut()));
  onCut(show);
  show();
}

/** An open space on the page. */
class Page {
  readonly #plan: PlanDocument;
  readonly #tray: Tray;
  readonly #list: DecisionList;
  readonly #form: RaiseForm;
  /** The decision that the address names, until it has been shown. */
  #wanted = route().decision;
  // What the page opens with is brought into view; only who asks for a card later is put into it.
  #atStart = true;

  constructor(private readonly store: SpaceStore) {
    const update = (): void => this.#update();
    const paper = part("paper", HTMLElement);
    this.#plan = new PlanDocument(paper, part("carets", HTMLElement), store, update);
    this.#tray = new Tray(store, (id, question) => this.#place(id, question));
    this.#form = new RaiseForm(part("raise", HTMLDialogElement), store, (id, question) =>
      this.#place(id, question),
    );
    this.#list = new DecisionList(store, this.#tray.el, () => this.#form.open());
  }

  show(): void {
    const { store } = this;
    part("aside", HTMLElement).append(this.#list.el);
    part("loose", HTMLElement).replaceWith(this.#tray.open);
    this.#plan.onUnplaced((unplaced) => {
      this.#tray.update(unplaced);
      this.#update();
    });
    store.subscribe(() => this.#update());
    addEventListener("hashchange", () => {
      if (route().space !== store.space) return;
      this.#atStart = false;
      this.#wanted = route().decision;
      this.#update();
    });
    addEventListener("pagehide", () => void store.close());
    this.#update();
  }

  #update(): void {
    this.#list.update(route().decision);
    status(this.store, this.#plan.waiting);
    this.#reveal();
    showWaiting(this.store);
    noticeFor(this.store, this.#form, this.#wanted);
  }

  /** A deep link may name a decision that this device does not know yet. */
  #reveal(): void {
    const id = this.#wanted;
    if (id === null || !this.store.decisions().some((one) => one.id === id)) return;
    const loose = this.#tray.show(id);
    // Until the text is here nobody can say that a decision stands nowhere in it.
    if (!loose && !this.#plan.has(id)) return;
    if (loose && this.#plan.isEmpty && this.store.status().online) return;
    this.#wanted = null;
    const focus = !this.#atStart;
    requestAnimationFrame(() => {
      document
        .querySelector(`decision-card[decision="${CSS.escape(id)}"]`)
        ?.scrollIntoView({ block: "start" });
      if (focus && loose) this.#tray.focus();
      else if (focus) this.#plan.focus(id);
    });
  }

  #place(id: string, question: string): void {
    this.#plan.place(id, question);
    const address = addressOf(this.store.space, id);
    if (location.hash === address) {
      this.#wanted = id;
      this.#update();
    } else location.assign(address);
  }
}

function status(store: SpaceStore, waiting: number): void {
  const now = store.status();
  const el = part("status", HTMLElement);
  const lost = now.lost === undefined ? "" : ` · ${now.lost} edits are gone from this device`;
  const prose = waiting === 0 || now.online ? "" : " · text waits too";
  const text = en.sync(now) + lost + prose;
  if (el.textContent !== text) el.textContent = text;
  el.dataset["state"] = now.state === "cannot-store" && !now.online ? "device" : now.state;
  el.toggleAttribute("data-short", text.length <= SHORT);
  el.dataset["online"] = String(now.online);
}

/** An empty space offers its first decision; an address that names none that is here says so. */
function noticeFor(store: SpaceStore, form: RaiseForm, wanted: string | null): void {
  const all = store.decisions();
  const empty = all.length === 0;
  const { online } = store.status();
  const away = "The relay is away, and this device knows no decision of this space yet.";
  const nothing = online ? "No decision has been raised here yet." : away;
  const here = wanted === null || all.some((one) => one.id === wanted);
  const unknown = here ? "" : `No decision of this space is called ${wanted}.`;
  const text = empty ? nothing : unknown;
  if (notice.dataset["text"] === text) return;
  notice.dataset["text"] = text;
  notice.hidden = text === "";
  notice.replaceChildren(text);
  if (!empty || !online) return;
  notice.append(
    h("span", { class: "buttons" }, button("Raise a decision", () => form.open(), "main")),
  );
}

start().catch((error: unknown) => {
  notice.textContent = `This space could not be opened: ${error instanceof Error ? error.message : String(error)}`;
  notice.hidden = false;
});
