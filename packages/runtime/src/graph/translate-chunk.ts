import type { ModelCallWrite, RecordBatch } from "@wheelhouse/storage";
import { errorText, isInterruptError, isParentCommand, providerStatus, RunRefusal } from "./classify-failure.ts";
import { isMessageLike } from "./payload.ts";
import type { ReportedUsage, RunChunk } from "./run-chunk.ts";
import { spendTokens } from "./token-budget.ts";
import {
  addPiece,
  discardMessage,
  holdMessage,
  keepMessages,
  messagesIn,
  rememberInputs,
  settleMessages,
} from "./translate-messages.ts";
import {
  endStep,
  type Frame,
  type OpenStep,
  startStep,
  stepPayload,
  type TranslationState,
  takeBatch,
  tell,
} from "./translation-state.ts";

export { newTranslation, takeBatch } from "./translation-state.ts";

/*
 * Who sees what (specification 4.1):
 *   END_USER  message.* of the main conversation; tool.* there: name, argument names, time, size, never values;
 *             plan.updated, subagent.*, custom of the main graph
 *   OPERATOR  step.* (their rows hold inputs, outputs, prompts); tool.* and custom below a tool or subagent;
 *             user messages that the graph made up
 * Messages of models below a tool or subagent are no messages of the conversation: their steps tell them.
 */

/** Adds what one chunk means to the state's unsent batch. No clock, ids or I/O of its own. */
export function translateChunk(state: TranslationState, chunk: RunChunk): void {
  if (state.closed) return;
  switch (chunk.type) {
    case "chain.start":
      startChain(state, chunk);
      return;
    case "chain.end":
      endChain(state, chunk);
      return;
    case "chain.error":
      failChain(state, chunk);
      return;
    case "model.start":
      startModel(state, chunk);
      return;
    case "model.token":
      addToken(state, chunk);
      return;
    case "model.end":
      endModel(state, chunk);
      return;
    case "model.error":
      failModel(state, chunk);
      return;
    case "tool.start":
      startTool(state, chunk);
      return;
    case "tool.end":
      endTool(state, chunk);
      return;
    case "tool.error":
      failTool(state, chunk);
      return;
    case "retriever.start": {
      const parent = frameOf(state, chunk.parentId);
      const inputs = stepPayload(state, { query: chunk.query });
      startStep(state, {
        ...chunk,
        callbackId: chunk.id,
        parent,
        kind: "RETRIEVAL",
        path: parent.path,
        main: false,
        inputs,
      });
      return;
    }
    case "retriever.end":
      withStep(state, chunk.id, (step) => {
        endStep(state, step, { status: "COMPLETED", output: stepPayload(state, chunk.documents) });
      });
      return;
    case "retriever.error":
      withStep(state, chunk.id, (step) => {
        failStep(state, step, chunk.error);
      });
      return;
    case "custom": {
      const value = stepPayload(state, chunk.value) ?? null;
      tell(state, "custom", { value }, { visibility: chunk.main ? "END_USER" : "OPERATOR" });
    }
  }
}

export type TranslationOutcome = "SUCCEEDED" | "FAILED" | "CANCELLED" | "INTERRUPTED";

/** Closes every step and message that is still open and returns the last batch. Later chunks change nothing. */
export function finishTranslation(state: TranslationState, outcome: TranslationOutcome, reason: string): RecordBatch {
  settleMessages(state, outcome === "SUCCEEDED", reason);
  for (const step of [...state.open.values()].reverse()) {
    const status = outcome === "FAILED" ? "FAILED" : "CANCELLED";
    if (step.model !== undefined) recordCall(state, step, { status: "CANCELLED", error: reason });
    const durationMs = endStep(state, step, { status, error: reason });
    if (step.tool !== undefined) tellToolFailure(state, step, durationMs, reason);
  }
  state.closed = true;
  const batch = takeBatch(state);
  return batch ?? { events: [], steps: [], messages: [], modelCalls: [] };
}

type ChunkOf<T extends RunChunk["type"]> = Extract<RunChunk, { type: T }>;

const rootFrame: Frame = { step: null, path: "", main: true };

