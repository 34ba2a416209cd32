import { describe, expect, it } from "vitest";
import { changedArguments, readArguments } from "./read-arguments.ts";

describe("readArguments", () => {
  it("takes a JSON object and nothing else", () => {
    expect(readArguments('{"amount": 3}')).toEqual({ ok: true, args: { amount: 3 } });
    for (const text of ["[1]", "null", '"text"', "3"])
      expect(readArguments(text)).toEqual({ ok: false, problem: "Arguments are a JSON object: { … }" });
  });

  it("says where the JSON breaks", () => {
    expect(readArguments('{\n  "a": 1,\n  b: 2\n}')).toMatchObject({
      ok: false,
      problem: expect.stringContaining("line 3"),
    });
    expect(readArguments('{\n  "a": 1,')).toMatchObject({ ok: false, problem: expect.stringContaining("line 2") });
    expect(readArguments("")).toMatchObject({ ok: false });
  });
});

describe("changedArguments", () => {
  it("names what differs", () => {
    expect(changedArguments({ a: 1, b: [1], gone: true }, { a: 1, b: [2], fresh: null })).toEqual([
      "b",
      "gone",
      "fresh",
    ]);
    expect(changedArguments(null, {})).toEqual([]);
  });
});
