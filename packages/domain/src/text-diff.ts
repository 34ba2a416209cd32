/** A line of a difference: in both texts, only in the old one, or only in the new one. */
export interface DiffLine {
  kind: "SAME" | "REMOVED" | "ADDED";
  text: string;
  /** Number of the line in the old text, from 1; null when it is not there. */
  oldLine: number | null;
  newLine: number | null;
}

export interface TextDiff {
  /** Runs of lines with a change in them, and the lines around it. */
  hunks: DiffLine[][];
  added: number;
  removed: number;
}

/** Lines around a change. */
const contextLines = 3;
/** Texts that differ in more lines than this are told as one text in place of the other: the search grows by the square. */
const maxEdits = 2_000;

/** What has to be done to an old text to get a new one, by lines, with as few changes as there can be. */
export function diffTexts(oldText: string, newText: string): TextDiff {
  const [a, b] = [linesOf(oldText), linesOf(newText)];
  const lines = editScript(a, b);
  return {
    hunks: hunksOf(lines),
    added: lines.filter(({ kind }) => kind === "ADDED").length,
    removed: lines.filter(({ kind }) => kind === "REMOVED").length,
  };
}

/** Without the emptiness behind the last line break. */
function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

function editScript(a: readonly string[], b: readonly string[]): DiffLine[] {
  let front = 0;
  while (front < a.length && front < b.length && a[front] === b[front]) front++;
  let back = 0;
  while (back < a.length - front && back < b.length - front && a.at(-1 - back) === b.at(-1 - back)) back++;
  const same = (from: number, to: number, shift: number): DiffLine[] =>
    a.slice(from, to).map((text, i) => ({ kind: "SAME", text, oldLine: from + i + 1, newLine: from + i + 1 + shift }));
  const middle = myers(a.slice(front, a.length - back), b.slice(front, b.length - back)).map((line) => ({
    ...line,
    oldLine: line.oldLine === null ? null : line.oldLine + front,
    newLine: line.newLine === null ? null : line.newLine + front,
  }));
  return [...same(0, front, 0), ...middle, ...same(a.length - back, a.length, b.length - a.length)];
}

/** The greedy search of Myers: the furthest places that `d` changes reach, diagonal by diagonal, and the way back. */
function myers(a: readonly string[], b: readonly string[]): DiffLine[] {
  const limit = Math.min(a.length + b.length, maxEdits);
  const trace: Map<number, number>[] = [];
  let reached = new Map<number, number>([[1, 0]]);
  for (let d = 0; d <= limit; d++) {
    trace.push(new Map(reached));
    for (let k = -d; k <= d; k += 2) {
      const [down, right] = [reached.get(k + 1) ?? -1, reached.get(k - 1) ?? -1];
      let x = k === -d || (k !== d && right < down) ? down : right + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++;
      reached.set(k, x);
      if (x >= a.length && x - k >= b.length) return wayBack(a, b, trace);
    }
    reached = new Map(reached);
  }
  return [
    ...a.map((text, i): DiffLine => ({ kind: "REMOVED", text, oldLine: i + 1, newLine: null })),
    ...b.map((text, i): DiffLine => ({ kind: "ADDED", text, oldLine: null, newLine: i + 1 })),
  ];
}

function wayBack(a: readonly string[], b: readonly string[], trace: readonly Map<number, number>[]): DiffLine[] {
  const lines: DiffLine[] = [];
  let [x, y] = [a.length, b.length];
  for (let d = trace.length - 1; d >= 0; d--) {
    const reached = trace[d] ?? new Map<number, number>();
    const k = x - y;
    const [down, right] = [reached.get(k + 1) ?? -1, reached.get(k - 1) ?? -1];
    const isAdded = k === -d || (k !== d && right < down);
    const fromX = isAdded ? down : right;
    const fromY = fromX - (isAdded ? k + 1 : k - 1);
    while (x > Math.max(fromX, 0) && y > Math.max(fromY, 0) && a[x - 1] === b[y - 1]) {
      lines.push({ kind: "SAME", text: a[x - 1] ?? "", oldLine: x--, newLine: y-- });
    }
    if (d === 0) break;
    if (isAdded) lines.push({ kind: "ADDED", text: b[y - 1] ?? "", oldLine: null, newLine: y-- });
    else lines.push({ kind: "REMOVED", text: a[x - 1] ?? "", oldLine: x--, newLine: null });
  }
  return lines.reverse();
}

function hunksOf(lines: readonly DiffLine[]): DiffLine[][] {
  const hunks: DiffLine[][] = [];
  let end = 0;
  for (const [i, { kind }] of lines.entries()) {
    if (kind === "SAME") continue;
    const start = Math.max(end, i - contextLines);
    const upTo = Math.min(lines.length, i + 1 + contextLines);
    if (hunks.length > 0 && start <= end) hunks.at(-1)?.push(...lines.slice(end, upTo));
    else hunks.push(lines.slice(start, upTo));
    end = Math.max(end, upTo);
  }
  return hunks;
}
