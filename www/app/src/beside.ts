/** A second person in a split view: the same page in a frame, as somebody else. */
import { h } from "./dom.js";
import { nameOf, pageOf, somebodyElse, user } from "./people.js";

/** Whether this page is the one in the frame. */
export const isBeside = new URLSearchParams(location.search).has("beside");

const KEY = "deem-demo:beside";

/** Makes `toggle` open and close the second person. */
export function besideSwitch(toggle: HTMLButtonElement, pane: HTMLElement): void {
  toggle.hidden = isBeside;
  if (isBeside) return;
  const other = somebodyElse(user);
  const show = (on: boolean): void => {
    document.body.classList.toggle("split", on);
    toggle.setAttribute("aria-pressed", String(on));
    toggle.textContent = on ? "One person" : "Two people";
    pane.hidden = !on;
    pane.replaceChildren(...(on ? [frame(other)] : []));
    if (on) sessionStorage.setItem(KEY, "yes");
    else sessionStorage.removeItem(KEY);
  };
  toggle.addEventListener("click", () => show(pane.hidden !== false));
  show(sessionStorage.getItem(KEY) !== null);
}

function frame(person: string): HTMLIFrameElement {
  const url = pageOf(person);
  url.searchParams.set("beside", "");
  return h("iframe", { src: url.href, title: `The same plan, as ${nameOf(person)} sees it` });
}
