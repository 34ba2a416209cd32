import { describe, expect, it } from "vitest";
import { readSchema, typeOfSchema } from "./read-schema.ts";

describe("readSchema", () => {
  it("tells fields, types, what is required and the limits", () => {
    const fields = readSchema({
      type: "object",
      required: ["messages"],
      properties: {
        messages: { type: "array", items: { type: "object" } },
        locale: { type: "string", default: "en", description: "BCP 47", maxLength: 35 },
        priority: { enum: ["low", "high"] },
      },
    });
    expect(fields).toEqual([
      { name: "messages", type: "array of object", required: true, description: null, notes: [] },
      {
        name: "locale",
        type: "string",
        required: false,
        description: "BCP 47",
        notes: ['default "en"', "maxLength 35"],
      },
      { name: "priority", type: '"low" | "high"', required: false, description: null, notes: [] },
    ]);
  });

  it("knows when it is no object schema", () => {
    expect(readSchema(null)).toBeNull();
    expect(readSchema({ type: "string" })).toBeNull();
    expect(readSchema([1])).toBeNull();
  });

  it("names types of any make", () => {
    expect(typeOfSchema({ anyOf: [{ type: "string" }, { type: "null" }] })).toBe("string | null");
    expect(typeOfSchema({ type: ["integer", "null"] })).toBe("integer | null");
    expect(typeOfSchema({ $ref: "#/$defs/Order" })).toBe("Order");
    expect(typeOfSchema(true)).toBe("any");
  });
});
