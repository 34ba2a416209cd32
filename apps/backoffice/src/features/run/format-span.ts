import { formatDuration } from "../../ui/format.ts";

/** A stretch of time on a scale: finer than a millisecond when it must be. */
export const formatSpan = (ms: number): string =>
  ms > 0 && ms < 1 ? `${Math.round(ms * 1_000)} µs` : formatDuration(ms);

/** A mark of a scale whose marks are `step` apart: no more digits than tell them apart. */
export function formatMark(ms: number, step: number): string {
  if (ms === 0) return "0";
  if (step >= 60_000) return formatDuration(ms);
  if (step >= 1_000) return ms < 60_000 ? `${Math.round(ms / 1_000)} s` : formatDuration(ms);
  if (ms >= 1_000) return `${(ms / 1_000).toFixed(step >= 100 ? 1 : step >= 10 ? 2 : 3)} s`;
  return `${Number(ms.toFixed(step < 1 ? 2 : 0))} ms`;
}
