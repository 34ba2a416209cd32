import { describe, expect, it } from "vitest";
import type { ApprovalRow } from "./approvals-documents.ts";
import { groupApprovals, keepDecided } from "./group-approvals.ts";

const row = (id: string, run: string, more: Partial<ApprovalRow> = {}): ApprovalRow => ({
  id,
  kind: "tool_approval",
  actionRequests: [],
  allowedDecisions: ["APPROVE"],
  requestedAt: "2026-11-30T12:00:00.000Z",
  expiresAt: null,
  decision: null,
  decidedAt: null,
  decidedBy: null,
  closedAt: null,
  run: { id: run },
  session: {
    id: `session-${run}`,
    title: null,
    firstMessage: null,
    lastMessage: null,
    agent: { id: "a", name: "a", displayName: "A" },
  },
  ...more,
});

const ids = (rows: readonly ApprovalRow[]) => rows.map((each) => each.id).join(" ");

describe("groupApprovals", () => {
  it("puts what one run asks together", () => {
    const groups = groupApprovals([row("1", "r1"), row("2", "r2"), row("3", "r1")]);
    expect(groups.map((group) => `${group.runId}: ${ids(group.rows)}`)).toEqual(["r1: 1 3", "r2: 2"]);
  });
});

describe("keepDecided", () => {
  it("keeps what was decided in its place and puts new requests on top", () => {
    const shown = [row("1", "r1"), row("2", "r2"), row("3", "r3")];
    const done = row("2", "r2", { decision: "APPROVE" });
    const next = keepDecided(shown, [row("4", "r4"), row("1", "r1")], new Map([["2", done]]));
    expect(ids(next)).toBe("4 1 2");
    expect(next.at(-1)?.decision).toBe("APPROVE");
  });
});
