import { z } from "zod";
import { int, json, text, textOrNull, time, timeOrNull } from "../rows.ts";
import type { Row } from "../sql.ts";
import type { KnownCall, KnownMessage, ToldMessage } from "./plan-rebuild.ts";

// What a rebuild reads of the tables, in its own words.

export const knownMessageOf = (row: Row): KnownMessage => ({
  id: text(row, "id"),
  langgraphMessageId: textOrNull(row, "langgraph_message_id"),
  content: text(row, "content"),
  parts: json(row, "parts"),
  toolCalls: json(row, "tool_calls"),
  toolCallId: textOrNull(row, "tool_call_id"),
  seq: int(row, "seq"),
});

const Payload = z.looseObject({ messageId: z.string() });

/** What the log tells of each message that it did not take back, by the id of its row. */
export function toldMessages(events: readonly Row[]): ReadonlyMap<string, ToldMessage> {
  const told = new Map<string, ToldMessage>();
  for (const [order, event] of events.entries()) {
    const { messageId } = Payload.parse(json(event, "payload"));
    if (event.type === "message.discarded") told.delete(messageId);
    else
      told.set(messageId, {
        runId: textOrNull(event, "run_id"),
        taskId: textOrNull(event, "task_id"),
        at: time(event, "at"),
        order,
      });
  }
  return told;
}

/** The calls that ended, by id: the last of each. */
export function toolCallsOf(rows: readonly Row[]): ReadonlyMap<string, KnownCall> {
  return new Map(
    rows.map((row) => [
      text(row, "tool_call_id"),
      { runId: text(row, "run_id"), taskId: text(row, "task_id"), at: timeOrNull(row, "finished_at") },
    ]),
  );
}
