import { describe, expect, it } from "vitest";
import { safeNext } from "./safe-next.ts";

describe("safeNext", () => {
  it("goes back to a page of this site", () => {
    expect(safeNext("/conversations?agent=a%26b#x")).toBe("/conversations?agent=a%26b#x");
    expect(safeNext(null)).toBe("/");
  });
  it("goes nowhere else", () => {
    for (const next of ["https://evil.example", "//evil.example", "/\\evil.example", "javascript:alert(1)", "evil"])
      expect(safeNext(next)).toBe("/");
  });
});
