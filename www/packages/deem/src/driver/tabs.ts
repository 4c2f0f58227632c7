/**
 * One leader per space among this browser's tabs (B3.3): Web Locks say who, BroadcastChannel
 * carries what they tell each other. Without Web Locks every tab leads itself.
 */

export interface TabEvents {
  /** This tab holds the leader lock from now on. */
  leading(): void;
  /** Another tab took the lock from this one. */
  stolen(): void;
  message(bytes: Uint8Array): void;
  /** The tab with this id is gone: its lock was free. */
  gone(tab: string): void;
}

export interface Tabs {
  post(bytes: Uint8Array): void;
  steal(): void;
  watch(tab: string): void;
  close(): void;
}

/** Whether tabs can know of each other here; plain HTTP has no locks. */
export function canShare(): boolean {
  const locks = typeof navigator === "undefined" ? undefined : navigator.locks;
  return locks !== undefined && typeof BroadcastChannel !== "undefined";
}

export function joinTabs(name: string, tab: string, events: TabEvents): Tabs {
  if (!canShare()) return aloneTab(events, roomOf(name, tab));
  const { locks } = navigator;
  const channel = new BroadcastChannel(name);
  channel.onmessage = (message: MessageEvent<unknown>) => {
    if (message.data instanceof Uint8Array) events.message(message.data);
  };
  const stop = new AbortController();
  let release: () => void = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const watched = new Set<string>();

  let leads = false;
  let queued = false;
  const lead = (steal: boolean): void => {
    if (!steal && queued) return;
    if (!steal) queued = true;
    const options = steal ? { steal: true } : { signal: stop.signal };
    let mine = false;
    locks
      .request(`${name}:leader`, options, () => {
        if (!steal) queued = false;
        if (stop.signal.aborted) return undefined;
        mine = true;
        leads = true;
        events.leading();
        return held;
      })
      .catch(() => {
        // Aborted: this tab closes, or another one stole the lock and this one queues again.
        if (stop.signal.aborted) return;
        if (mine) {
          leads = false;
          events.stolen();
        }
        lead(false);
      });
  };
  // Whoever hears this tab watches its lock, so nothing is said before the lock is held: a leader
  // that found it free would take the tab for gone while it lives.
  let unsaid: Uint8Array[] | undefined = [];
  locks
    .request(`${name}:tab:${tab}`, { signal: stop.signal }, () => {
      if (stop.signal.aborted) return undefined;
      for (const bytes of unsaid ?? []) channel.postMessage(bytes);
      unsaid = undefined;
      return held;
    })
    .catch(() => {});
  lead(false);

  return {
    post: (bytes) => (unsaid ? void unsaid.push(bytes) : channel.postMessage(bytes)),
    steal: () => leads || lead(true),
    watch(other) {
      if (watched.has(other)) return;
      watched.add(other);
      locks
        .request(`${name}:tab:${other}`, { signal: stop.signal }, () => {
          watched.delete(other);
          events.gone(other);
        })
        .catch(() => {});
    },
    close() {
      stop.abort();
      release();
      channel.close();
    },
  };
}

/** How long a tab that lives has to say so, ms; one that sleeps longer may send its edits twice. */
const ANSWER_MS_MAX = 1_000;

/** Where tabs without locks ask each other whether they live. */
interface Room {
  ask(tab: string, gone: () => void): void;
  close(): void;
}

function roomOf(name: string, tab: string): Room {
  if (typeof BroadcastChannel === "undefined") return { ask: (_, gone) => gone(), close() {} };
  const channel = new BroadcastChannel(`${name}:alive`);
  const asked = new Map<string, ReturnType<typeof setTimeout>>();
  channel.onmessage = ({ data }: MessageEvent<{ ask?: string; lives?: string }>) => {
    if (data.ask === tab) channel.postMessage({ lives: tab });
    if (data.lives === undefined) return;
    clearTimeout(asked.get(data.lives));
    asked.delete(data.lives);
  };
  return {
    ask(other, gone) {
      if (asked.has(other)) return;
      const late = (): void => {
        asked.delete(other);
        gone();
      };
      asked.set(other, setTimeout(late, ANSWER_MS_MAX));
      channel.postMessage({ ask: other });
    },
    close() {
      for (const timer of asked.values()) clearTimeout(timer);
      channel.close();
    },
  };
}

/** Each tab is its own client; what a tab that is gone left in their device becomes its own. */
function aloneTab(events: TabEvents, room?: Room): Tabs {
  const timer = setTimeout(() => events.leading(), 0);
  return {
    post() {},
    steal() {},
    watch: (other) => room?.ask(other, () => events.gone(other)),
    close() {
      clearTimeout(timer);
      room?.close();
    },
  };
}

/** `storage: "memory"` shares nothing, so it leads itself too. */
export { aloneTab };