const frameOf = (state: TranslationState, id: string | undefined): Frame =>
  (id === undefined ? undefined : state.frames.get(id)) ?? rootFrame;

function withStep(state: TranslationState, id: string, act: (step: OpenStep) => void): void {
  const step = state.open.get(id);
  if (step !== undefined) act(step);
}

/** A chain is a node's execution when LangGraph named it so and it is not a part of the node around it. */
function startChain(
  state: TranslationState,
  { id, parentId, name, metadata, hidden, inputs }: ChunkOf<"chain.start">,
): void {
  if (parentId === undefined) state.rootId ??= id;
  const parent = frameOf(state, parentId);
  const path = metadata?.langgraph_checkpoint_ns;
  const isNode = name !== undefined && !hidden && metadata?.langgraph_node === name && path !== parent.path;
  if (!isNode || typeof path !== "string" || parentId === undefined) {
    state.frames.set(id, parent);
    return;
  }
  rememberInputs(state, inputs);
  const kind = /\.(before|after)_(agent|model)$/.test(name) ? "MIDDLEWARE" : "NODE";
  const main = parent.main;
  startStep(state, { callbackId: id, parent, name, kind, path, main, inputs: stepPayload(state, inputs, true) });
}

function endChain(state: TranslationState, { id, outputs }: ChunkOf<"chain.end">): void {
  if (id === state.rootId) state.rootOutput = outputs;
  const step = state.open.get(id);
  state.frames.delete(id);
  if (step === undefined) return;
  if (step.main) {
    keepMessages(state, messagesIn(outputs, id), step.write.kind === "MIDDLEWARE");
    const todos = todosIn(outputs);
    const shown = todos === null ? undefined : stepPayload(state, todos);
    if (Array.isArray(shown))
      tell(state, "plan.updated", { todos: shown }, { visibility: "END_USER", stepId: step.write.id });
  }
  endStep(state, step, { status: "COMPLETED", output: stepPayload(state, outputs, true) });
}

function failChain(state: TranslationState, { id, error }: ChunkOf<"chain.error">): void {
  state.frames.delete(id);
  const step = state.open.get(id);
  if (step === undefined) return;
  if (isParentCommand(error)) {
    endStep(state, step, { status: "COMPLETED" });
    return;
  }
  if (!isInterruptError(error)) state.origins.node ??= step.write.name;
  failStep(state, step, error);
}

/** A step that threw. Waiting for a human is no failure: the step is given up and runs again with the answer. */
function failStep(state: TranslationState, step: OpenStep, error: unknown): number {
  if (isInterruptError(error)) return endStep(state, step, { status: "CANCELLED", metadata: { interrupted: true } });
  return endStep(state, step, { status: "FAILED", error: state.options.redact(errorText(error)) });
}

function startModel(state: TranslationState, chunk: ChunkOf<"model.start">): void {
  const parent = frameOf(state, chunk.parentId);
  const model = textOr(chunk.metadata?.ls_model_name, chunk.name ?? "unknown");
  const step = startStep(state, {
    callbackId: chunk.id,
    parent,
    name: model,
    kind: "MODEL",
    path: parent.path,
    main: false,
    inputs: chunk.tools.length > 0 ? stepPayload(state, { tools: chunk.tools }) : undefined,
    prompt: stepPayload(state, chunk.prompt),
  });
  step.model = {
    provider: textOr(chunk.metadata?.ls_provider, "unknown"),
    model,
    firstTokenAt: null,
    silent: chunk.silent || !parent.main,
    messageId: null,
  };
}

function addToken(state: TranslationState, { id, messageId, content, callsTools }: ChunkOf<"model.token">): void {
  const model = state.open.get(id)?.model;
  if (model === undefined) return;
  const empty = content === "" || (Array.isArray(content) && content.length === 0);
  if (model.firstTokenAt === null && (callsTools || !empty)) model.firstTokenAt = state.options.clock.now().getTime();
  model.messageId = messageId;
  if (!model.silent) addPiece(state, messageId, content, callsTools);
}

