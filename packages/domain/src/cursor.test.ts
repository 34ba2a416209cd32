import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeCursor, encodeCursor, eventCursor, sequenceOfCursor } from "./cursor.ts";
import { Refusal } from "./refusal.ts";

const codeOf = (act: () => unknown): string => {
  try {
    act();
  } catch (error) {
    if (error instanceof Refusal) return error.code;
    throw error;
  }
  return "accepted";
};

describe("cursors", () => {
  it("give back the keys they were made of", () => {
    const key = fc.oneof(fc.string({ unit: "grapheme" }), fc.integer(), fc.constant(null));
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.array(key, { maxLength: 5 }), (list, keys) => {
        const cursor = encodeCursor(list, keys);
        expect(cursor).toMatch(/^[A-Za-z0-9_-]+$/);
        expect(decodeCursor(list, cursor)).toEqual(keys);
      }),
    );
  });

  it("are refused by another list", () => {
    expect(codeOf(() => decodeCursor("runs", encodeCursor("sessions", ["a"])))).toBe("INVALID_CURSOR");
    expect(codeOf(() => sequenceOfCursor("session-b", eventCursor("session-a", 3)))).toBe("INVALID_CURSOR");
  });

  it("are refused when they are garbage, whatever the garbage is", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.base64String()), (garbage) => {
        expect(codeOf(() => decodeCursor("sessions", garbage))).toBe("INVALID_CURSOR");
      }),
    );
  });

  it("of a log stand behind a whole, non-negative sequence", () => {
    expect(sequenceOfCursor("s", eventCursor("s", 0))).toBe(0);
    expect(sequenceOfCursor("s", eventCursor("s", 41))).toBe(41);
    for (const key of ["1", -1, 1.5, null, 2 ** 60])
      expect(codeOf(() => sequenceOfCursor("s", encodeCursor("events:s", [key])))).toBe("INVALID_CURSOR");
    expect(codeOf(() => sequenceOfCursor("s", encodeCursor("events:s", [])))).toBe("INVALID_CURSOR");
  });
});
