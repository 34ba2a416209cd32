import { describe, expect, it } from "vitest";
import { readIssues } from "./read-issues.ts";

describe("the problems of a form", () => {
  it("stand at their fields, and at the form when it has no such field", () => {
    const issues = [
      { path: "cron", message: "has five fields" },
      { path: "input.topic", message: "is missing" },
      { path: "scope", message: "is no object" },
      { path: "cron", message: "said twice" },
    ];
    expect(readIssues({ message: "no", issues }, ["cron", "input"])).toEqual({
      cron: "has five fields",
      input: "topic: is missing",
      form: "scope: is no object",
    });
  });

  it("are the message when no field is named", () => {
    expect(readIssues({ message: "There is no agent" }, ["cron"])).toEqual({ form: "There is no agent" });
    expect(readIssues({ message: "There is no agent", issues: [] }, ["cron"])).toEqual({ form: "There is no agent" });
  });
});
