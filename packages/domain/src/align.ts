/** Two lists laid side by side: each pair has at least one side. */
export type Aligned<T> = { a: T; b: T } | { a: T; b: null } | { a: null; b: T };

/**
 * Lays two lists side by side so that as many elements of the same key as possible stand beside each other, in order:
 * a longest common subsequence. What only `a` has comes before what only `b` has.
 */
export function align<T>(a: readonly T[], b: readonly T[], keyOf: (element: T) => string): Aligned<T>[] {
  const lengths = commonLengths(a.map(keyOf), b.map(keyOf));
  const pairs: Aligned<T>[] = [];
  const length = (i: number, j: number) => lengths[i]?.[j] ?? 0;
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const [left, right] = [a[i], b[j]];
    if (left !== undefined && right !== undefined && keyOf(left) === keyOf(right)) {
      pairs.push({ a: left, b: right });
      i++;
      j++;
    } else if (left !== undefined && (right === undefined || length(i + 1, j) >= length(i, j + 1))) {
      pairs.push({ a: left, b: null });
      i++;
    } else if (right !== undefined) {
      pairs.push({ a: null, b: right });
      j++;
    }
  }
  return pairs;
}

/** `[i][j]`: how much the rests from `i` and from `j` have in common. */
function commonLengths(a: readonly string[], b: readonly string[]): Uint16Array[] {
  const lengths = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--) {
    const [row, below] = [lengths[i], lengths[i + 1]];
    if (row === undefined || below === undefined) continue;
    for (let j = b.length - 1; j >= 0; j--)
      row[j] = a[i] === b[j] ? (below[j + 1] ?? 0) + 1 : Math.max(below[j] ?? 0, row[j + 1] ?? 0);
  }
  return lengths;
}
