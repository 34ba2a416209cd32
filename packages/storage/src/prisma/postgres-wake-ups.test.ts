import { describe, expect, it } from "vitest";
import { hintPayloads } from "./postgres-wake-ups.ts";

const ids = (count: number): string[] =>
  Array.from({ length: count }, (_, i) => `0190a000-0000-7000-8000-${String(i).padStart(12, "0")}`);

describe("hintPayloads", () => {
  it("says everything, in pieces that PostgreSQL takes", () => {
    const sessions = new Map([["p", new Set(ids(1_000))]]);
    const payloads = hintPayloads("origin", { sessions, cancelled: new Set(ids(300)), runnable: true });
    expect(payloads.every((payload) => Buffer.byteLength(payload) < 8_000)).toBe(true);
    const parsed: { s?: { p: string[] }; c?: string[]; r?: number }[] = payloads.map((payload) => JSON.parse(payload));
    expect(parsed.flatMap((part) => part.s?.p ?? [])).toEqual(ids(1_000));
    expect(parsed.flatMap((part) => part.c ?? [])).toEqual(ids(300));
    expect(parsed.filter((part) => part.r === 1)).toHaveLength(1);
  });

  it("says nothing when there is nothing to say", () => {
    expect(hintPayloads("origin", { sessions: new Map(), cancelled: new Set(), runnable: false })).toEqual([]);
  });
});
