/** Any value that JSON can say. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/**
 * JSON with sorted keys and no spaces, so that equal values have equal text.
 * Keys whose value is undefined are left out; anything else JSON cannot say throws a TypeError.
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value === "string" || typeof value === "boolean") return JSON.stringify(value);
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw new TypeError(`JSON has no ${value}`);
    return JSON.stringify(value);
  }
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value === "object" && !("toJSON" in value && typeof value.toJSON === "function")) {
    const entries = Object.entries(value).filter(([, v]) => v !== undefined);
    entries.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
    return `{${entries.map(([k, v]) => `${JSON.stringify(k)}:${canonicalJson(v)}`).join(",")}}`;
  }
  throw new TypeError(`JSON cannot hold a ${typeof value}`);
}
