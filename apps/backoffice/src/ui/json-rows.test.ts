import { describe, expect, it } from "vitest";
import { describeString, jsonRows } from "./json-rows.ts";

const open = () => true;

describe("jsonRows", () => {
  it("walks only what is open", () => {
    const value = { a: [1, { b: null }], "x/y": "text" };
    expect(jsonRows(value, (_, depth) => depth < 1).map((row) => row.path)).toEqual(["", "/a", "/x~1y"]);
    expect(jsonRows(value, open).map((row) => `${row.depth}${row.path}:${row.kind}`)).toEqual([
      "0:object",
      "1/a:array",
      "2/a/0:number",
      "2/a/1:object",
      "3/a/1/b:null",
      "1/x~1y:string",
    ]);
  });

  it("does not open what is empty", () => {
    expect(jsonRows([], open)).toMatchObject([{ kind: "array", size: 0, open: false }]);
    expect(jsonRows(undefined, open)).toMatchObject([{ kind: "null" }]);
  });
});

describe("describeString", () => {
  it("recognises images and base64, and leaves text alone", () => {
    expect(describeString(`data:image/png;base64,${"A".repeat(400)}`)).toMatchObject({ kind: "image" });
    expect(describeString(`data:image/svg+xml;base64,${"A".repeat(400)}`)).toMatchObject({ kind: "base64" });
    expect(describeString("QUJD".repeat(100))).toMatchObject({ kind: "base64", label: "base64, 300 bytes" });
    expect(describeString("a sentence with spaces ".repeat(40))).toBeNull();
  });
});
