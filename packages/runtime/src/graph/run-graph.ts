import type { RunFailure } from "@wheelhouse/domain";
import type { GraphOutput, GraphRunRequest } from "../graph-host.ts";
import { emptyBatch } from "../merge-batch.ts";
import type { RunnableGraph } from "./build-graph.ts";
import { classifyFailure, errorText, isStoreAway, type RunRefusal } from "./classify-failure.ts";
import { runFilesKey } from "./durable-files.ts";
import type { GraphConfigurable, GraphHostLimits, GraphHostOptions } from "./graph-host-options.ts";
import { type GraphInterruptValue, toNewInterrupts } from "./interrupts.ts";
import { readContent } from "./message-content.ts";
import { isMessageLike, recordable } from "./payload.ts";
import type { RedactText } from "./redact-text.ts";
import { RunCallbacks } from "./run-callbacks.ts";
import type { RunServers } from "./run-servers.ts";
import { serverCallsKey } from "./server-tools.ts";
import { type ToolCalls, toolCallsKey } from "./tool-calls.ts";
import { argsSchemaOf, toolsIn } from "./tool-schemas.ts";
import { finishTranslation, takeBatch, translateChunk } from "./translate-chunk.ts";
import type { TranslationState } from "./translation-state.ts";

export interface GraphExecution {
  graph: RunnableGraph;
  /** A graph's input, a command, or null to go on from the last checkpoint. */
  input: unknown;
  store: unknown;
  toolCalls: ToolCalls;
  /** The MCP servers that its agents use. */
  servers: RunServers | null;
  request: GraphRunRequest;
  /** Names this execution to the checkpointer. */
  executionId: string;
  /** Set when the graph has to be told which checkpoint to branch off from, as the thread has newer ones. */
  branchFrom: string | null;
  state: TranslationState;
  redact: RedactText;
  limits: GraphHostLimits;
  deps: Pick<GraphHostOptions, "clock" | "newId" | "log">;
}

type Stop =
  | { kind: "done" }
  | { kind: "failed"; error: unknown }
  | { kind: "aborted" }
  | { kind: "timeout" }
  | { kind: "refused"; error: RunRefusal };

/**
 * Runs a graph and yields what it does as it does it. Whatever is there when the reader asks comes as one batch.
 * Ends soon after an abort, a timeout or a refusal, also when the graph goes on regardless.
 */
export async function* runGraph(execution: GraphExecution): AsyncGenerator<GraphOutput, void, undefined> {
  const { request, state, limits } = execution;
  const controller = new AbortController();
  const news = new Signal();
  const found: { interrupts: GraphInterruptValue[]; stopped: boolean } = { interrupts: [], stopped: false };
  const callbacks = new RunCallbacks((chunk) => {
    translateChunk(state, chunk);
    news.raise();
  });
  let stop: Stop | null = null;
  const halt = (reason: Stop): void => {
    if (stop === null) stop = reason;
    news.raise();
  };
  const onAbort = () => halt({ kind: "aborted" });
  const timer = setTimeout(() => halt({ kind: "timeout" }), request.manifest.limits.timeoutSeconds * 1000);
  if (request.signal.aborted) onAbort();
  else request.signal.addEventListener("abort", onAbort, { once: true });
  const reading = stop === null ? readStream(execution, controller.signal, callbacks, found) : Promise.resolve();
  const ended = reading.then(
    () => halt({ kind: "done" }),
    (error: unknown) => halt({ kind: "failed", error }),
  );
  try {
    for (;;) {
      if (state.refusal !== null) halt({ kind: "refused", error: state.refusal });
      const reason = currentStop(stop);
      if (reason !== null) {
        if (reason.kind !== "done" && reason.kind !== "failed") await letStop(controller, ended, limits.abortGraceMs);
        yield conclude(execution, reason, found);
        return;
      }
      const batch = takeBatch(state);
      if (batch === null) await news.wait();
      else yield { kind: "record", batch };
    }
  } finally {
    clearTimeout(timer);
    request.signal.removeEventListener("abort", onAbort);
    state.closed = true;
    controller.abort();
  }
}

/** Widens a variable that closures assign, which the compiler cannot follow. */
const currentStop = (stop: Stop | null): Stop | null => stop;

async function readStream(
  { graph, input, store, toolCalls, servers, request, executionId, branchFrom }: GraphExecution,
  signal: AbortSignal,
  callbacks: RunCallbacks,
  found: { interrupts: GraphInterruptValue[]; stopped: boolean },
): Promise<void> {
  const configurable: GraphConfigurable = {
    thread_id: request.threadId,
    wheelhouse_run: request.runId,
    wheelhouse_generation: request.generation,
    wheelhouse_execution: executionId,
    wheelhouse_session: request.sessionId,
    wheelhouse_task: request.taskId,
    wheelhouse_attempt: request.attempt,
    wheelhouse_scope: request.scope,
  };
  const stream = await graph.stream(input, {
    configurable: {
      ...configurable,
      [toolCallsKey]: toolCalls,
      [serverCallsKey]: servers,
      [runFilesKey]: request.files,
      ...(branchFrom !== null && { checkpoint_id: branchFrom }),
    },
    store,
    signal,
    callbacks: [callbacks],
    recursionLimit: request.manifest.limits.recursionLimit,
    // A step begins when the one before it is stored: a tool never runs on a decision that a crash could undo.
    durability: "sync",
    streamMode: ["updates", "custom"],
    subgraphs: true,
  });
  for await (const chunk of stream) {
    if (!Array.isArray(chunk)) continue;
    const [namespace, mode, payload]: unknown[] = chunk;
    const isRoot = Array.isArray(namespace) && namespace.length === 0;
    if (mode === "custom") callbacks.custom(payload, isRoot || !isBelowTool(namespace));
    else if (isRoot && typeof payload === "object" && payload !== null && "__interrupt__" in payload) {
      found.stopped = true;
      if (Array.isArray(payload.__interrupt__)) found.interrupts.push(...payload.__interrupt__);
    }
  }
}