function endModel(state: TranslationState, { id, messageId, message, usage }: ChunkOf<"model.end">): void {
  withStep(state, id, (step) => {
    if (step.model === undefined) return;
    step.model.model = textOr(modelNameOf(message), step.model.model);
    recordCall(state, step, { status: "OK", usage });
    spendTokens(state, usage);
    if (message !== null && !step.model.silent)
      holdMessage(state, messageId, message, { model: step.model.model, tokenCount: usage?.output_tokens ?? null });
    endStep(state, step, { status: "COMPLETED", output: stepPayload(state, message ?? undefined) });
  });
}

function failModel(state: TranslationState, { id, error }: ChunkOf<"model.error">): void {
  withStep(state, id, (step) => {
    if (typeof error === "object" && error !== null) state.origins.model.add(error);
    const text = state.options.redact(errorText(error));
    recordCall(state, step, { status: "ERROR", error: text, responseCode: providerStatus(error) });
    failStep(state, step, error);
    if (step.model?.messageId != null) discardMessage(state, step.model.messageId, text);
  });
}

function startTool(state: TranslationState, chunk: ChunkOf<"tool.start">): void {
  const parent = frameOf(state, chunk.parentId);
  const args = parseArguments(chunk.input);
  const callId = chunk.toolCallId ?? chunk.id;
  const subagent = chunk.name === "task" && typeof args.subagent_type === "string" ? args.subagent_type : null;
  const step = startStep(state, {
    callbackId: chunk.id,
    parent,
    name: subagent ?? chunk.name,
    kind: subagent === null ? "TOOL" : "SUBAGENT",
    path: parent.path,
    place: `${parent.path} ${callId}`,
    main: false,
    inputs: stepPayload(state, args),
    toolCallId: callId,
  });
  step.tool = { callId, name: chunk.name, subagent };
  const more = { visibility: toolVisibility(step), at: step.write.startedAt, stepId: step.write.id };
  const names = { toolCallId: callId, name: chunk.name, stepId: step.write.id };
  tell(state, "tool.started", { ...names, argumentNames: Object.keys(args) }, more);
  if (subagent !== null) tell(state, "subagent.started", subagentNames(step, subagent), more);
}

function endTool(state: TranslationState, { id, output }: ChunkOf<"tool.end">): void {
  withStep(state, id, (step) => {
    if (step.tool === undefined) return;
    const answer = isMessageLike(output) ? output.content : output;
    const outputBytes = byteSize(answer);
    const { maxToolOutputBytes } = state.options;
    if (outputBytes > maxToolOutputBytes) {
      refuseOutput(state, step, outputBytes);
      return;
    }
    const payload = stepPayload(state, answer);
    if (isMessageLike(output) && output.status === "error") {
      const error = state.options.redact(typeof answer === "string" ? answer : "the tool reported an error");
      tellToolFailure(state, step, endStep(state, step, { status: "FAILED", error, output: payload }), error);
      return;
    }
    const durationMs = endStep(state, step, { status: "COMPLETED", output: payload });
    const { callId, name, subagent } = step.tool;
    const more = { visibility: toolVisibility(step), stepId: step.write.id };
    tell(state, "tool.completed", { toolCallId: callId, name, stepId: step.write.id, durationMs, outputBytes }, more);
    if (subagent !== null) tell(state, "subagent.completed", subagentNames(step, subagent), more);
  });
}

/** So much text would be paid for with every later model call and stored with every checkpoint. */
function refuseOutput(state: TranslationState, step: OpenStep, bytes: number): void {
  const name = step.tool?.name ?? step.write.name;
  const most = state.options.maxToolOutputBytes;
  const message = `The tool "${name}" returned ${bytes} bytes; a tool may return at most ${most}.`;
  state.refusal ??= new RunRefusal("OUTPUT_TOO_LARGE", message);
  tellToolFailure(state, step, endStep(state, step, { status: "FAILED", error: message }), message);
}

function failTool(state: TranslationState, { id, error }: ChunkOf<"tool.error">): void {
  withStep(state, id, (step) => {
    if (step.tool === undefined) return;
    if (typeof error === "object" && error !== null && !state.origins.tool.has(error))
      state.origins.tool.set(error, step.tool.name);
    const durationMs = failStep(state, step, error);
    if (!isInterruptError(error)) tellToolFailure(state, step, durationMs, state.options.redact(errorText(error)));
  });
}

