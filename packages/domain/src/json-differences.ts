import { canonicalJson } from "./canonical-json.ts";

/** A place where two JSON values differ. Undefined: that side has nothing there. */
export interface JsonDifference {
  /** JSONPath, `$` for the whole value. */
  path: string;
  a: unknown;
  b: unknown;
}

/** Where two JSON values differ, as deep as both have something. Lists are compared place by place. */
export function jsonDifferences(a: unknown, b: unknown, path = "$"): JsonDifference[] {
  if (Array.isArray(a) && Array.isArray(b)) {
    const length = Math.max(a.length, b.length);
    return Array.from({ length }, (_, i) => jsonDifferences(a[i], b[i], `${path}[${i}]`)).flat();
  }
  if (isPlain(a) && isPlain(b)) {
    const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])].sort();
    return keys.flatMap((key) => jsonDifferences(a[key], b[key], `${path}${step(key)}`));
  }
  return textOf(a) === textOf(b) ? [] : [{ path, a, b }];
}

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const textOf = (value: unknown): string | undefined => (value === undefined ? undefined : canonicalJson(value));

const step = (key: string): string => (/^[A-Za-z_]\w*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`);
