import type { OverlapPolicy, SessionPolicy } from "../../generated/graphql.ts";
import type { ScheduleRow } from "./schedules-documents.ts";

/** A schedule as its form holds it. */
export interface ScheduleDraft {
  name: string;
  cron: string;
  timeZone: string;
  agent: string;
  sessionPolicy: SessionPolicy;
  overlapPolicy: OverlapPolicy;
  /** A message to the agent, or its input as JSON. */
  as: "message" | "json";
  text: string;
  enabled: boolean;
}

/** The fields of the API that the form has. */
export const draftFields = ["name", "cron", "timeZone", "agent", "sessionPolicy", "overlapPolicy", "input"] as const;

export const overlapChoices: Record<SessionPolicy, readonly { value: OverlapPolicy; label: string }[]> = {
  SAME: [
    { value: "SKIP", label: "Leave this time out" },
    { value: "ENQUEUE", label: "Run after it" },
    { value: "INTERRUPT", label: "Cancel it and begin" },
  ],
  NEW: [
    { value: "SKIP", label: "Leave this time out" },
    { value: "ALLOW", label: "Run beside it" },
    { value: "INTERRUPT", label: "Cancel it and begin" },
  ],
};

export const newDraft = (timeZone: string, agent: string): ScheduleDraft => ({
  name: "",
  cron: "0 9 * * MON-FRI",
  timeZone,
  agent,
  sessionPolicy: "SAME",
  overlapPolicy: "SKIP",
  as: "message",
  text: "",
  enabled: true,
});

export function draftOf(schedule: ScheduleRow): ScheduleDraft {
  const message = messageOf(schedule.input);
  const { name, cron, timeZone, agent, sessionPolicy, overlapPolicy, enabled } = schedule;
  return {
    ...{ name, cron, timeZone, agent, sessionPolicy, overlapPolicy, enabled },
    as: message === null ? "json" : "message",
    text: message ?? JSON.stringify(schedule.input, null, 2),
  };
}

/** The one message of an input that is nothing else. */
function messageOf(input: unknown): string | null {
  if (typeof input !== "object" || input === null) return null;
  const messages: unknown = Reflect.get(input, "messages");
  if (Object.keys(input).length !== 1 || !Array.isArray(messages) || messages.length !== 1) return null;
  const [only]: unknown[] = messages;
  if (typeof only !== "object" || only === null || Reflect.get(only, "role") !== "user") return null;
  const content: unknown = Reflect.get(only, "content");
  return typeof content === "string" ? content : null;
}

/** What the agent gets; undefined when the text is no JSON. */
export function inputOf({ as, text }: Pick<ScheduleDraft, "as" | "text">): unknown {
  if (as === "message") return { messages: [{ role: "user", content: text }] };
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The draft with another session policy, and an overlap policy that goes with it. */
export function withSessionPolicy(draft: ScheduleDraft, sessionPolicy: SessionPolicy): ScheduleDraft {
  const fits = overlapChoices[sessionPolicy].some(({ value }) => value === draft.overlapPolicy);
  return { ...draft, sessionPolicy, overlapPolicy: fits ? draft.overlapPolicy : "SKIP" };
}
