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
  if (!canShare()) return aloneTab(events);
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

  const lead = (steal: boolean): void => {
    const options = steal ? { steal: true } : { signal: stop.signal };
    let led = false;
    locks
      .request(`${name}:leader`, options, () => {
        if (stop.signal.aborted) return undefined;
        led = true;
        events.leading();
        return held;
      })
      .catch(() => {
        // Aborted: this tab closes, or another one stole the lock and this one queues again.
        if (stop.signal.aborted) return;
        if (led) events.stolen();
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
    steal: () => lead(true),
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

function aloneTab(events: TabEvents): Tabs {
  const timer = setTimeout(() => events.leading(), 0);
  return {
    post() {},
    steal() {},
    watch() {},
    close: () => clearTimeout(timer),
  };
}

/** `storage: "memory"` shares nothing, so it leads itself too. */
export { aloneTab };
