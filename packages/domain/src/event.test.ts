import { describe, expect, it } from "vitest";
import { type EventType, eventPayloads, eventTypes, type NewEvent, parseNewEvent, runEndTypes } from "./event.ts";
import { runEndings } from "./status.ts";

const task = { status: "SUBMITTED" };
const run = { attempt: 1 };
const message = { messageId: "m", role: "ASSISTANT" };
const step = { stepId: "s", name: "agent", kind: "NODE", seq: 1 };
const tool = { toolCallId: "c", name: "search" };
const subagent = { name: "researcher" };
const valid: Record<EventType, Record<string, unknown>> = {
  "task.submitted": task,
  "task.completed": task,
  "task.failed": { ...task, code: "MODEL_ERROR", reason: "overloaded" },
  "task.cancelled": task,
  "task.rejected": task,
  "task.input_required": task,
  "run.queued": run,
  "run.started": { ...run, generation: 1 },
  "run.recovered": { ...run, generation: 2 },
  "run.succeeded": run,
  "run.failed": { ...run, code: "TOOL_ERROR" },
  "run.cancelled": { ...run, reason: "by hand" },
  "run.interrupted": run,
  "message.user": { ...message, role: "USER", text: "hello" },
  "message.started": message,
  "message.delta": { ...message, text: "he", index: 0 },
  "message.completed": { ...message, length: 5 },
  "message.discarded": message,
  "step.started": step,
  "step.completed": { ...step, durationMs: 3 },
  "step.failed": { ...step, error: "interrupted" },
  "tool.started": { ...tool, argumentNames: ["query"] },
  "tool.completed": { ...tool, durationMs: 2, outputBytes: 10 },
  "tool.failed": { ...tool, durationMs: 2, error: "refused" },
  "interrupt.requested": { interruptId: "i", kind: "QUESTION", actions: ["question"], allowedDecisions: ["RESPOND"] },
  "interrupt.decided": { interruptId: "i", decision: "EDIT", by: "Ada", editedArgumentNames: ["to"] },
  "interrupt.expired": { interruptId: "i" },
  "plan.updated": { todos: [] },
  "subagent.started": subagent,
  "subagent.completed": subagent,
  "artifact.published": { artifactId: "a", path: "/x", version: 1 },
  "artifact.deleted": { artifactId: "a", path: "/x" },
  "usage.recorded": { byModel: [{ model: "scripted" }], status: "COMPLETE" },
  "context.summarized": {},
  "mcp.unavailable": { server: "shop", category: "TIMEOUT", message: "The server did not answer in time" },
  custom: { value: 1 },
};

const eventOf = (type: string, payload: unknown): NewEvent =>
  ({ type, payload, visibility: "END_USER", at: new Date(0) }) as NewEvent;

describe("event payloads", () => {
  it.each(eventTypes)("%s accepts what it promises, and what later writers add", (type) => {
    const event = eventOf(type, { ...valid[type], addedLater: true });
    expect(parseNewEvent(event)).toBe(event);
  });

  it.each(eventTypes.filter((type) => Object.keys(valid[type]).length > 0))("%s refuses a missing promise", (type) => {
    const required = Object.keys(valid[type]).filter((key) => {
      const { [key]: _, ...rest } = valid[type];
      return !eventPayloads[type].safeParse(rest).success;
    });
    // `custom` promises that there is a value, and undefined is one.
    if (type !== "custom") expect(required.length).toBeGreaterThan(0);
    expect(() => parseNewEvent(eventOf(type, null))).toThrow();
  });

  it("end a run in as many ways as a run can end", () => {
    expect([...runEndTypes].sort()).toEqual(
      Object.values(runEndings)
        .map(({ events }) => events[0])
        .sort(),
    );
  });
});
