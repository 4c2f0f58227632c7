/**
 * The page's "go offline". A page cannot pull the cable, but all its traffic goes through here: while
 * cut, every socket it has open is closed and a new one never connects, `fetch` fails as without a
 * network, and `navigator.onLine` is false, with the events that come with it. Only the browser's own
 * requests for files of the page still reach their server. The switch is one person's on this
 * device: it holds for all their tabs, and over a reload.
 */
import { user } from "./people.js";

const KEY = `deem-demo:offline:${user}`;
/** The discard port of loopback: browsers refuse it without asking the network. */
const NOWHERE = "ws://127.0.0.1:9/";

type Listener = (isCut: boolean) => void;

const sockets = new Set<WebSocket>();
const listeners = new Set<Listener>();
let cut = localStorage.getItem(KEY) !== null;

/** A socket that goes with the switch. */
export class CuttableSocket extends WebSocket {
  constructor(url: string, protocols: string) {
    super(cut ? NOWHERE : url, protocols);
    sockets.add(this);
    this.addEventListener("close", () => sockets.delete(this));
  }
}

/** `fetch`, while the switch allows it. */
export const cuttableFetch: typeof fetch = (...request) =>
  cut ? Promise.reject(new TypeError("offline")) : fetch(...request);

export const isCut = (): boolean => cut;

export function setCut(on: boolean): void {
  if (on) localStorage.setItem(KEY, "yes");
  else localStorage.removeItem(KEY);
  turn(on);
}

/** Tells `listener` of each change; the switch may be turned in another tab. */
export function onCut(listener: Listener): void {
  listeners.add(listener);
}

function turn(on: boolean): void {
  if (on === cut) return;
  cut = on;
  if (on) for (const socket of sockets) socket.close();
  dispatchEvent(new Event(on ? "offline" : "online"));
  for (const listener of listeners) listener(on);
}

addEventListener("storage", (event) => {
  if (event.key === KEY) turn(event.newValue !== null);
});
// The own property comes before the browser's, which stands for the real network.
const real = (): boolean => Reflect.get(Navigator.prototype, "onLine", navigator) as boolean;
Object.defineProperty(navigator, "onLine", { get: () => !cut && real(), configurable: true });
