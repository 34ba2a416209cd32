import { type NewEvent, StepKind } from "@wheelhouse/domain";
import type { MessageWrite, RecordBatch, StepWrite } from "@wheelhouse/storage";
import { emptyBatch } from "./merge-batch.ts";

/** What the log holds of a run that stopped in the middle; see `RunStore.openEnds`. */
export interface OpenEnds {
  steps: { id: string; name: string; kind: string; seq: number; parentStepId: string | null; startedAt: Date }[];
  messageIds: string[];
  recordedMessageIds: string[];
  ownMessageIds: string[];
}

/**
 * What closes the open ends of a run in the log: open steps have failed with `reason`, and half-streamed messages are
 * discarded, because the checkpoint, which is right about the conversation, has none of them.
 */
export function closeOpenEnds(ends: OpenEnds, attempt: number, reason: string, at: Date): RecordBatch {
  const batch = emptyBatch();
  for (const open of ends.steps) {
    const kind = StepKind.catch("NODE").parse(open.kind);
    // The machine's clock may have gone back since the step began.
    const durationMs = Math.max(0, at.getTime() - open.startedAt.getTime());
    const { id, name, seq, parentStepId, startedAt } = open;
    const step: StepWrite = {
      ...{ id, name, kind, seq, parentStepId, attempt, startedAt },
      ...{ status: "FAILED", error: reason, finishedAt: at, durationMs },
    };
    batch.steps.push(step);
    const parent = parentStepId === null ? {} : { parentStepId };
    const payload = { stepId: id, name, kind, seq, ...parent, durationMs, error: reason };
    batch.events.push({ type: "step.failed", payload, visibility: "OPERATOR", at, stepId: id });
  }
  for (const messageId of ends.messageIds)
    batch.events.push({
      type: "message.discarded",
      payload: { messageId, role: "ASSISTANT", reason },
      visibility: "END_USER",
      at,
    });
  return batch;
}

/** Messages that the checkpoint has and the log lacks, told as the log would have told them, marked `recovered`. */
export function recoveredMessages(messages: readonly MessageWrite[], ends: OpenEnds, at: Date): RecordBatch {
  const batch = emptyBatch();
  const recorded = new Set(ends.recordedMessageIds);
  for (const message of messages) {
    if (recorded.has(message.langgraphMessageId)) continue;
    batch.messages.push(message);
    batch.events.push(...toldAtOnce(message, at, { recovered: true }));
  }
  return batch;
}

/**
 * A message as the log would have told it, with why it is told at once; nothing for what the log never tells: tools' answers
 * and instructions.
 */
export function toldAtOnce(message: MessageWrite, at: Date, why: { recovered: true } | { copied: true }): NewEvent[] {
  const { id: messageId, role, content } = message;
  if (role !== "USER" && role !== "ASSISTANT") return [];
  const about = { messageId, role, ...why };
  const visibility = "END_USER";
  const text: NewEvent[] =
    content === "" ? [] : [{ type: "message.delta", payload: { ...about, text: content, index: 0 }, visibility, at }];
  return [
    { type: "message.started", payload: about, visibility, at },
    ...text,
    { type: "message.completed", payload: { ...about, length: content.length }, visibility, at },
  ];
}
