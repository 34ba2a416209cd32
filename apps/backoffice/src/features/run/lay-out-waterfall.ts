import type { StepView } from "./live-view.ts";

/** One step in the waterfall. Positions are milliseconds of drawn time: real time without the collapsed gaps. */
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

/** A stretch in which nothing ran, drawn as a narrow mark. `at` and `width` are drawn, `ms` is real. */
export interface Gap {
  at: number;
  width: number;
  ms: number;
}

/** Turns real time (epoch milliseconds) into drawn time and back. */
export interface TimeAxis {
  startsAt: number;
  /** Drawn length, milliseconds, at least 1. */
  length: number;
  gaps: readonly Gap[];
  toDrawn(time: number): number;
  toTime(drawn: number): number;
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

interface Span {
  from: number;
  to: number;
}

/** An idle stretch is worth collapsing when it is this long … */
const shortestGapMs = 1_000;
/** … and takes more than this part of the whole. */
const shortestGapPart = 0.08;
/** What a collapsed gap keeps of the busy time's width. */
const gapPart = 0.025;

/** Lays steps out as a tree of rows on a time axis. Linear but for the sorting of siblings: 5,000 steps take a few milliseconds. */
export function layOutWaterfall(steps: readonly StepView[], options: WaterfallOptions): Waterfall {
  const spans = new Map(steps.map((step) => [step.stepId, spanOf(step, options.now)]));
  const children = childrenOf(steps);
  const axis = axisOf(steps, spans, children, options);
  return { rows: rowsOf(steps, spans, children, axis, options.collapsed), axis };
}

/** Real begin and end of a step, epoch milliseconds; a running one ends now. */
export function spanOf(step: StepView, now: number): Span {
  const from = Date.parse(step.startedAt);
  const end =
    step.finishedAt !== null
      ? Date.parse(step.finishedAt)
      : step.durationMs !== null
        ? from + step.durationMs
        : step.status === "RUNNING"
          ? now
          : from;
  return { from, to: Math.max(from, end) };
}

type Children = ReadonlyMap<string | null, readonly StepView[]>;

/** Steps by parent in executed order. A parent that is not among the steps (or is the step itself) makes a root. */
function childrenOf(steps: readonly StepView[]): Children {
  const known = new Set(steps.map((step) => step.stepId));
  const children = new Map<string | null, StepView[]>();
  for (const step of steps) {
    const { parentStepId } = step;
    const parent =
      parentStepId !== null && parentStepId !== step.stepId && known.has(parentStepId) ? parentStepId : null;
    const siblings = children.get(parent);
    if (siblings === undefined) children.set(parent, [step]);
    else siblings.push(step);
  }
  for (const siblings of children.values())
    siblings.sort((a, b) => a.seq - b.seq || (a.startedAt < b.startedAt ? -1 : a.startedAt > b.startedAt ? 1 : 0));
  return children;
}

interface Placed {
  step: StepView;
  depth: number;
  shown: boolean;
  parallel: boolean;
}

function rowsOf(
  steps: readonly StepView[],
  spans: ReadonlyMap<string, Span>,
  children: Children,
  axis: TimeAxis,
  collapsed: ReadonlySet<string>,
): WaterfallRow[] {
  const placed = placeAll(steps, spans, children, collapsed);
  const descendants = countDescendants(placed);
  return placed
    .map(({ step, depth, parallel, shown }, i): WaterfallRow | null => {
      const span = spans.get(step.stepId);
      if (!shown || span === undefined) return null;
      return {
        step,
        depth,
        from: axis.toDrawn(span.from),
        to: axis.toDrawn(span.to),
        descendants: descendants[i] ?? 0,
        collapsed: collapsed.has(step.stepId),
        parallel,
      };
    })
    .filter((row) => row !== null);
}

/** Depth first, without recursion: a graph may nest deeper than the stack. */
function placeAll(
  steps: readonly StepView[],
  spans: ReadonlyMap<string, Span>,
  children: Children,
  collapsed: ReadonlySet<string>,
): Placed[] {
  const placed: Placed[] = [];
  const seen = new Set<string>();
  const stack: Placed[] = [];
  const push = (siblings: readonly StepView[], depth: number, shown: boolean) => {
    const parallel = parallelOnes(siblings, spans);
    for (const step of siblings.toReversed()) stack.push({ step, depth, shown, parallel: parallel.has(step.stepId) });
  };
  const drain = () => {
    for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
      if (seen.has(next.step.stepId)) continue;
      seen.add(next.step.stepId);
      placed.push(next);
      push(children.get(next.step.stepId) ?? [], next.depth + 1, next.shown && !collapsed.has(next.step.stepId));
    }
  };
  push(children.get(null) ?? [], 0, true);
  drain();
  // Steps that name each other as parents hang on no root; they are shown all the same.
  for (const step of steps) {
    if (seen.has(step.stepId)) continue;
    push([step], 0, true);
    drain();
  }
  return placed;
}

