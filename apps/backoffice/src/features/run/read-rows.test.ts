import { describe, expect, it } from "vitest";
import { ownWords, readInterrupt } from "./read-rows.ts";

describe("readInterrupt", () => {
  it("reads actions, one or several, and a question that is no action", () => {
    const row = {
      id: "Interrupt_i1",
      kind: "TOOL_APPROVAL",
      actionRequests: [
        { name: "refund", args: { amount: 3 }, description: "Money goes out", argsSchema: { type: "object" } },
        { name: "mail", arguments: {} },
      ],
      allowedDecisions: [],
      requestedAt: "2026-01-01T00:00:00.000Z",
      expiresAt: null,
      decision: null,
      decidedAt: null,
      decidedBy: null,
      closedAt: null,
      run: { id: "Run_r1" },
    };
    expect(readInterrupt(row)).toMatchObject({
      id: "i1",
      runId: "r1",
      actions: [
        { name: "refund", args: { amount: 3 }, description: "Money goes out", checked: true },
        { name: "mail", args: {}, description: null, checked: false },
      ],
      expired: false,
    });
    expect(readInterrupt({ ...row, closedAt: "2026-01-02T00:00:00.000Z" })).toMatchObject({ expired: true });
    expect(readInterrupt({ ...row, actionRequests: "Which one?" }).actions).toEqual([
      { name: "question", args: "Which one?", description: null, checked: false },
    ]);
  });
});

describe("ownWords", () => {
  it("leaves out what the page shows anyway", () => {
    const repeated = 'Tool execution requires approval\n\nTool: send_email\nArgs: {\n  "to": "a"\n}';
    expect(ownWords(repeated)).toBeNull();
    expect(ownWords(`Writes to a customer.\n\n${repeated.slice(34)}`)).toBe("Writes to a customer.");
    expect(ownWords("Cannot be undone.")).toBe("Cannot be undone.");
  });
});
