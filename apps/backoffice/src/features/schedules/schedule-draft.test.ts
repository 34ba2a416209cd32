import { describe, expect, it } from "vitest";
import { draftOf, inputOf, newDraft, withSessionPolicy } from "./schedule-draft.ts";
import type { ScheduleRow } from "./schedules-documents.ts";

const schedule = (input: unknown): ScheduleRow => ({
  id: "Schedule_1",
  name: "report",
  cron: "0 9 * * *",
  timeZone: "UTC",
  overlapPolicy: "SKIP",
  sessionPolicy: "SAME",
  agent: "guide",
  scope: { project: "acme" },
  input,
  enabled: true,
  nextAt: null,
  lastAt: null,
  lastError: null,
  lastTask: null,
});

describe("the draft of a schedule", () => {
  it("is a message when the input is nothing else, and JSON otherwise; both come back as they were", () => {
    const inputs = [
      { messages: [{ role: "user", content: "Good morning" }] },
      { messages: [{ role: "user", content: "Good morning" }], depth: 2 },
      { messages: [{ role: "system", content: "Be brief" }] },
      { topic: "weather" },
      null,
    ];
    expect(inputs.map((input) => draftOf(schedule(input)).as)).toEqual(["message", "json", "json", "json", "json"]);
    expect(inputs.map((input) => inputOf(draftOf(schedule(input))))).toEqual(inputs);
    expect(inputOf({ as: "json", text: "{" })).toBeUndefined();
  });

  it("keeps the overlap policy that goes with its sessions", () => {
    const draft = newDraft("UTC", "guide");
    expect(withSessionPolicy({ ...draft, overlapPolicy: "ENQUEUE" }, "NEW").overlapPolicy).toBe("SKIP");
    expect(withSessionPolicy({ ...draft, overlapPolicy: "INTERRUPT" }, "NEW").overlapPolicy).toBe("INTERRUPT");
  });
});
