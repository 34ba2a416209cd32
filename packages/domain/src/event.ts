import { z } from "zod";
import { Decision, MessageRole, StepKind, UsageStatus } from "./status.ts";

export const eventVisibilities = ["END_USER", "OPERATOR", "INTERNAL"] as const;
export const EventVisibility = z.enum(eventVisibilities);
export type EventVisibility = z.infer<typeof EventVisibility>;

const status = z.looseObject({ status: z.string(), reason: z.string().optional(), code: z.string().optional() });
const run = z.looseObject({
  attempt: z.int(),
  generation: z.int().optional(),
  code: z.string().optional(),
  reason: z.string().optional(),
});
const message = z.looseObject({ messageId: z.string(), role: MessageRole });
const step = z.looseObject({
  stepId: z.string(),
  name: z.string(),
  kind: StepKind,
  seq: z.int(),
  parentStepId: z.string().optional(),
});
const tool = z.looseObject({ toolCallId: z.string(), name: z.string(), stepId: z.string().optional() });
const interrupt = z.looseObject({ interruptId: z.string() });

/** The payload of each event type. The set is closed and only ever grows; readers keep types they do not know. */
export const eventPayloads = {
  "task.submitted": status,
  "task.completed": status,
  "task.failed": status,
  "task.cancelled": status,
  "task.rejected": status,
  "task.input_required": status,
  "run.queued": run,
  "run.started": run,
  "run.recovered": run,
  "run.succeeded": run,
  "run.failed": run,
  "run.cancelled": run,
  "run.interrupted": run,
  "message.user": message.extend({ text: z.string() }),
  "message.started": message,
  /** `index` is the offset of this piece, in UTF-16 code units, within the message's text. */
  "message.delta": message.extend({ text: z.string(), index: z.int() }),
  "message.completed": message.extend({ length: z.int(), finishReason: z.string().optional() }),
  "message.discarded": message.extend({ reason: z.string().optional() }),
  "step.started": step,
  "step.completed": step.extend({ durationMs: z.int() }),
  "step.failed": step.extend({ durationMs: z.int().optional(), error: z.string() }),
  "tool.started": tool.extend({ argumentNames: z.array(z.string()), arguments: z.unknown().optional() }),
  "tool.completed": tool.extend({ durationMs: z.int(), outputBytes: z.int() }),
  "tool.failed": tool.extend({ durationMs: z.int(), error: z.string() }),
  "interrupt.requested": interrupt.extend({
    kind: z.string(),
    actions: z.array(z.string()),
    allowedDecisions: z.array(Decision),
  }),
  "interrupt.decided": interrupt.extend({
    decision: Decision,
    by: z.string(),
    editedArgumentNames: z.array(z.string()).optional(),
  }),
  "interrupt.expired": interrupt,
  "plan.updated": z.looseObject({ todos: z.array(z.unknown()) }),
  "subagent.started": z.looseObject({
    name: z.string(),
    stepId: z.string().optional(),
    parentStepId: z.string().optional(),
  }),
  "subagent.completed": z.looseObject({
    name: z.string(),
    stepId: z.string().optional(),
    parentStepId: z.string().optional(),
  }),
  "artifact.published": z.looseObject({ artifactId: z.string(), path: z.string(), version: z.int() }),
  "artifact.deleted": z.looseObject({ artifactId: z.string(), path: z.string() }),
  "usage.recorded": z.looseObject({ byModel: z.array(z.looseObject({ model: z.string() })), status: UsageStatus }),
  "context.summarized": z.looseObject({}),
  /** The run goes on without the tools of an optional MCP server. */
  "mcp.unavailable": z.looseObject({ server: z.string(), category: z.string(), message: z.string() }),
  custom: z.looseObject({ value: z.unknown() }),
} as const satisfies Record<string, z.ZodType>;

export type EventType = keyof typeof eventPayloads;
export type EventPayload<T extends EventType> = z.infer<(typeof eventPayloads)[T]>;
export const eventTypes = Object.keys(eventPayloads) as EventType[];

/** An event that has not been given its place in the log yet. */
export type NewEvent = {
  [T in EventType]: {
    type: T;
    payload: EventPayload<T>;
    visibility: EventVisibility;
    /** UTC, milliseconds. */
    at: Date;
    runId?: string | undefined;
    taskId?: string | undefined;
    stepId?: string | undefined;
    traceId?: string | undefined;
    spanId?: string | undefined;
  };
}[EventType];

/** One row of a session's log. `type` is a string because a newer writer may have added one. */
export interface StoredEvent {
  id: string;
  projectId: string;
  sessionId: string;
  runId: string | null;
  taskId: string | null;
  stepId: string | null;
  /** Gapless from 1 within the session. */
  sequence: number;
  type: string;
  visibility: EventVisibility;
  payload: Record<string, unknown>;
  at: Date;
}

/** The event types that end a run: one of them is the last word of every run. */
export const runEndTypes: ReadonlySet<string> = new Set([
  "run.succeeded",
  "run.failed",
  "run.cancelled",
  "run.interrupted",
]);

/** Checks an event against the schema of its type; throws the ZodError of the writer's mistake. */
export function parseNewEvent(event: NewEvent): NewEvent {
  eventPayloads[event.type].parse(event.payload);
  return event;
}
