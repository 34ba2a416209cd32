"use client";

import { type ReactNode, useEffect, useMemo, useState } from "react";
import { DataList } from "./data-list.tsx";
import type { KeysetState, KeysetStore } from "./keyset-store.ts";
import { ListFailure } from "./list-failure.tsx";
import { ListSkeleton } from "./list-skeleton.tsx";
import { NewRowsPill } from "./new-rows-pill.tsx";
import { useActiveRow } from "./use-active-row.ts";
import { useIsNarrow } from "./use-is-narrow.ts";

export interface LiveListProps<Row extends { id: string }> {
  label: string;
  list: {
    store: KeysetStore<Row>;
    state: KeysetState<Row>;
    waiting: { fresh: number; moved: number };
    release: () => void;
    setHold: (hold: boolean) => void;
  };
  rowHeight: { wide: number; narrow: number };
  columns: string;
  header: ReactNode;
  renderRow: (row: Row) => ReactNode;
  /** Shown when there is no row. */
  empty: ReactNode;
}

/** A list with all of its states: to come, broken, empty, there; with a pill for rows that wait to be shown. */
export function LiveList<Row extends { id: string }>(props: LiveListProps<Row>) {
  const { list, rowHeight, empty, ...rest } = props;
  const { store, state } = list;
  const narrow = useIsNarrow();
  const [activeId, setActive] = useActiveRow();
  const scrollOffset = useMemo(
    () => ({
      get: () => store.scrollOffset,
      set: (offset: number) => {
        store.scrollOffset = offset;
      },
    }),
    [store],
  );
  // Another list begins at its own place.
  const [place, setPlace] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another store is another list.
  useEffect(() => setPlace((n) => n + 1), [store]);

  if (state.phase === "failed" && state.rows.length === 0)
    return <ListFailure error={state.error} onRetry={store.reload} />;
  if (state.rows.length === 0 && state.phase !== "ready")
    return <ListSkeleton rowHeight={narrow ? rowHeight.narrow : rowHeight.wide} />;
  if (state.rows.length === 0) return empty;
  const show = () => {
    list.release();
    scrollOffset.set(0);
    setActive(null);
    setPlace((n) => n + 1);
  };
  return (
    <div className="relative min-h-0 flex-1">
      <NewRowsPill {...list.waiting} onShow={show} />
      <DataList
        {...rest}
        key={place}
        rows={state.rows}
        totalCount={state.totalCountIsExact ? state.totalCount : -1}
        rowHeight={rowHeight}
        activeId={activeId}
        onActive={setActive}
        onEndReached={store.loadMore}
        loadingMore={state.phase === "loading-more"}
        failedMore={state.phase === "failed"}
        onHold={list.setHold}
        scrollOffset={scrollOffset}
      />
    </div>
  );
}
