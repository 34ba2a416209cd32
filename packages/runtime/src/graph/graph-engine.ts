import { Command } from "@langchain/langgraph";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import type { Manifest } from "@wheelhouse/domain";
import { digestOf } from "@wheelhouse/domain/digest";
import type { RecordBatch } from "@wheelhouse/storage";
import type { BuildProblem, DrawnGraph, GraphOutput, GraphRunRequest, McpReadiness, McpServer } from "../graph-host.ts";
import { buildGraph, type RunnableGraph, triggersOf } from "./build-graph.ts";
import { CallJournal } from "./call-journal.ts";
import { CheckpointHistory } from "./checkpoint-history.ts";
import { classifyFailure, isStoreAway, newErrorOrigins, RunRefusal } from "./classify-failure.ts";
import { drawGraph } from "./draw-graph.ts";
import type { GraphHostLimits, GraphHostOptions } from "./graph-host-options.ts";
import { inputMessages, toGraphInput } from "./graph-input.ts";
import { toResume } from "./interrupts.ts";
import { McpServers } from "./mcp-servers.ts";
import { isMessageLike, type MessageLike } from "./payload.ts";
import { openPersistence, type Persistence } from "./persistence.ts";
import { quietStoreQueue } from "./quiet-store-queue.ts";
import { createRedactText, type RedactText } from "./redact-text.ts";
import { type CheckpointedExecution, executionKey, RunCheckpointer, runOf } from "./run-checkpointer.ts";
import { lost, runGraph } from "./run-graph.ts";
import type { RunServers } from "./run-servers.ts";
import { ScopedStore } from "./scoped-store.ts";
import { standInTools } from "./server-tools.ts";
import { installToolCalls, ToolCalls } from "./tool-calls.ts";
import { finishTranslation, newTranslation } from "./translate-chunk.ts";
import { roleOf, spokenBy, tellInputMessages, toMessageWrite } from "./translate-messages.ts";
import { type TranslationState, tell } from "./translation-state.ts";

/** Everything that needs LangChain in memory. Loaded by the host with the first run. */
export class GraphEngine implements AsyncDisposable {
  readonly #options: GraphHostOptions;
  readonly #limits: GraphHostLimits;
  readonly #persistence: Persistence;
  readonly #checkpointer: BaseCheckpointSaver;
  readonly #redact: RedactText;
  readonly #mcp: McpServers;
  /** What is stored of conversations. */
  readonly history: CheckpointHistory;
  /** Executions that may write checkpoints. */
  readonly #executions = new Map<string, CheckpointedExecution>();
  /** Where errors of the checkpoint store are noted. */
  readonly #states = new Set<TranslationState>();
  readonly #graphs = new Map<string, Promise<RunnableGraph>>();

