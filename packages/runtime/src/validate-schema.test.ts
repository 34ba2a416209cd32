import { Refusal } from "@wheelhouse/domain";
import { describe, expect, it } from "vitest";
import { schemaIssues } from "./validate-schema.ts";

const schema = {
  $schema: "http://json-schema.org/draft-07/schema#",
  type: "object",
  properties: {
    topic: { type: "string", minLength: 2 },
    depth: { enum: ["short", "long"] },
    parts: { type: "array", items: { type: "object", required: ["name"], properties: { name: { type: "string" } } } },
    when: { type: "string", format: "date-time" },
  },
  required: ["topic"],
  additionalProperties: false,
};

describe("schemaIssues", () => {
  it("finds nothing wrong with a good value", () => {
    expect(
      schemaIssues(schema, { topic: "tides", depth: "long", parts: [{ name: "a" }], when: "now" }, "input"),
    ).toEqual([]);
  });

  it("names every wrong field by its path", () => {
    const value = { depth: "deep", parts: [{ name: "a" }, {}, { name: 1 }], other: 1 };
    expect(schemaIssues(schema, value, "input")).toEqual([
      { path: "input.topic", message: "is required" },
      { path: "input.other", message: "is not a known field" },
      { path: "input.depth", message: 'must be one of "short", "long"' },
      { path: "input.parts[1].name", message: "is required" },
      { path: "input.parts[2].name", message: "must be string" },
    ]);
    expect(schemaIssues(schema, "text", "input")).toEqual([{ path: "input", message: "must be object" }]);
  });

  it("refuses a schema that is none", () => {
    expect(() => schemaIssues({ type: "rocket" }, 1, "input")).toThrow(Refusal);
  });
});
