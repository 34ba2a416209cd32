/** A list that changes under the reader's eyes, and what waits until the reader wants to see it. */
export interface LiveRows<Row> {
  rows: readonly Row[];
  /** Rows that are new, or whose place changed: shown at their new place after `release`. */
  waiting: ReadonlyMap<string, Row>;
}

export interface LivePatch<Row> {
  upserted: readonly Row[];
  removed: readonly string[];
}

export interface MergeOptions<Row> {
  /** The reader is looking at these rows: nothing may move. */
  hold: boolean;
  /** The list's order. */
  compare: (a: Row, b: Row) => number;
  /** There are rows behind the last one that were not loaded: what belongs there comes with them. */
  hasMore: boolean;
}

/** Puts a patch into the list: rows that are shown change in place at once; what would move waits while `hold`. */
export function mergePatch<Row extends { id: string }>(
  state: LiveRows<Row>,
  patch: LivePatch<Row>,
  options: MergeOptions<Row>,
): LiveRows<Row> {
  if (patch.upserted.length === 0 && patch.removed.length === 0) return state;
  const { hold, compare } = options;
  const changed = new Map(patch.upserted.map((row) => [row.id, row]));
  const shown = new Set(state.rows.map((row) => row.id));
  const gone = new Set(patch.removed);
  const rows = state.rows.filter((row) => hold || !gone.has(row.id)).map((row) => changed.get(row.id) ?? row);
  const waiting = new Map([...state.waiting].filter(([id]) => !gone.has(id)));
  // Where the loaded part ends, before anything changed.
  const last = state.rows.at(-1);
  for (const row of patch.upserted) {
    if (shown.has(row.id)) continue;
    if (options.hasMore && last !== undefined && compare(row, last) > 0) continue;
    waiting.set(row.id, row);
  }
  // Rows that did not change and do not wait are in order: only the others can be out of place.
  const suspects = new Set([...changed.keys(), ...waiting.keys()]);
  const out = outOfPlace(rows, suspects, compare);
  for (const row of rows) {
    if (out.has(row.id)) waiting.set(row.id, row);
    else waiting.delete(row.id);
  }
  const next = { rows, waiting };
  return hold ? next : release(next, compare);
}

/** The suspects that do not fit between the rows around them that keep their place. */
function outOfPlace<Row extends { id: string }>(
  rows: readonly Row[],
  suspects: ReadonlySet<string>,
  compare: (a: Row, b: Row) => number,
): ReadonlySet<string> {
  const nextSteady: (Row | undefined)[] = [];
  let steady: Row | undefined;
  for (let index = rows.length - 1; index >= 0; index--) {
    nextSteady[index] = steady;
    const row = rows[index];
    if (row !== undefined && !suspects.has(row.id)) steady = row;
  }
  const out = new Set<string>();
  let before: Row | undefined;
  rows.forEach((row, index) => {
    const after = nextSteady[index];
    const fits =
      !suspects.has(row.id) ||
      ((before === undefined || compare(before, row) <= 0) && (after === undefined || compare(row, after) <= 0));
    if (fits) before = row;
    else out.add(row.id);
  });
  return out;
}

/** Shows what waits: every row at its place. */
export function release<Row extends { id: string }>(
  state: LiveRows<Row>,
  compare: (a: Row, b: Row) => number,
): LiveRows<Row> {
  if (state.waiting.size === 0) return state;
  const still = state.rows.filter((row) => !state.waiting.has(row.id));
  // The kept rows are in order already: the moved ones are put between them, and nothing else changes its place.
  const moved = [...state.waiting.values()].sort(compare);
  const rows: Row[] = [];
  for (const row of still) {
    while (moved[0] !== undefined && compare(moved[0], row) <= 0) rows.push(...moved.splice(0, 1));
    rows.push(row);
  }
  return { rows: [...rows, ...moved], waiting: new Map() };
}

/** How many of the waiting rows are not shown anywhere yet, and how many only change their place. */
export function countWaiting<Row extends { id: string }>(state: LiveRows<Row>): { fresh: number; moved: number } {
  if (state.waiting.size === 0) return { fresh: 0, moved: 0 };
  const moved = state.rows.filter((row) => state.waiting.has(row.id)).length;
  return { fresh: state.waiting.size - moved, moved };
}
