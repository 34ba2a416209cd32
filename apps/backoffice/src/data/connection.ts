/** What the page's live connection does. `idle`: nothing on this page is live; `polling`: it asks again now and then. */
export type ConnectionState = "idle" | "connecting" | "live" | "catching-up" | "polling" | "reconnecting" | "offline";

const order: readonly ConnectionState[] = [
  "offline",
  "reconnecting",
  "connecting",
  "catching-up",
  "live",
  "polling",
  "idle",
];

export interface ConnectionStore {
  get: () => ConnectionState;
  subscribe: (onChange: () => void) => () => void;
  /** Registers one live reader; its state joins the page's. Call the result's `end` when it stops. */
  register: () => { set: (state: ConnectionState) => void; end: () => void };
  setOnline: (online: boolean) => void;
}

/** The page's connection is as good as the worst of its live readers. */
export function createConnectionStore(): ConnectionStore {
  const readers = new Map<symbol, ConnectionState>();
  const listeners = new Set<() => void>();
  let online = true;
  let current: ConnectionState = "idle";
  const update = () => {
    const next = online ? (order.find((state) => [...readers.values()].includes(state)) ?? "idle") : "offline";
    if (next === current) return;
    current = next;
    for (const listener of listeners) listener();
  };
  return {
    get: () => current,
    subscribe: (onChange) => {
      listeners.add(onChange);
      return () => listeners.delete(onChange);
    },
    register: () => {
      const key = Symbol("reader");
      readers.set(key, "connecting");
      update();
      return {
        set: (state) => {
          if (!readers.has(key)) return;
          readers.set(key, state);
          update();
        },
        end: () => {
          readers.delete(key);
          update();
        },
      };
    },
    setOnline: (next) => {
      online = next;
      update();
    },
  };
}
