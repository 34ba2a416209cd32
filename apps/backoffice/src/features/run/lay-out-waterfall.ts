import type { StepView } from "./live-view.ts";
import { collapsingAxis, linearAxis, type Span, type TimeAxis } from "./time-axis.ts";

/** One step in the waterfall. Positions are milliseconds of drawn time. */
export interface WaterfallRow {
  step: StepView;
  depth: number;
  from: number;
  to: number;
  /** Direct and further steps beneath it, drawn or not. */
  descendants: number;
  collapsed: boolean;
  /** It ran at the same time as a sibling. */
  parallel: boolean;
}

export interface Waterfall {
  rows: readonly WaterfallRow[];
  axis: TimeAxis;
}

export interface WaterfallOptions {
  /** Epoch milliseconds: where the bars of running steps end. */
  now: number;
  /** Steps whose descendants are not shown. */
  collapsed: ReadonlySet<string>;
  collapseGaps: boolean;
}

/** Steps that follow each other touch, by the grain of the clock; only a longer overlap means that they ran together. */
const shortestOverlapMs = 2;

/**
 * Lays steps out as a tree of rows on a time axis. Works on numbered steps in flat arrays: 5,000 steps are laid out anew
 * several times a second while a run is live.
 */
export function layOutWaterfall(steps: readonly StepView[], options: WaterfallOptions): Waterfall {
  const tree = treeOf(steps, options.now);
  const axis = axisOf(tree, options);
  return { rows: rowsOf(tree, axis, options.collapsed), axis };
}

/** Real begin and end of a step, epoch milliseconds; a running one ends now. */
export function spanOf(step: StepView, now: number): Span {
  const from = Date.parse(step.startedAt);
  return { from, to: Math.max(from, endOf(step, from, now)) };
}

function endOf(step: StepView, from: number, now: number): number {
  if (step.durationMs !== null) return from + step.durationMs;
  if (step.finishedAt !== null) return Date.parse(step.finishedAt);
  return step.status === "RUNNING" ? now : from;
}

/** Steps by number, and their relations; −1 where there is none. Siblings are linked in executed order. */
interface Tree {
  steps: readonly StepView[];
  from: Float64Array;
  to: Float64Array;
  parent: Int32Array;
  firstChild: Int32Array;
  nextSibling: Int32Array;
  firstRoot: number;
}

function treeOf(steps: readonly StepView[], now: number): Tree {
  const count = steps.length;
  const from = new Float64Array(count);
  const to = new Float64Array(count);
  const numbers = new Map<string, number>();
  steps.forEach((step, i) => {
    const span = spanOf(step, now);
    from[i] = span.from;
    to[i] = span.to;
    numbers.set(step.stepId, i);
  });
  const parent = new Int32Array(count).fill(-1);
  const firstChild = new Int32Array(count).fill(-1);
  const nextSibling = new Int32Array(count).fill(-1);
  const lastChild = new Int32Array(count).fill(-1);
  let firstRoot = -1;
  let lastRoot = -1;
  for (const i of executedOrder(steps, from)) {
    const id = steps[i]?.parentStepId ?? null;
    const above = id === null ? -1 : (numbers.get(id) ?? -1);
    // A parent that is not among the steps, or is the step itself, makes a root.
    const hangs = above >= 0 && above !== i;
    const before = hangs ? (lastChild[above] ?? -1) : lastRoot;
    if (before >= 0) nextSibling[before] = i;
    else if (hangs) firstChild[above] = i;
    else firstRoot = i;
    if (hangs) {
      parent[i] = above;
      lastChild[above] = i;
    } else lastRoot = i;
  }
  return { steps, from, to, parent, firstChild, nextSibling, firstRoot };
}

function executedOrder(steps: readonly StepView[], from: Float64Array): number[] {
  const seq = Float64Array.from(steps, (step) => step.seq);
  return Array.from(steps, (_, i) => i).sort(
    (a, b) => (seq[a] ?? 0) - (seq[b] ?? 0) || (from[a] ?? 0) - (from[b] ?? 0),
  );
}

/** Numbers in the order of the rows, parents before children, with their depths. */
interface Placement {
  order: Int32Array;
  depth: Int32Array;
}

