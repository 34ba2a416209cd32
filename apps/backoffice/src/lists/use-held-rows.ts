"use client";

import { useCallback, useEffect, useRef, useState } from "react";
import type { KeysetState, KeysetStore } from "./keyset-store.ts";
import { countWaiting, type LivePatch, mergePatch, release } from "./live-merge.ts";

/** A list whose rows change while somebody reads them. */
export interface HeldRows<Row> {
  store: KeysetStore<Row>;
  state: KeysetState<Row>;
  /** Rows that wait to be shown at their place. */
  waiting: { fresh: number; moved: number };
  /** Shows what waits. */
  release: () => void;
  /** Tells whether the reader is looking at the rows, so that nothing may move. */
  setHold: (hold: boolean) => void;
}

/**
 * Lets patches into a loaded list: rows change in place, others wait while the list is held. `key` names what the list
 * shows: nothing that waits for one list is shown in another.
 */
export function useHeldRows<Row extends { id: string }>({
  store,
  state,
  compare,
  key,
}: {
  store: KeysetStore<Row>;
  state: KeysetState<Row>;
  /** The list's order. */
  compare: (a: Row, b: Row) => number;
  key: string;
}): { held: HeldRows<Row>; apply: (patch: LivePatch<Row>) => void } {
  const [waiting, setWaiting] = useState<ReadonlyMap<string, Row>>(new Map());
  const hold = useRef(false);
  const latest = useRef({ waiting, store, compare });
  latest.current = { waiting, store, compare };

  const put = useCallback((next: { rows: readonly Row[]; waiting: ReadonlyMap<string, Row> }) => {
    latest.current.waiting = next.waiting;
    setWaiting(next.waiting);
    latest.current.store.update(() => next.rows);
  }, []);
  const apply = useCallback(
    (patch: LivePatch<Row>) => {
      const { store, waiting, compare } = latest.current;
      const { rows, hasMore } = store.get();
      put(mergePatch({ rows, waiting }, patch, { hold: hold.current, compare, hasMore }));
    },
    [put],
  );
  const releaseNow = useCallback(() => {
    const { store, waiting, compare } = latest.current;
    put(release({ rows: store.get().rows, waiting }, compare));
  }, [put]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another key is another list.
  useEffect(() => setWaiting(new Map()), [key]);
  const setHold = useCallback(
    (next: boolean) => {
      hold.current = next;
      if (!next) releaseNow();
    },
    [releaseNow],
  );
  return {
    held: { store, state, waiting: countWaiting({ rows: state.rows, waiting }), release: releaseNow, setHold },
    apply,
  };
}

/** Nothing is looked after while the first page is not there, or there is nothing. */
export const hasNothingYet = ({ phase, rows }: KeysetState<unknown>): boolean =>
  phase === "empty" || (phase === "loading" && rows.length === 0);
