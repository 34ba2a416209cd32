import { describe, expect, it } from "vitest";
import type { LogEvent } from "./live-view.ts";
import { matchesFilter, nounOf, summarizeEvent } from "./summarize-event.ts";

const event = (type: string, payload: Record<string, unknown>): LogEvent => ({
  sequence: 1,
  type,
  visibility: "OPERATOR",
  at: "2026-01-01T00:00:00.000Z",
  runId: null,
  taskId: null,
  payload,
});

describe("summarizeEvent", () => {
  it("puts the most telling words on one line", () => {
    expect(summarizeEvent(event("tool.completed", { name: "search", durationMs: 1200, outputBytes: 9 }))).toBe(
      "search · 1,200 ms · 9 bytes",
    );
    expect(summarizeEvent(event("run.failed", { attempt: 2, code: "TOOL_ERROR", reason: "no" }))).toBe(
      "TOOL_ERROR · no · attempt 2",
    );
    const published = { artifactId: "1", path: "/files/a.csv", version: 2, contentType: "text/csv", bytes: 2048 };
    expect(summarizeEvent(event("artifact.published", published))).toBe(
      "/files/a.csv · version 2 · text/csv · 2.0 KiB",
    );
    expect(summarizeEvent(event("artifact.deleted", { artifactId: "1", path: "/files/a.csv" }))).toBe("/files/a.csv");
    const unavailable = { server: "shop", category: "TOO_MANY_TOOLS", message: "It offers 300 tools" };
    expect(summarizeEvent(event("mcp.unavailable", unavailable))).toBe(
      "the MCP server shop could not be used · too many tools · It offers 300 tools",
    );
    expect(summarizeEvent(event("galaxy.collided", { with: "andromeda" }))).toBe('{"with":"andromeda"}');
  });
});

describe("matchesFilter", () => {
  it("filters by noun and by text in type or payload", () => {
    const tool = event("tool.started", { name: "Search", argumentNames: ["q"] });
    expect(nounOf("tool.started")).toBe("tool");
    expect(nounOf("galaxy.collided")).toBe("other");
    expect(matchesFilter(tool, { nouns: new Set(), text: "" })).toBe(true);
    expect(matchesFilter(tool, { nouns: new Set(["step"]), text: "" })).toBe(false);
    expect(matchesFilter(tool, { nouns: new Set(["tool"]), text: "search" })).toBe(true);
    expect(matchesFilter(tool, { nouns: new Set(), text: "lease" })).toBe(false);
  });
});
