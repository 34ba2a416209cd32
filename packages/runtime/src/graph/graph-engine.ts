import { Command } from "@langchain/langgraph";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import type { Manifest } from "@wheelhouse/domain";
import { digestOf } from "@wheelhouse/domain/digest";
import type { RecordBatch } from "@wheelhouse/storage";
import type { DrawnGraph, GraphOutput, GraphRunRequest } from "../graph-host.ts";
import { buildGraph, type RunnableGraph } from "./build-graph.ts";
import { classifyFailure, newErrorOrigins, RunRefusal } from "./classify-failure.ts";
import { drawGraph } from "./draw-graph.ts";
import type { GraphHostLimits, GraphHostOptions } from "./graph-host-options.ts";
import { inputMessages, toGraphInput } from "./graph-input.ts";
import { toResume } from "./interrupts.ts";
import { isMessageLike, type MessageLike } from "./payload.ts";
import { openPersistence, type Persistence } from "./persistence.ts";
import { quietStoreQueue } from "./quiet-store-queue.ts";
import { createRedactText, type RedactText } from "./redact-text.ts";
import { RunCheckpointer, runOf } from "./run-checkpointer.ts";
import { runGraph } from "./run-graph.ts";
import { ScopedStore } from "./scoped-store.ts";
import { finishTranslation, newTranslation } from "./translate-chunk.ts";
import { roleOf, tellInputMessages, toMessageWrite } from "./translate-messages.ts";
import type { TranslationState } from "./translation-state.ts";

/** Everything that needs LangChain in memory. Loaded by the host with the first run. */
export class GraphEngine implements AsyncDisposable {
  readonly #options: GraphHostOptions;
  readonly #limits: GraphHostLimits;
  readonly #persistence: Persistence;
  readonly #checkpointer: BaseCheckpointSaver;
  readonly #redact: RedactText;
  /** Runs that may write, with where their errors are noted. */
  readonly #open = new Map<string, TranslationState>();
  readonly #graphs = new Map<string, Promise<RunnableGraph>>();

  private constructor(options: GraphHostOptions, limits: GraphHostLimits, persistence: Persistence) {
    this.#options = options;
    this.#limits = limits;
    this.#persistence = persistence;
    this.#redact = createRedactText(options.env);
    this.#checkpointer = new RunCheckpointer(
      persistence.checkpointer,
      (executionId) => this.#open.has(executionId),
      (error) => {
        for (const state of this.#open.values()) state.origins.persistence.add(error);
      },
    );
  }

  static async open(options: GraphHostOptions, limits: GraphHostLimits): Promise<GraphEngine> {
    quietStoreQueue();
    return new GraphEngine(options, limits, await openPersistence(options.persistence, options.clock));
  }

