import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { align } from "./align.ts";

const letters = (text: string) => [...text];
const shown = (a: string, b: string) =>
  align(letters(a), letters(b), (letter) => letter).map((pair) => `${pair.a ?? "-"}${pair.b ?? "-"}`);

describe("aligning", () => {
  it("lays the same beside the same, in order", () => {
    expect(shown("abcd", "abxd")).toEqual(["aa", "bb", "c-", "-x", "dd"]);
    expect(shown("mtm", "mtmtm")).toEqual(["mm", "tt", "mm", "-t", "-m"]);
    expect(shown("", "ab")).toEqual(["-a", "-b"]);
    expect(shown("ab", "")).toEqual(["a-", "b-"]);
  });

  it("loses nothing, keeps both orders, and pairs only what has the same key", () => {
    const list = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 12 });
    fc.assert(
      fc.property(list, list, (a, b) => {
        const pairs = align(a, b, (letter) => letter);
        expect(pairs.flatMap((pair) => (pair.a === null ? [] : [pair.a]))).toEqual(a);
        expect(pairs.flatMap((pair) => (pair.b === null ? [] : [pair.b]))).toEqual(b);
        for (const pair of pairs) if (pair.a !== null && pair.b !== null) expect(pair.a).toBe(pair.b);
      }),
    );
  });
});
