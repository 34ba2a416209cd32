import { describe, expect, it } from "vitest";
import { rangeOf, type WantedRange } from "./byte-range.ts";

const cases: [header: string | undefined, bytes: number, range: WantedRange][] = [
  ["bytes=0-0", 10, { start: 0, end: 0 }],
  ["bytes=2-", 10, { start: 2, end: 9 }],
  ["bytes=2-99", 10, { start: 2, end: 9 }],
  ["bytes=-3", 10, { start: 7, end: 9 }],
  ["bytes=-99", 10, { start: 0, end: 9 }],
  ["bytes=10-", 10, "unsatisfiable"],
  ["bytes=-0", 10, "unsatisfiable"],
  ["bytes=0-", 0, "unsatisfiable"],
  ["bytes=5-2", 10, null],
  ["bytes=0-1,3-4", 10, null],
  ["lines=0-1", 10, null],
  ["bytes=-", 10, null],
  [undefined, 10, null],
];

describe("the range of a request", () => {
  it.each(cases)("%s of %i bytes is %o", (header, bytes, range) => {
    expect(rangeOf(header, bytes)).toEqual(range);
  });
});
