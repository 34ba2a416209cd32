/** The one range that a Range header asks for, within a body of `bytes`. */
export type WantedRange = { start: number; end: number } | "unsatisfiable" | null;

/**
 * Reads a Range header. Null when there is none, or one that may be passed over: another unit, several ranges, nonsense.
 * Then the whole is given.
 */
export function rangeOf(header: string | undefined, bytes: number): WantedRange {
  const [, from = "", to = ""] = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? "") ?? [];
  if (from === "" && to === "") return null;
  // The last so many bytes.
  if (from === "")
    return Number(to) === 0 || bytes === 0
      ? "unsatisfiable"
      : { start: Math.max(0, bytes - Number(to)), end: bytes - 1 };
  const start = Number(from);
  const end = to === "" ? bytes - 1 : Math.min(Number(to), bytes - 1);
  if (start >= bytes) return "unsatisfiable";
  return to !== "" && Number(to) < start ? null : { start, end };
}
