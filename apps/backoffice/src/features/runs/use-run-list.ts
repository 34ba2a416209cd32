"use client";

import { useCallback, useEffect, useRef, useState } from "react";
import { useClient } from "../../data/data-provider.tsx";
import { usePolling } from "../../data/use-polling.ts";
import type { KeysetState, KeysetStore } from "../../lists/keyset-store.ts";
import { countWaiting, mergePatch, release } from "../../lists/live-merge.ts";
import { useKeysetList } from "../../lists/use-keyset-list.ts";
import { type RunFilters, toRunFilter } from "./run-filters.ts";
import { newestRunsDocument, type RunListRow, runsDocument } from "./runs-documents.ts";

/** The API has no live list of runs: the newest ones are asked for again after this time. */
const pollMs = 4000;
const newest = 40;
/** Runs that were open when they were read and may have ended since. */
const mostOpen = 60;

/** Newest first, as the API keeps the list. */
export const compareRuns = (a: Pick<RunListRow, "id" | "queuedAt">, b: Pick<RunListRow, "id" | "queuedAt">): number => {
  const [left, right] = a.queuedAt === b.queuedAt ? [a.id, b.id] : [a.queuedAt, b.queuedAt];
  return left === right ? 0 : left < right ? 1 : -1;
};

const isOpen = (run: RunListRow): boolean => run.status === "QUEUED" || run.status === "RUNNING";

export interface RunList {
  store: KeysetStore<RunListRow>;
  state: KeysetState<RunListRow>;
  waiting: { fresh: number; moved: number };
  release: () => void;
  setHold: (hold: boolean) => void;
}

/** The runs that match, page by page; the newest ones and those still open are looked after. */
export function useRunList(filters: RunFilters): RunList {
  const client = useClient();
  const filter = toRunFilter(filters);
  const key = JSON.stringify(filter);
  const { store, state } = useKeysetList(runsDocument, { filter }, (data) => data.runs);
  const [waiting, setWaiting] = useState<ReadonlyMap<string, RunListRow>>(new Map());
  const hold = useRef(false);
  const latest = useRef({ waiting, store, filters });
  latest.current = { waiting, store, filters };

  const put = useCallback((next: { rows: readonly RunListRow[]; waiting: ReadonlyMap<string, RunListRow> }) => {
    latest.current.waiting = next.waiting;
    setWaiting(next.waiting);
    latest.current.store.update(() => next.rows);
  }, []);

  usePolling(
    pollMs,
    async (signal) => {
      const asked = latest.current.store;
      const open = asked.get().rows.filter(isOpen).slice(0, mostOpen);
      const answer = await client.request(
        newestRunsDocument,
        { first: newest, filter: toRunFilter(latest.current.filters), open: open.map((run) => run.id) },
        { signal },
      );
      const { store, waiting, filters } = latest.current;
      if (store !== asked) return;
      const again = answer.nodes.flatMap((node) => (node?.__typename === "Run" ? [node] : []));
      const { rows, hasMore } = store.get();
      const matches = ({ status }: RunListRow) => filters.statuses.length === 0 || filters.statuses.includes(status);
      const upserted = [...again.filter(matches), ...answer.runs.nodes];
      const removed = again.filter((run) => !matches(run)).map((run) => run.id);
      put(mergePatch({ rows, waiting }, { upserted, removed }, { hold: hold.current, compare: compareRuns, hasMore }));
    },
    { pause: state.phase === "empty" || (state.phase === "loading" && state.rows.length === 0) },
  );

  const releaseNow = useCallback(() => {
    const { store, waiting } = latest.current;
    put(release({ rows: store.get().rows, waiting }, compareRuns));
  }, [put]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: other filters make another list.
  useEffect(() => setWaiting(new Map()), [key]);
  const setHold = useCallback(
    (next: boolean) => {
      hold.current = next;
      if (!next) releaseNow();
    },
    [releaseNow],
  );
  return { store, state, waiting: countWaiting({ rows: state.rows, waiting }), release: releaseNow, setHold };
}
