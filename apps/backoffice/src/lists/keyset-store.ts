export interface KeysetPage<Row> {
  rows: readonly Row[];
  endCursor: string | null;
  hasMore: boolean;
  totalCount: number;
  totalCountIsExact: boolean;
}

export interface KeysetState<Row> {
  rows: readonly Row[];
  /** `empty`: nothing was asked yet. `failed` with rows: the next page failed, what is there stays. */
  phase: "empty" | "loading" | "ready" | "loading-more" | "failed";
  error: unknown;
  hasMore: boolean;
  totalCount: number;
  totalCountIsExact: boolean;
}

export interface KeysetStore<Row> {
  get: () => KeysetState<Row>;
  subscribe: (onChange: () => void) => () => void;
  /** Asks for the first page unless there is one. */
  load: () => void;
  /** Asks for the page behind the last row. Does nothing while one is on its way or when there is none. */
  loadMore: () => void;
  /** Asks for the first page again and puts it in the place of all rows when it has arrived. */
  reload: () => void;
  /** Changes the rows in place, for live updates. */
  update: (change: (rows: readonly Row[]) => readonly Row[]) => void;
  /** Where the list was scrolled to, in pixels, for coming back to it. */
  scrollOffset: number;
}

/** A list that is read page by page by cursor, and kept. Rows that come twice are shown once, at their first place. */
export function createKeysetStore<Row extends { id: string }>(
  fetchPage: (after: string | null) => Promise<KeysetPage<Row>>,
): KeysetStore<Row> {
  let state: KeysetState<Row> = {
    rows: [],
    phase: "empty",
    error: undefined,
    hasMore: true,
    totalCount: 0,
    totalCountIsExact: true,
  };
  let cursor: string | null = null;
  // An answer to a question that was asked before a reload is of no use any more.
  let generation = 0;
  const listeners = new Set<() => void>();
  const set = (next: Partial<KeysetState<Row>>) => {
    state = { ...state, ...next };
    for (const listener of listeners) listener();
  };

  const ask = (after: string | null, phase: "loading" | "loading-more") => {
    generation += 1;
    const mine = generation;
    set({ phase, error: undefined });
    fetchPage(after).then(
      (page) => {
        if (mine !== generation) return;
        cursor = page.endCursor;
        const { totalCount, totalCountIsExact, hasMore } = page;
        const rows = after === null ? page.rows : append(state.rows, page.rows);
        set({ rows, phase: "ready", hasMore, totalCount, totalCountIsExact });
      },
      (error: unknown) => {
        if (mine === generation) set({ phase: "failed", error });
      },
    );
  };

  return {
    get: () => state,
    subscribe: (onChange) => {
      listeners.add(onChange);
      return () => listeners.delete(onChange);
    },
    load: () => {
      if (state.phase === "empty" || (state.phase === "failed" && state.rows.length === 0)) ask(null, "loading");
    },
    loadMore: () => {
      if (state.hasMore && cursor !== null && (state.phase === "ready" || state.phase === "failed"))
        ask(cursor, "loading-more");
    },
    reload: () => ask(null, "loading"),
    update: (change) => {
      const rows = change(state.rows);
      if (rows !== state.rows) set({ rows });
    },
    scrollOffset: 0,
  };
}

function append<Row extends { id: string }>(rows: readonly Row[], more: readonly Row[]): readonly Row[] {
  const known = new Set(rows.map((row) => row.id));
  return [...rows, ...more.filter((row) => !known.has(row.id))];
}