/** End users learn that a tool failed; why is for operators, who read it on the step. */
function tellToolFailure(state: TranslationState, step: OpenStep, durationMs: number, error: string): void {
  if (step.tool === undefined) return;
  const { callId, name, subagent } = step.tool;
  const shown = step.main ? "the tool did not finish its work" : error;
  const more = { visibility: toolVisibility(step), stepId: step.write.id };
  tell(state, "tool.failed", { toolCallId: callId, name, stepId: step.write.id, durationMs, error: shown }, more);
  if (subagent !== null) tell(state, "subagent.completed", { ...subagentNames(step, subagent), failed: true }, more);
}

const toolVisibility = (step: OpenStep): "END_USER" | "OPERATOR" => (step.main ? "END_USER" : "OPERATOR");

function subagentNames({ write }: OpenStep, name: string) {
  return { name, stepId: write.id, ...(write.parentStepId === null ? {} : { parentStepId: write.parentStepId }) };
}

function recordCall(
  state: TranslationState,
  step: OpenStep,
  end: { status: ModelCallWrite["status"]; usage?: ReportedUsage | null; error?: string; responseCode?: string | null },
): void {
  if (step.model === undefined) return;
  const { provider, model, firstTokenAt } = step.model;
  const startedAt = step.write.startedAt;
  const { usage } = end;
  state.batch.modelCalls.push({
    id: state.options.newId(),
    stepId: step.write.id,
    callType: "LLM",
    provider,
    model,
    status: end.status,
    responseCode: end.responseCode ?? null,
    attempt: step.write.attempt,
    error: end.error ?? null,
    startedAt,
    durationMs: Math.max(0, state.options.clock.now().getTime() - startedAt.getTime()),
    timeToFirstTokenMs: firstTokenAt === null ? null : Math.max(0, firstTokenAt - startedAt.getTime()),
    promptTokens: usage?.input_tokens ?? null,
    completionTokens: usage?.output_tokens ?? null,
    totalTokens: usage?.total_tokens ?? null,
    cachedPromptTokens: usage?.input_token_details?.cache_read ?? null,
    cacheWriteTokens: usage?.input_token_details?.cache_creation ?? null,
    reasoningTokens: usage?.output_token_details?.reasoning ?? null,
  });
}

function parseArguments(input: unknown): Record<string, unknown> {
  if (typeof input === "object" && input !== null) return Object.fromEntries(Object.entries(input));
  if (typeof input !== "string") return {};
  try {
    const parsed: unknown = JSON.parse(input);
    if (typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)) return { ...parsed };
  } catch {
    // Tools with a single text argument are given that text.
  }
  return { input };
}

/** The plan in what a node returned: its `todos` channel, also within commands. */
function todosIn(output: unknown, depth = 0): unknown[] | null {
  if (typeof output !== "object" || output === null || depth > 4) return null;
  if ("todos" in output && Array.isArray(output.todos)) return output.todos;
  const parts: unknown[] = Array.isArray(output)
    ? output
    : "update" in output
      ? [output.update]
      : "output" in output
        ? [output.output]
        : [];
  for (const part of parts) {
    const todos = todosIn(part, depth + 1);
    if (todos !== null) return todos;
  }
  return null;
}

function byteSize(value: unknown): number {
  if (typeof value === "string") return Buffer.byteLength(value);
  try {
    return Buffer.byteLength(JSON.stringify(value) ?? "");
  } catch {
    return 0;
  }
}

const textOr = (value: unknown, otherwise: string): string =>
  typeof value === "string" && value !== "" ? value : otherwise;

function modelNameOf(message: object | null): unknown {
  const metadata: unknown = message === null ? undefined : Reflect.get(message, "response_metadata");
  if (typeof metadata !== "object" || metadata === null) return undefined;
  return Reflect.get(metadata, "model_name") ?? Reflect.get(metadata, "model");
}
