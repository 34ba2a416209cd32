import { describe, expect, it } from "vitest";
import { readSetupAnswer } from "./read-setup-answer.ts";

describe("readSetupAnswer", () => {
  it("tells a spent link, wrong fields and failures apart", () => {
    expect(readSetupAnswer(200, "{}")).toEqual({ kind: "done" });
    expect(readSetupAnswer(403, '{"code":"FORBIDDEN"}')).toEqual({ kind: "spent" });
    const issues = [{ path: "password", message: "use at least 10 characters" }];
    expect(readSetupAnswer(400, JSON.stringify({ code: "INVALID_INPUT", issues }))).toEqual({
      kind: "invalid",
      problems: { password: "Use at least 10 characters" },
    });
    expect(readSetupAnswer(400, "<html>").kind).toBe("failed");
    expect(readSetupAnswer(502, "bad gateway").kind).toBe("failed");
  });
});
