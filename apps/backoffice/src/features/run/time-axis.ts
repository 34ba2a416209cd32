/** A stretch in which nothing ran, drawn as a narrow mark. `at` and `width` are drawn, `ms` is real. */
export interface Gap {
  at: number;
  width: number;
  ms: number;
}

/** Turns real time (epoch milliseconds) into drawn time (real time without the collapsed gaps) and back. */
export interface TimeAxis {
  startsAt: number;
  /** Drawn length, milliseconds, at least 1. */
  length: number;
  gaps: readonly Gap[];
  toDrawn(time: number): number;
  toTime(drawn: number): number;
}

export interface Span {
  from: number;
  to: number;
}

/** An idle stretch is worth collapsing when it is this long … */
const shortestGapMs = 1_000;
/** … and takes more than this part of the whole. */
const shortestGapPart = 0.08;
/** What a collapsed gap keeps of the busy time's width. */
const gapPart = 0.025;

/** An axis without gaps. */
export function linearAxis(startsAt: number, span: number): TimeAxis {
  const length = Math.max(1, span);
  return {
    startsAt,
    length,
    gaps: [],
    toDrawn: (time) => clamp(time - startsAt, 0, length),
    toTime: (drawn) => startsAt + clamp(drawn, 0, length),
  };
}

/** An axis over `whole` that collapses the stretches in which none of `busy` was. */
export function collapsingAxis(whole: Span, busy: Span[]): TimeAxis {
  const span = whole.to - whole.from;
  const worth = idleBetween(busy, whole.to).filter(
    ({ from, to }) => to - from >= shortestGapMs && to - from > span * shortestGapPart,
  );
  return worth.length === 0 ? linearAxis(whole.from, span) : brokenAxis(whole, worth);
}

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

function brokenAxis(whole: Span, idle: readonly Span[]): TimeAxis {
  const startsAt = whole.from;
  const skipped = idle.reduce((ms, { from, to }) => ms + to - from, 0);
  const width = Math.max(1, (whole.to - startsAt - skipped) * gapPart);
  let removed = 0;
  const breaks = idle.map(({ from, to }) => {
    const at = from - startsAt - removed;
    removed += to - from - width;
    return { at, width, ms: to - from, from, to };
  });
  const length = Math.max(1, whole.to - startsAt - removed);
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
