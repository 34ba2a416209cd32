"use client";

import { isActiveRun } from "@wheelhouse/domain";
import { useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { useClient, useConnectionStore } from "../../data/data-provider.tsx";
import { createRunStore, type RunState, type RunStore } from "./run-store.ts";

/** The run of the page: opened when it is mounted, closed when it is left. */
export function useRun(runId: string): { store: RunStore; state: RunState } {
  const client = useClient();
  const connection = useConnectionStore();
  const store = useMemo(() => createRunStore(client, runId), [client, runId]);
  const state = useSyncExternalStore(store.subscribe, store.getState, store.getState);
  useEffect(() => {
    store.open();
    return store.close;
  }, [store]);
  const { connection: reached } = state;
  useEffect(() => {
    if (reached === "closed") return;
    const reader = connection.register();
    reader.set(reached);
    return reader.end;
  }, [connection, reached]);
  return { store, state };
}

/** How often the bars of running steps grow; milliseconds. */
const tickMs = 200;

/** Epoch milliseconds: ticking while the run is active, otherwise where it stood. */
export function useRunClock(status: Parameters<typeof isActiveRun>[0]): number {
  const [now, setNow] = useState(() => Date.now());
  const active = isActiveRun(status);
  useEffect(() => {
    if (!active) return;
    const timer = setInterval(() => setNow(Date.now()), tickMs);
    return () => clearInterval(timer);
  }, [active]);
  return now;
}
