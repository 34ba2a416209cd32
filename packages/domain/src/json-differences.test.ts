import { describe, expect, it } from "vitest";
import { jsonDifferences } from "./json-differences.ts";

describe("differences of JSON", () => {
  it("are named by their paths", () => {
    const a = { model: { name: "a", temperature: 0 }, tools: ["x", "y"], same: [1, { z: 2 }], "odd key": 1 };
    const b = { model: { name: "b", temperature: 0 }, tools: ["x"], same: [1, { z: 2 }], "odd key": 2, more: null };
    expect(jsonDifferences(a, b)).toEqual([
      { path: "$.model.name", a: "a", b: "b" },
      { path: "$.more", a: undefined, b: null },
      { path: '$["odd key"]', a: 1, b: 2 },
      { path: "$.tools[1]", a: "y", b: undefined },
    ]);
  });

  it("are of the whole where the kinds differ, and none where nothing differs", () => {
    expect(jsonDifferences({ a: [1] }, { a: { b: 1 } })).toEqual([{ path: "$.a", a: [1], b: { b: 1 } }]);
    expect(jsonDifferences({ x: 1, y: 2 }, { y: 2, x: 1 })).toEqual([]);
    expect(jsonDifferences(1, "1")).toEqual([{ path: "$", a: 1, b: "1" }]);
  });
});
