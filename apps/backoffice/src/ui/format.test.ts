import { describe, expect, it } from "vitest";
import { formatBytes, formatCompact, formatDuration, formatRelative, plainPreview, shortId } from "./format.ts";

describe("formatDuration", () => {
  it.each([
    [0, "0 ms"],
    [999, "999 ms"],
    [1234, "1.23 s"],
    [12_400, "12.4 s"],
    [59_960, "1 m 00 s"],
    [185_000, "3 m 05 s"],
    [3_599_900, "1 h 00 m"],
    [7_440_000, "2 h 04 m"],
    [3 * 86_400_000 + 4 * 3_600_000, "3 d 4 h"],
    [-1, "–"],
    [Number.NaN, "–"],
  ])("%d ms is %s", (ms, text) => expect(formatDuration(ms)).toBe(text));
});

describe("formatCompact", () => {
  it.each([
    [0, "0"],
    [999, "999"],
    [1000, "1k"],
    [1240, "1.2k"],
    [48_211, "48k"],
    [999_600, "1M"],
    [1_340_000, "1.3M"],
  ])("%d is %s", (n, text) => expect(formatCompact(n)).toBe(text));
});

describe("formatBytes", () => {
  it.each([
    [812, "812 B"],
    [3480, "3.4 KiB"],
    [1_258_291, "1.2 MiB"],
  ])("%d is %s", (n, text) => expect(formatBytes(n)).toBe(text));
});

describe("formatRelative", () => {
  const now = new Date("2026-11-30T12:00:00Z");
  const ago = (ms: number) => formatRelative(new Date(now.getTime() - ms), now);
  it("shortens with distance and ends in a date", () => {
    expect([2000, 42_000, 420_000, 3 * 3_600_000, 5 * 86_400_000].map(ago)).toEqual(["now", "42s", "7m", "3h", "5d"]);
    expect(ago(40 * 86_400_000)).toBe("21 Oct");
    expect(ago(400 * 86_400_000)).toBe("26 Oct 2025");
    expect(ago(-600_000)).toBe("in 10m");
  });
});

describe("plainPreview", () => {
  it("leaves the words of Markdown", () => {
    expect(
      plainPreview("## Found\n\nThe **parcel** left `Bremen`:\n\n1. [Track](https://x.y) it\n- snake_case stays"),
    ).toBe("Found The parcel left Bremen: Track it snake_case stays");
    expect(plainPreview("| a | b |\n| --- | --- |\n| 1 | 2 |")).toBe("a b 1 2");
    expect(plainPreview("2 * 3 * 4 = 24")).toBe("2 * 3 * 4 = 24");
  });
});

describe("shortId", () => {
  it("keeps the ends", () => {
    expect(shortId("Run_01900000-0000-7000-8000-00000000abcd")).toBe("01900000…abcd");
    expect(shortId("short")).toBe("short");
  });
});