/** Agents run their tools in a node of this name; a graph below it is a subagent. */
const isBelowTool = (namespace: unknown): boolean =>
  Array.isArray(namespace) && namespace.some((segment) => String(segment).startsWith("tools:"));

async function letStop(controller: AbortController, ended: Promise<void>, graceMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, graceMs);
  });
  controller.abort(new Error("The run was stopped."));
  await Promise.race([ended, patience]);
  clearTimeout(timer);
}

function conclude(
  execution: GraphExecution,
  stop: Stop,
  found: { interrupts: GraphInterruptValue[]; stopped: boolean },
): GraphOutput {
  const { state, request } = execution;
  switch (stop.kind) {
    case "done":
      return found.stopped ? interrupted(execution, found.interrupts) : succeeded(execution);
    case "aborted": {
      const batch = finishTranslation(state, "CANCELLED", "the run was cancelled");
      return { kind: "end", batch, end: { status: "CANCELLED" } };
    }
    case "timeout": {
      const { timeoutSeconds } = request.manifest.limits;
      const message = `The run took longer than the ${timeoutSeconds} seconds it may take.`;
      return failed(execution, { code: "EXECUTION_TIMEOUT", message }, new Error(message));
    }
    case "refused":
      return failed(execution, stop.error.failure, stop.error);
    case "failed":
      if (isStoreAway(stop.error, state.origins)) return lost(stop.error);
      return failed(execution, classifyFailure(stop.error, state.origins, execution.redact), stop.error);
  }
}

/** The end of an execution whose state could not be kept. Nothing more is told: the next owner closes what is open. */
export const lost = (cause: unknown): GraphOutput => ({
  kind: "end",
  batch: emptyBatch(),
  end: { status: "LOST", cause },
});

function failed({ state, redact }: GraphExecution, failure: RunFailure, cause: unknown): GraphOutput {
  const reason = failure.code === "EXECUTION_TIMEOUT" ? failure.message : redact(errorText(cause));
  const batch = finishTranslation(state, "FAILED", reason);
  return { kind: "end", batch, end: { status: "FAILED", failure, cause } };
}

function succeeded(execution: GraphExecution): GraphOutput {
  const { state } = execution;
  const batch = finishTranslation(state, "SUCCEEDED", "the run has ended");
  const output = runOutput(state.rootOutput, state.options.maxPayloadBytes);
  return { kind: "end", batch, end: { status: "SUCCEEDED", output, context: runContext(execution) } };
}

function interrupted(execution: GraphExecution, found: readonly GraphInterruptValue[]): GraphOutput {
  const { state, request, limits, deps } = execution;
  const batch = finishTranslation(state, "INTERRUPTED", "waiting for a human");
  const { interruptTtlSeconds, maxPayloadBytes } = request.manifest.limits;
  const ttlMs = interruptTtlSeconds === undefined ? limits.interruptTtlMs : interruptTtlSeconds * 1000;
  const tools = toolsIn(execution.graph);
  const interrupts = toNewInterrupts(found, {
    newId: deps.newId,
    expiresAt: new Date(deps.clock.now().getTime() + ttlMs),
    maxPayloadBytes,
    argsSchemaOf: (name) => argsSchemaOf(tools.get(name)),
  });
  return { kind: "end", batch, end: { status: "INTERRUPTED", interrupts, context: runContext(execution) } };
}

/** What a run gives back: a state's channels with the last assistant text in place of its messages, or the value itself. */
export function runOutput(value: unknown, maxBytes: number): unknown {
  if (isMessageLike(value)) return recordable({ content: readContent(value.content).text }, { maxBytes });
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return recordable(value ?? null, { maxBytes });
  const { messages, ...channels } = Object.fromEntries(Object.entries(value));
  if (!Array.isArray(messages)) return recordable(value, { maxBytes });
  const last = messages.findLast((message) => isMessageLike(message) && message.getType() === "ai");
  const content = isMessageLike(last) ? readContent(last.content).text : "";
  return recordable({ ...channels, content }, { maxBytes });
}

function runContext({ state, request }: GraphExecution): unknown {
  if (!request.manifest.recordPayloads || state.rootOutput === undefined) return null;
  return recordable(state.rootOutput, { maxBytes: state.options.maxPayloadBytes, shortenMessages: true });
}

/** A flag that one waiter can sleep on. */
class Signal {
  #raised = false;
  #wake: (() => void) | null = null;

  raise(): void {
    this.#raised = true;
    this.#wake?.();
    this.#wake = null;
  }

  async wait(): Promise<void> {
    if (!this.#raised)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    this.#raised = false;
  }
}