function parallelOnes(siblings: readonly StepView[], spans: ReadonlyMap<string, Span>): Set<string> {
  const parallel = new Set<string>();
  const byStart = siblings
    .map((step) => ({ id: step.stepId, ...(spans.get(step.stepId) ?? { from: 0, to: 0 }) }))
    .sort((a, b) => a.from - b.from);
  let longest: { id: string; to: number } | undefined;
  for (const { id, from, to } of byStart) {
    if (longest !== undefined && from < longest.to && to > from) {
      parallel.add(id);
      parallel.add(longest.id);
    }
    if (longest === undefined || to > longest.to) longest = { id, to };
  }
  return parallel;
}

/** From the last row upwards, each row counts itself and what hangs on it towards its parent. */
function countDescendants(placed: readonly Placed[]): number[] {
  const counts = placed.map(() => 0);
  const parents = parentIndexes(placed);
  for (let i = placed.length - 1; i >= 0; i--) {
    const parent = parents[i];
    if (parent !== undefined && parent >= 0) counts[parent] = (counts[parent] ?? 0) + (counts[i] ?? 0) + 1;
  }
  return counts;
}

function parentIndexes(placed: readonly Placed[]): number[] {
  const open: number[] = [];
  return placed.map(({ depth }, i) => {
    open.length = Math.min(open.length, depth);
    const parent = depth === 0 ? -1 : (open[depth - 1] ?? -1);
    open[depth] = i;
    return parent;
  });
}

function axisOf(
  steps: readonly StepView[],
  spans: ReadonlyMap<string, Span>,
  children: Children,
  options: WaterfallOptions,
): TimeAxis {
  const all = [...spans.values()];
  if (all.length === 0) return linearAxis(options.now, 1);
  let start = Number.POSITIVE_INFINITY;
  let end = Number.NEGATIVE_INFINITY;
  for (const { from, to } of all) {
    if (from < start) start = from;
    if (to > end) end = to;
  }
  if (!options.collapseGaps) return linearAxis(start, end - start);
  const leaves = steps.filter((step) => !children.has(step.stepId)).map((step) => spans.get(step.stepId));
  const idle = idleBetween(
    leaves.filter((span) => span !== undefined),
    end,
  );
  const worth = idle.filter(
    ({ from, to }) => to - from >= shortestGapMs && to - from > (end - start) * shortestGapPart,
  );
  return worth.length === 0 ? linearAxis(start, end - start) : brokenAxis(start, end, worth);
}

/** Where no leaf ran. A parent that only waits for its children is idle too, whatever its own bar says. */
function idleBetween(busy: Span[], end: number): Span[] {
  const idle: Span[] = [];
  let until: number | undefined;
  for (const { from, to } of busy.sort((a, b) => a.from - b.from)) {
    if (until !== undefined && from > until) idle.push({ from: until, to: from });
    until = until === undefined ? to : Math.max(until, to);
  }
  if (until !== undefined && end > until) idle.push({ from: until, to: end });
  return idle;
}

const linearAxis = (startsAt: number, span: number): TimeAxis => {
  const length = Math.max(1, span);
  return {
    startsAt,
    length,
    gaps: [],
    toDrawn: (time) => clamp(time - startsAt, 0, length),
    toTime: (drawn) => startsAt + clamp(drawn, 0, length),
  };
};

function brokenAxis(startsAt: number, end: number, idle: readonly Span[]): TimeAxis {
  const skipped = idle.reduce((ms, { from, to }) => ms + to - from, 0);
  const width = Math.max(1, (end - startsAt - skipped) * gapPart);
  let removed = 0;
  const breaks = idle.map(({ from, to }) => {
    const at = from - startsAt - removed;
    removed += to - from - width;
    return { at, width, ms: to - from, from, to };
  });
  const length = Math.max(1, end - startsAt - removed);
  const toDrawn = (time: number): number => {
    let before = 0;
    for (const gap of breaks) {
      if (time <= gap.from) break;
      if (time < gap.to) return gap.at + (gap.width * (time - gap.from)) / gap.ms;
      before += gap.ms - gap.width;
    }
    return clamp(time - startsAt - before, 0, length);
  };
  const toTime = (drawn: number): number => {
    let before = 0;
    for (const gap of breaks) {
      if (drawn <= gap.at) break;
      if (drawn < gap.at + gap.width) return gap.from + ((drawn - gap.at) / gap.width) * gap.ms;
      before += gap.ms - gap.width;
    }
    return startsAt + clamp(drawn, 0, length) + before;
  };
  return { startsAt, length, gaps: breaks.map(({ at, ms }) => ({ at, width, ms })), toDrawn, toTime };
}

const clamp = (value: number, low: number, high: number): number => Math.min(high, Math.max(low, value));
