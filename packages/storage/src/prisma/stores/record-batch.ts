import { type NewEvent, parseNewEvent, preview } from "@wheelhouse/domain";
import type { Fence, MessageWrite, ModelCallWrite, RecordBatch, StepWrite } from "../../records.ts";
import { singleGroup } from "../group-commit.ts";
import type { AppendGroup, EventValues, MessageValues, ModelCallValues, StepValues } from "../sql.ts";
import type { StoreContext } from "./context.ts";

/** The fencing token as the session row holds it. */
export const fenceText = (fence: Pick<Fence, "runId" | "generation">): string => `${fence.runId}:${fence.generation}`;

// Writing runs.first_event_at with every flush would cost an update each; a worker holds one fence for a run's life, so
// the fence itself remembers that it has been written. After a takeover the database keeps the earlier time.
const begun = new WeakSet<Fence>();

/** A batch in the words of the tables. Throws the ZodError of an event that its schema refuses. */
export function appendGroupOf(context: StoreContext, fence: Fence, batch: RecordBatch): AppendGroup {
  const at = context.clock.now();
  const events = batch.events.map((event) => eventValues(context, fence, event));
  const first = begun.has(fence) ? undefined : batch.events.find(isVisibleSign);
  if (first !== undefined) begun.add(fence);
  return singleGroup({
    sessionId: fence.sessionId,
    runId: fence.runId,
    fence: fenceText(fence),
    at,
    firstEventAt: first?.at ?? null,
    events,
    steps: batch.steps.map(stepValues),
    messages: batch.messages.map(messageValues),
    modelCalls: batch.modelCalls.map(modelCallValues),
  });
}

const isVisibleSign = (event: NewEvent): boolean => event.type === "message.delta" || event.type.startsWith("step.");

function eventValues(context: StoreContext, fence: Fence, event: NewEvent): EventValues {
  parseNewEvent(event);
  return {
    id: context.newId(),
    run_id: event.runId ?? fence.runId,
    task_id: event.taskId ?? null,
    step_id: event.stepId ?? null,
    type: event.type,
    visibility: event.visibility,
    payload: event.payload,
    trace_id: event.traceId ?? null,
    span_id: event.spanId ?? null,
    at: event.at,
  };
}

const stepValues = (step: StepWrite): StepValues => ({
  id: step.id,
  parent_step_id: step.parentStepId,
  name: step.name,
  kind: step.kind,
  status: step.status,
  seq: step.seq,
  attempt: step.attempt,
  inputs: step.inputs ?? null,
  output: step.output ?? null,
  prompt: step.prompt ?? null,
  error: step.error ?? null,
  tool_uri: step.toolUri ?? null,
  tool_call_id: step.toolCallId ?? null,
  started_at: step.startedAt,
  finished_at: step.finishedAt,
  duration_ms: step.durationMs,
  metadata: step.metadata ?? null,
});

const messageValues = (message: MessageWrite): MessageValues => ({
  id: message.id,
  langgraph_message_id: message.langgraphMessageId,
  role: message.role,
  content: message.content,
  parts: message.parts ?? null,
  tool_calls: message.toolCalls ?? null,
  tool_call_id: message.toolCallId ?? null,
  model: message.model ?? null,
  token_count: message.tokenCount ?? null,
  created_at: message.createdAt,
  preview: previewOf(message),
});

/** Lists show what people and the agent said; tool results and instructions are none of that. */
const previewOf = ({ role, content }: MessageWrite): string | null =>
  (role === "USER" || role === "ASSISTANT") && content !== "" ? preview(content) : null;

const modelCallValues = (call: ModelCallWrite): ModelCallValues => ({
  id: call.id,
  step_id: call.stepId,
  call_type: call.callType,
  provider: call.provider,
  model: call.model,
  prompt_tokens: call.promptTokens,
  completion_tokens: call.completionTokens,
  total_tokens: call.totalTokens,
  cached_prompt_tokens: call.cachedPromptTokens,
  cache_write_tokens: call.cacheWriteTokens,
  reasoning_tokens: call.reasoningTokens,
  status: call.status,
  response_code: call.responseCode ?? null,
  attempt: call.attempt,
  error: call.error ?? null,
  started_at: call.startedAt,
  duration_ms: call.durationMs,
  time_to_first_token_ms: call.timeToFirstTokenMs,
});