  private constructor(options: GraphHostOptions, limits: GraphHostLimits, persistence: Persistence) {
    this.#options = options;
    this.#limits = limits;
    this.#persistence = persistence;
    this.#redact = createRedactText(options.env);
    const { maxMcpTools: maxTools, maxMcpConnections: maxConnections, mcpIdleMs: idleMs, mcpFreshMs: freshMs } = limits;
    this.#mcp = new McpServers({ ...options, maxTools, maxConnections, idleMs, freshMs });
    this.history = new CheckpointHistory(persistence.tables, persistence.checkpointer);
    this.#checkpointer = new RunCheckpointer(persistence.checkpointer, this.#executions, (error) => {
      for (const state of this.#states) state.origins.persistence.add(error);
    });
  }

  static async open(options: GraphHostOptions, limits: GraphHostLimits): Promise<GraphEngine> {
    quietStoreQueue();
    installToolCalls();
    return new GraphEngine(options, limits, await openPersistence(options.persistence, options.clock));
  }

  async draw(manifest: Manifest): Promise<DrawnGraph> {
    return drawGraph(await this.#graphOf(manifest, null));
  }

  async threadMessages(
    { threadId, checkpointId }: { threadId: string; checkpointId: string },
    maxPayloadBytes: number,
    { pending }: { pending: boolean } = { pending: false },
  ): Promise<RecordBatch["messages"]> {
    const tuple = await this.#readCheckpoint(threadId, checkpointId);
    if (tuple === undefined) return [];
    const { newId } = this.#options;
    const at = new Date(tuple.checkpoint.ts);
    const writes = pending ? (tuple.pendingWrites ?? []) : [];
    const waiting = writes.flatMap(([, channel, value]) => storedMessages({ [channel]: value }));
    const known = new Set<string>();
    return [...storedMessages(tuple.checkpoint.channel_values), ...waiting].flatMap((message) => {
      if (message.id === undefined || roleOf(message) === null || known.has(message.id)) return [];
      known.add(message.id);
      const write = toMessageWrite(message, { id: newId(), langgraphMessageId: message.id, maxPayloadBytes, at });
      return [{ ...write, ...spokenBy(message) }];
    });
  }

  lastCheckpoint(threadId: string, runId: string): Promise<string | null> {
    return this.#persistence.tables.lastOfRun(threadId, runId);
  }

  deleteThread(threadId: string): Promise<void> {
    return this.#persistence.checkpointer.deleteThread(threadId);
  }

  async patchState(
    manifest: Manifest,
    { threadId, checkpointId, patch }: { threadId: string; checkpointId: string; patch: Record<string, unknown> },
  ): Promise<string> {
    const graph = await this.#graphOf(manifest, null);
    const executionId = this.#options.newId();
    const execution = { threadId, runId: null, generation: 0, checkpointId, triggers: triggersOf(graph) };
    this.#executions.set(executionId, execution);
    try {
      const configurable = { thread_id: threadId, checkpoint_ns: "", [executionKey]: executionId };
      // Messages become LangChain's, as in any input.
      await graph.updateState({ configurable }, toGraphInput(patch, null, executionId));
      return execution.checkpointId;
    } finally {
      this.#executions.delete(executionId);
    }
  }

  async pendingMessageIds(threadId: string, runId: string, checkpointId: string | null): Promise<ReadonlySet<string>> {
    const ids = new Set<string>();
    const reached = checkpointId === null ? undefined : await this.#readCheckpoint(threadId, checkpointId);
    for (const [, , value] of reached?.pendingWrites ?? []) collectMessageIds(value, ids);
    for await (const tuple of this.#persistence.checkpointer.list({ configurable: { thread_id: threadId } })) {
      const isSubgraphs = (tuple.config.configurable?.checkpoint_ns ?? "") !== "";
      if (!isSubgraphs || runOf(tuple.metadata) !== runId) continue;
      collectMessageIds(tuple.checkpoint.channel_values, ids);
      for (const [, , value] of tuple.pendingWrites ?? []) collectMessageIds(value, ids);
    }
    return ids;
  }

  async *run(request: GraphRunRequest): AsyncGenerator<GraphOutput, void, undefined> {
    const state = this.#translation(request);
    // Not the run's id: a run that was lost may be back in this process while its first execution still ends.
    const executionId = this.#options.newId();
    this.#states.add(state);
    let servers: RunServers | null = null;
    try {
      const prepared = await this.#prepare(request, state);
      if ("failure" in prepared) yield prepared.failure;
      else {
        servers = prepared.servers;
        yield* this.#execute(prepared, { request, executionId, state });
      }
    } finally {
      servers?.[Symbol.dispose]();
      this.#executions.delete(executionId);
      this.#states.delete(state);
    }
  }

  async *#execute(
    { execution: checkpointed, ...prepared }: Prepared,
    run: { request: GraphRunRequest; executionId: string; state: TranslationState },
  ): AsyncGenerator<GraphOutput, void, undefined> {
    const { store, checkpointer } = this.#persistence;
    const { request } = run;
    const { threadId, taskId } = request;
    const journal = new CallJournal({ store, serde: checkpointer.serde, threadId, taskId });
    const toolCalls = new ToolCalls({ threadId, journal, once: toolsCalledOnce(request.manifest) });
    const execution = { ...prepared, ...run, toolCalls, store: new ScopedStore(store, request.scope) };
    this.#executions.set(run.executionId, checkpointed);
    for await (const output of runGraph({
      ...execution,
      redact: this.#redact,
      limits: this.#limits,
      deps: this.#options,
    })) {
      // Only then: until its end is recorded, a run that failed may be taken up again and repeat its last step.
      if (output.kind === "end" && output.end.status === "SUCCEEDED")
        await toolCalls.end().catch((err: unknown) => {
          this.#options.log.warn({ runId: request.runId, err }, "could not clear what is known of a run's tool calls");
        });
      yield output.kind === "end" ? { ...output, checkpointId: checkpointed.checkpointId } : output;
    }
  }

  async problems(manifest: Manifest): Promise<BuildProblem[]> {
    // It loads what all kinds of agents need.
    const { buildProblems } = await import("./build-problems.ts");
    const { scriptedDelayMs } = this.#limits;
    return buildProblems(manifest, { ...this.#options, scriptedDelayMs, mcpTools: new Map() });
  }

  async mcpReadiness(server: McpServer, { observe }: { observe: boolean } = { observe: false }): Promise<McpReadiness> {
    return this.#mcp.readiness(server, { observe });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#executions.clear();
    await this.#mcp[Symbol.asyncDispose]();
    await this.#persistence[Symbol.asyncDispose]();
  }

  #translation(request: GraphRunRequest): TranslationState {
    const { clock, newId } = this.#options;
    const { limits, recordPayloads, definition } = request.manifest;
    const { start } = request;
    return newTranslation({
      runId: request.runId,
      taskId: request.taskId,
      lastStepSeq: request.lastStepSeq,
      tokensUsed: request.tokensUsed,
      maxPayloadBytes: limits.maxPayloadBytes,
      maxToolOutputBytes: this.#limits.maxToolOutputBytes,
      recordPayloads,
      tokenBudget: definition?.budget?.tokensPerRun ?? null,
      knownMessageIds: start.kind === "resume" || start.messageId === null ? [] : [start.messageId],
      clock,
      newId,
      redact: this.#redact,
    });
  }

  /** The graph, what to start it with and from where; or the end, when there is nothing to start. */
  async #prepare(request: GraphRunRequest, state: TranslationState): Promise<Prepared | { failure: GraphOutput }> {
    let servers: RunServers | null = null;
    try {
      servers = await this.#mcp.hold(request.manifest, request.scope);
      tellAbsent(state, servers);
      const graph = await this.#graphOf(request.manifest, servers);
      return { graph, servers, ...(await this.#startOf(request, graph, state)) };
    } catch (error) {
      servers?.[Symbol.dispose]();
      if (isStoreAway(error, state.origins)) return { failure: lost(error) };
      const failure =
        error instanceof RunRefusal
          ? error.failure
          : classifyFailure(error, { ...newErrorOrigins(), persistence: state.origins.persistence }, this.#redact);
      const batch = finishTranslation(state, "FAILED", failure.message);
      return { failure: { kind: "end", batch, end: { status: "FAILED", failure, cause: error } } };
    }
  }

  async #startOf(
    { start, threadId, runId, taskId, generation, checkpointId }: GraphRunRequest,
    graph: RunnableGraph,
    state: TranslationState,
  ): Promise<Omit<Prepared, "graph" | "servers">> {
    const { tables } = this.#persistence;
    const at = (id: string | null): CheckpointedExecution => ({
      threadId,
      runId,
      generation,
      checkpointId: id,
      triggers: triggersOf(graph),
    });
    const own = start.kind === "recover" ? await tables.lastOfRun(threadId, runId) : null;
    if (own !== null) return { input: null, execution: at(own), branchFrom: null };
    const answers = start.kind === "input" ? null : start.answers;
    if (answers !== null || start.kind === "resume") {
      const resume = toResume(answers ?? []);
      return {
        input: resume === null ? null : new Command({ resume }),
        execution: at(checkpointId),
        branchFrom: null,
      };
    }
    const [loaded, newest] =
      checkpointId === null
        ? []
        : await Promise.all([this.#readCheckpoint(threadId, checkpointId), tables.newest(threadId)]);
    const input = toGraphInput(start.input, start.messageId, taskId, storedMessages(loaded?.checkpoint.channel_values));
    tellInputMessages(state, inputMessages(input));
    return {
      input,
      execution: { ...at(checkpointId), loaded },
      branchFrom: newest === checkpointId || newest === undefined ? null : checkpointId,
    };
  }

  #readCheckpoint(threadId: string, checkpointId: string) {
    const configurable = { thread_id: threadId, checkpoint_ns: "", checkpoint_id: checkpointId };
    return this.#persistence.checkpointer.getTuple({ configurable });
  }

  /**
   * Built once per manifest and what its servers list; the one used longest ago goes when there are too many. Without
   * servers, it is for looking at and not for running.
   */
  #graphOf(manifest: Manifest, servers: RunServers | null): Promise<RunnableGraph> {
    const key = graphKey(manifest, servers);
    const known = this.#graphs.get(key);
    const graph = known ?? this.#build(manifest, servers);
    this.#graphs.delete(key);
    this.#graphs.set(key, graph);
    // A key or a tool may be there at the next try.
    if (known === undefined) graph.catch(() => this.#graphs.delete(key));
    const oldest = this.#graphs.keys().next();
    if (this.#graphs.size > this.#limits.maxCompiledGraphs && oldest.done !== true) this.#graphs.delete(oldest.value);
    return graph;
  }

  async #build(manifest: Manifest, servers: RunServers | null): Promise<RunnableGraph> {
    return buildGraph(manifest, {
      ...this.#options,
      checkpointer: this.#checkpointer,
      scriptedDelayMs: this.#limits.scriptedDelayMs,
      mcpTools: servers?.tools(manifest.mcpServers ?? {}) ?? standInTools(manifest),
    });
  }
}

/** What makes a graph another one. */
function graphKey(manifest: Manifest, servers: RunServers | null): string {
  const { agent, digest, definition, subagents, tools, skills, mcpServers } = manifest;
  if (definition === null) return `${agent} ${digest}`;
  return digestOf({ agent, definition, subagents, tools, skills, mcpServers, listings: servers?.listings ?? null });
}

/** The tools that the run's definitions say must not be called again on the chance. */
const toolsCalledOnce = ({ definition, subagents = {} }: Manifest): ReadonlySet<string> =>
  new Set(
    [definition, ...Object.values(subagents)].flatMap((each) =>
      Object.entries(each?.repeatable ?? {}).flatMap(([tool, repeatable]) => (repeatable ? [] : [tool])),
    ),
  );

/** An optional server that cannot be used takes nothing but its own tools away; readers hear why. */
function tellAbsent(state: TranslationState, servers: RunServers | null): void {
  for (const [server, { category, message }] of servers?.absent ?? [])
    tell(state, "mcp.unavailable", { server, category, message }, { visibility: "OPERATOR" });
}

interface Prepared {
  graph: RunnableGraph;
  servers: RunServers | null;
  input: unknown;
  execution: CheckpointedExecution;
  branchFrom: string | null;
}

/** The messages of a thread's state: its `messages` channel, or what a functional workflow returned last. */
function storedMessages(channels: Record<string, unknown> = {}): MessageLike[] {
  for (const value of [channels.messages, channels.__previous__, channels.__end__]) {
    const inner: unknown = typeof value === "object" && value !== null && "messages" in value ? value.messages : value;
    if (isMessageLike(inner)) return [inner];
    if (Array.isArray(inner) && inner.some(isMessageLike)) return inner.filter(isMessageLike);
  }
  return [];
}

/** How deep a node's output may hold messages: a command, its update, a channel, a list. */
const maxNesting = 6;

function collectMessageIds(value: unknown, ids: Set<string>, depth = 0): void {
  if (typeof value !== "object" || value === null || depth > maxNesting) return;
  if (isMessageLike(value)) {
    if (value.id !== undefined) ids.add(value.id);
  } else for (const inner of Object.values(value)) collectMessageIds(inner, ids, depth + 1);
}
