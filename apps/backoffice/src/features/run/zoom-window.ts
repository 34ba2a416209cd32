/** The part of the drawn time that is on the screen, milliseconds. */
export interface ZoomWindow {
  from: number;
  to: number;
}

/** No window is narrower: below a tenth of a millisecond there is nothing to see. */
const narrowest = 0.1;

export const wholeOf = (length: number): ZoomWindow => ({ from: 0, to: length });

export const isWhole = (window: ZoomWindow, length: number): boolean => window.from <= 0 && window.to >= length;

/** Zooms by `factor` (below 1: closer) around the point `anchor`, which stays where it is on the screen. */
export function zoomBy(window: ZoomWindow, factor: number, anchor: number, length: number): ZoomWindow {
  const width = Math.min(length, Math.max(narrowest, (window.to - window.from) * factor));
  const part = (anchor - window.from) / (window.to - window.from);
  return kept({ from: anchor - width * part, to: anchor + width * (1 - part) }, length);
}

/** Moves the window by drawn milliseconds; it stops at the ends. */
export const panBy = (window: ZoomWindow, ms: number, length: number): ZoomWindow =>
  kept({ from: window.from + ms, to: window.to + ms }, length);

/** The window around a bar, with some air on both sides. */
export function zoomTo(from: number, to: number, length: number): ZoomWindow {
  const air = Math.max((to - from) * 0.15, narrowest);
  return kept({ from: from - air, to: to + air }, length);
}

function kept({ from, to }: ZoomWindow, length: number): ZoomWindow {
  const width = Math.min(length, to - from);
  const start = Math.min(Math.max(0, from), length - width);
  return { from: start, to: start + width };
}

/** Round marks for a scale of about `count` ticks, drawn milliseconds within the window. */
export function ticksOf(window: ZoomWindow, count: number): { ticks: number[]; step: number } {
  const rough = Math.max(1e-9, (window.to - window.from) / Math.max(1, count));
  const step = niceSteps.find((nice) => nice >= rough) ?? 60_000 * 60 * Math.ceil(rough / (60_000 * 60));
  const ticks: number[] = [];
  for (let tick = Math.ceil(window.from / step) * step; tick <= window.to; tick += step) ticks.push(tick);
  return { ticks, step };
}

const niceSteps = [
  0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 15_000, 30_000,
  60_000, 120_000, 300_000, 600_000, 900_000, 1_800_000, 3_600_000,
];
