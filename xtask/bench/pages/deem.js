/** The page under measurement, with a card. */
import { openSpace } from "deem";
import "deem/define";

const ask = new URLSearchParams(location.search);
const card = document.querySelector("decision-card");
card.setAttribute("decision", ask.get("decision"));
const user = ask.get("user");
const store = await openSpace({ url: ask.get("relay"), space: "demo", user, storage: "memory" });
card.store = store;
window.handle = store.decision(ask.get("decision"));
/** Whether the first mark is on the screen. */
window.isShown = () => Boolean(card.shadowRoot?.querySelector('[data-mark="yes"]'));
