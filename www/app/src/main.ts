/** The demo page: the plan, the decisions of its space, and who is looking. */
import "deem/define";
import { en } from "deem/element";
import { openSpace, type SpaceStore } from "deem";
import { PlanDocument } from "./document.js";
import { button, h, part } from "./dom.js";
import { DecisionList } from "./list.js";
import { nameOf, personSwitcher, user, wrongUser } from "./people.js";
import { type Seed, seeds } from "./plan.js";
import { type NewDecision, raise, RaiseForm } from "./raise.js";
import { addressOf, route } from "./route.js";

/** A state of at most this many letters stands beside the name of the space on a phone. */
const SHORT = 8;

const notice = part("notice", HTMLElement);

async function start(): Promise<void> {
  personSwitcher(part("person", HTMLSelectElement));
  const { space, wrong } = route();
  addEventListener("hashchange", () => {
    if (route().space !== space || route().wrong !== wrong) location.reload();
  });
  const bad = wrong === undefined ? wrongUser : wrong;
  if (bad !== null) {
    const kind = wrong === undefined ? "person" : "space";
    part("space", HTMLElement).textContent = "";
    part("paper", HTMLElement).hidden = true;
    notice.append(`The address names the ${kind} “${bad}”, and no ${kind} can be called so. `);
    notice.append(h("a", { href: "/" }, "Go to the demo"));
    notice.hidden = false;
    return;
  }
  part("space", HTMLElement).textContent = space;
  document.title = `${space} · Deem`;
  const store = await openSpace({ url: location.origin, space, user });
  const plan = new PlanDocument(part("paper", HTMLElement), store);
  const form = new RaiseForm(part("raise", HTMLDialogElement), store, (id) =>
    location.assign(addressOf(space, id)),
  );
  const list = new DecisionList(store, () => form.open());
  part("aside", HTMLElement).append(list.el);

  let wanted = route().decision;
  // What the page opens with is brought into view; only who asks for a card later is put into it.
  let atStart = true;
  part("kept", HTMLElement).hidden = false;
  const update = (): void => {
    list.update(route().decision);
    status(store);
    plan.place();
    // A deep link may name a decision that this device does not know yet.
    if (wanted !== null && store.decisions().some((one) => one.id === wanted)) {
      plan.show(wanted, !atStart);
      wanted = null;
    }
    waiting(store);
    noticeFor(store, form, wanted);
  };
  store.subscribe(update);
  addEventListener("hashchange", () => {
    if (route().space !== space) return;
    atStart = false;
    wanted = route().decision;
    update();
  });
  addEventListener("pagehide", () => void store.close());
  update();
}

/** Edits of other people that wait here: said, never sent (B3.2). */
function waiting(store: SpaceStore): void {
  const el = part("waits", HTMLElement);
  const text = store
    .status()
    .others.map(({ person, rows }) => {
      const name = nameOf(person);
      const waits = rows === 1 ? "1 edit" : `${rows} edits`;
      const sent = rows === 1 ? "It is" : "They are";
      return `${name} has ${waits} waiting on this device. ${sent} sent when ${name} signs in.`;
    })
    .join(" ");
  if (el.textContent !== text) el.textContent = text;
  el.hidden = text === "";
}

function status(store: SpaceStore): void {
  const now = store.status();
  const el = part("status", HTMLElement);
  const lost = now.lost === undefined ? "" : ` · ${now.lost} edits are gone from this device`;
  const text = en.sync(now) + lost;
  if (el.textContent !== text) el.textContent = text;
  el.dataset["state"] = now.state === "cannot-store" && !now.online ? "device" : now.state;
  el.toggleAttribute("data-short", text.length <= SHORT);
  el.dataset["online"] = String(now.online);
}

/** An empty space offers its first decision; an address that names none that is here says so. */
function noticeFor(store: SpaceStore, form: RaiseForm, wanted: string | null): void {
  const empty = store.decisions().length === 0;
  const { online } = store.status();
  const away = "The relay is away, and this device knows no decision of this space yet.";
  const nothing = online ? "No decision has been raised here yet." : away;
  const unknown = wanted === null ? "" : `No decision of this space is called ${wanted}.`;
  const text = empty ? nothing : unknown;
  if (notice.dataset["text"] === text) return;
  notice.dataset["text"] = text;
  notice.hidden = text === "";
  notice.replaceChildren(text);
  if (!empty || !online) return;
  const offers = h("span", { class: "buttons" });
  if (store.space === "demo") {
    offers.append(button("Raise the questions of this plan", () => void raiseAll(store), "main"));
  }
  offers.append(button("Raise a decision", () => form.open()));
  notice.append(offers);
}

async function raiseAll(store: SpaceStore): Promise<void> {
  try {
    for (const seed of [...seeds].reverse())
      await raise(store.space, seed satisfies Seed as NewDecision);
  } catch (error) {
    notice.textContent = `Not raised: ${error instanceof Error ? error.message : String(error)}`;
  }
}

start().catch((error: unknown) => {
  notice.textContent = `This space could not be opened: ${error instanceof Error ? error.message : String(error)}`;
  notice.hidden = false;
});
