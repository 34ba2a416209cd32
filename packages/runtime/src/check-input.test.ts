import { type Authority, Refusal } from "@wheelhouse/domain";
import { describe, expect, it } from "vitest";
import { checkJson, checkMessage, checkMetadata, checkName, requireRole } from "./check-input.ts";

const issueOf = (act: () => unknown): { code: string; path: string | undefined } | null => {
  try {
    act();
    return null;
  } catch (error) {
    if (error instanceof Refusal) return { code: error.code, path: error.issues[0]?.path };
    throw error;
  }
};
const refused = (path: string) => ({ code: "INVALID_INPUT", path });

describe("input checks", () => {
  it("refuse names that are blank or too long, and keep the rest storable", () => {
    expect(issueOf(() => checkName("externalId", "  "))).toEqual(refused("externalId"));
    expect(issueOf(() => checkName("externalId", "x".repeat(201)))).toEqual(refused("externalId"));
    expect(checkName("externalId", "x".repeat(200))).toHaveLength(200);
    expect(checkName("externalId", "a\0\uD800")).toBe("a\uFFFD\uFFFD");
    expect(checkName("externalId", undefined)).toBeNull();
  });

  it("refuse messages that are blank or too large in bytes, not in characters", () => {
    expect(issueOf(() => checkMessage("content", " \n\u00A0", 10))).toEqual(refused("content"));
    expect(issueOf(() => checkMessage("content", "äääääa", 10))).toEqual(refused("content"));
    expect(checkMessage("content", "äääää", 10)).toBe("äääää");
  });

  it("refuse JSON that is too large, too deep, or none", () => {
    let deep: unknown = 1;
    for (let i = 0; i < 200_000; i++) deep = [deep];
    expect(issueOf(() => checkJson("input", deep, 1_000_000))).toEqual(refused("input"));
    expect(issueOf(() => checkJson("input", undefined, 100))).toEqual(refused("input"));
    expect(issueOf(() => checkJson("input", "x".repeat(100), 100))).toEqual(refused("input"));
    expect(checkJson("input", { a: ["\0"] }, 100)).toEqual({ a: ["\uFFFD"] });
  });

  it("refuse metadata that is no object", () => {
    for (const value of [[], "x", 1, true])
      expect(issueOf(() => checkMetadata("metadata", value, 100))).toEqual(refused("metadata"));
    expect(checkMetadata("metadata", null, 100)).toEqual({});
  });

  it("let roles do what they may", () => {
    const as = (role: Authority["role"]) => ({ role }) as Authority;
    expect(issueOf(() => requireRole(as("VIEWER"), "OPERATOR"))?.code).toBe("FORBIDDEN");
    expect(issueOf(() => requireRole(as("OPERATOR"), "OPERATOR"))).toBeNull();
    expect(issueOf(() => requireRole(as("OWNER"), "OPERATOR"))).toBeNull();
  });
});