  async draw(manifest: Manifest): Promise<DrawnGraph> {
    return drawGraph(await this.#graphOf(manifest));
  }

  async threadMessages(threadId: string, maxPayloadBytes: number): Promise<RecordBatch["messages"]> {
    const tuple = await this.#persistence.checkpointer.getTuple({ configurable: { thread_id: threadId } });
    if (tuple === undefined) return [];
    const { newId } = this.#options;
    const at = new Date(tuple.checkpoint.ts);
    return storedMessages(tuple.checkpoint.channel_values).flatMap((message) => {
      if (message.id === undefined || roleOf(message) === null) return [];
      return [toMessageWrite(message, { id: newId(), langgraphMessageId: message.id, maxPayloadBytes, at })];
    });
  }

  async *run(request: GraphRunRequest): AsyncGenerator<GraphOutput, void, undefined> {
    const state = this.#translation(request);
    // Not the run's id: a run that was lost may be back in this process while its first execution still ends.
    const executionId = this.#options.newId();
    this.#open.set(executionId, state);
    try {
      const prepared = await this.#prepare(request, state);
      if ("failure" in prepared) yield prepared.failure;
      else
        yield* runGraph({
          ...prepared,
          store: new ScopedStore(this.#persistence.store, request.scope),
          request,
          executionId,
          state,
          redact: this.#redact,
          limits: this.#limits,
          deps: this.#options,
        });
    } finally {
      this.#open.delete(executionId);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#open.clear();
    await this.#persistence[Symbol.asyncDispose]();
  }

  #translation(request: GraphRunRequest): TranslationState {
    const { clock, newId } = this.#options;
    const { limits, recordPayloads } = request.manifest;
    const { start } = request;
    return newTranslation({
      runId: request.runId,
      taskId: request.taskId,
      lastStepSeq: request.lastStepSeq,
      maxPayloadBytes: limits.maxPayloadBytes,
      maxToolOutputBytes: this.#limits.maxToolOutputBytes,
      recordPayloads,
      knownMessageIds: start.kind === "resume" || start.messageId === null ? [] : [start.messageId],
      clock,
      newId,
      redact: this.#redact,
    });
  }

  /** The graph and what to start it with; or the end, when there is nothing to start. */
  async #prepare(
    request: GraphRunRequest,
    state: TranslationState,
  ): Promise<{ graph: RunnableGraph; input: unknown } | { failure: GraphOutput }> {
    try {
      const graph = await this.#graphOf(request.manifest);
      return { graph, input: await this.#inputOf(request, state) };
    } catch (error) {
      const failure =
        error instanceof RunRefusal
          ? error.failure
          : classifyFailure(error, { ...newErrorOrigins(), persistence: state.origins.persistence }, this.#redact);
      const batch = finishTranslation(state, "FAILED", failure.message);
      return { failure: { kind: "end", batch, end: { status: "FAILED", failure, cause: error } } };
    }
  }

  async #inputOf({ start, threadId, runId, taskId }: GraphRunRequest, state: TranslationState): Promise<unknown> {
    if (start.kind === "recover" && (await this.#hasCheckpoint(threadId, runId))) return null;
    const answers = start.kind === "input" ? null : start.answers;
    if (answers !== null) {
      const resume = toResume(answers);
      return resume === null ? null : new Command({ resume });
    }
    if (start.kind === "resume") return null;
    const input = toGraphInput(start.input, start.messageId, taskId);
    tellInputMessages(state, inputMessages(input));
    return input;
  }

  async #hasCheckpoint(threadId: string, runId: string): Promise<boolean> {
    const tuple = await this.#checkpointer.getTuple({ configurable: { thread_id: threadId } });
    return runOf(tuple?.metadata) === runId;
  }

  /** Built once per manifest; the one used longest ago goes when there are too many. */
  #graphOf(manifest: Manifest): Promise<RunnableGraph> {
    const { agent, digest, definition, subagents } = manifest;
    const key = definition === null ? `${agent} ${digest}` : digestOf({ agent, definition, subagents });
    const known = this.#graphs.get(key);
    const graph = known ?? buildGraph(manifest, this.#buildOptions());
    this.#graphs.delete(key);
    this.#graphs.set(key, graph);
    // A key or a tool may be there at the next try.
    if (known === undefined) graph.catch(() => this.#graphs.delete(key));
    const oldest = this.#graphs.keys().next();
    if (this.#graphs.size > this.#limits.maxCompiledGraphs && oldest.done !== true) this.#graphs.delete(oldest.value);
    return graph;
  }

  #buildOptions() {
    return { ...this.#options, checkpointer: this.#checkpointer, scriptedDelayMs: this.#limits.scriptedDelayMs };
  }
}

/** The messages of a thread's state: its `messages` channel, or what a functional workflow returned last. */
function storedMessages(channels: Record<string, unknown>): MessageLike[] {
  for (const value of [channels.messages, channels.__previous__, channels.__end__]) {
    const inner: unknown = typeof value === "object" && value !== null && "messages" in value ? value.messages : value;
    if (isMessageLike(inner)) return [inner];
    if (Array.isArray(inner) && inner.some(isMessageLike)) return inner.filter(isMessageLike);
  }
  return [];
}