function placeAll({ steps, parent, firstChild, nextSibling, firstRoot }: Tree): Placement {
  const order = new Int32Array(steps.length);
  const depth = new Int32Array(steps.length);
  const placed = new Uint8Array(steps.length);
  let rows = 0;
  // Without recursion: a graph may nest deeper than the stack.
  const walk = (start: number, siblingsToo: boolean): void => {
    const stack = [start];
    for (let i = stack.pop(); i !== undefined; i = stack.pop()) {
      const next = nextSibling[i] ?? -1;
      if (next >= 0 && (siblingsToo || i !== start)) stack.push(next);
      if (placed[i] === 1) continue;
      const above = parent[i] ?? -1;
      depth[i] = above >= 0 && placed[above] === 1 ? (depth[above] ?? 0) + 1 : 0;
      placed[i] = 1;
      order[rows++] = i;
      const child = firstChild[i] ?? -1;
      if (child >= 0) stack.push(child);
    }
  };
  if (firstRoot >= 0) walk(firstRoot, true);
  // Steps that name each other as parents hang on no root; they are shown all the same.
  for (let i = 0; rows < steps.length && i < steps.length; i++) if (placed[i] === 0) walk(i, false);
  return { order, depth };
}

function rowsOf(tree: Tree, axis: TimeAxis, collapsed: ReadonlySet<string>): WaterfallRow[] {
  const { steps, from, to } = tree;
  const { order, depth } = placeAll(tree);
  const descendants = countDescendants(order, depth);
  const parallel = parallelOnes(tree);
  const rows: WaterfallRow[] = [];
  let hiddenBelow = Number.POSITIVE_INFINITY;
  order.forEach((i, row) => {
    const step = steps[i];
    const level = depth[i] ?? 0;
    if (step === undefined || level > hiddenBelow) return;
    const isCollapsed = collapsed.has(step.stepId);
    hiddenBelow = isCollapsed ? level : Number.POSITIVE_INFINITY;
    rows.push({
      step,
      depth: level,
      from: axis.toDrawn(from[i] ?? 0),
      to: axis.toDrawn(to[i] ?? 0),
      descendants: descendants[row] ?? 0,
      collapsed: isCollapsed,
      parallel: parallel[i] === 1,
    });
  });
  return rows;
}

/** By row: how many rows follow that are deeper. */
function countDescendants(order: Int32Array, depth: Int32Array): Int32Array {
  const counts = new Int32Array(order.length);
  const open: number[] = [];
  const close = (level: number, end: number): void => {
    while (open.length > level) {
      const row = open.pop() ?? 0;
      counts[row] = end - row - 1;
    }
  };
  order.forEach((i, row) => {
    close(depth[i] ?? 0, row);
    open.push(row);
  });
  close(0, order.length);
  return counts;
}

function parallelOnes({ steps, from, to, firstChild, nextSibling, firstRoot }: Tree): Uint8Array {
  const parallel = new Uint8Array(steps.length);
  const beginOf = (i: number): number => from[i] ?? 0;
  const endOf = (i: number): number => to[i] ?? 0;
  const mark = (first: number): void => {
    if (first < 0 || (nextSibling[first] ?? -1) < 0) return;
    const siblings: number[] = [];
    for (let i = first; i >= 0; i = nextSibling[i] ?? -1) siblings.push(i);
    siblings.sort((a, b) => beginOf(a) - beginOf(b));
    let longest = -1;
    for (const i of siblings) {
      if (longest >= 0 && Math.min(endOf(longest), endOf(i)) - beginOf(i) > shortestOverlapMs) {
        parallel[i] = 1;
        parallel[longest] = 1;
      }
      if (longest < 0 || endOf(i) > endOf(longest)) longest = i;
    }
  };
  mark(firstRoot);
  firstChild.forEach(mark);
  return parallel;
}

function axisOf({ steps, from, to, firstChild }: Tree, { now, collapseGaps }: WaterfallOptions): TimeAxis {
  if (steps.length === 0) return linearAxis(now, 1);
  const whole = {
    from: from.reduce((least, each) => Math.min(least, each), Number.POSITIVE_INFINITY),
    to: to.reduce((most, each) => Math.max(most, each), Number.NEGATIVE_INFINITY),
  };
  if (!collapseGaps) return linearAxis(whole.from, whole.to - whole.from);
  // A parent that only waits for its children is idle too, whatever its own bar says.
  const busy: Span[] = [];
  firstChild.forEach((child, i) => {
    if (child < 0) busy.push({ from: from[i] ?? 0, to: to[i] ?? 0 });
  });
  return collapsingAxis(whole, busy);
}
