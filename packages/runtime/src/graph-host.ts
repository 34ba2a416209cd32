import type { Manifest, McpServerDefinition, RunFailure, Scope } from "@wheelhouse/domain";
import type { InterruptRecord, NewInterrupt, RecordBatch } from "@wheelhouse/storage";

/** What the runtime asks of whatever executes graphs. `src/graph` implements it with LangGraph; it knows no storage. */
export interface GraphHost extends AsyncDisposable {
  /** The graph of an agent as nodes and edges, for drawing. */
  draw(manifest: Manifest): Promise<DrawnGraph>;
  /**
   * Executes one attempt. Yields what is to be recorded, in order, and as its last output the end.
   * Messages are named by their LangGraph ids, in rows and in events; the runtime gives them row ids. Pieces of text never
   * split a surrogate pair. Never throws for what a graph, model or tool did: that is an end with a failure. Aborting the signal ends it soon.
   */
  run(request: GraphRunRequest): AsyncIterable<GraphOutput>;
  /** Messages that a checkpoint of the thread holds, oldest first, for reconciliation and rebuild. */
  threadMessages(
    manifest: Manifest,
    threadId: string,
    checkpointId: string,
    more?: {
      /** Also those that wait beside the checkpoint for the rest of their step, and come into the state with it. */
      pending: boolean;
    },
  ): Promise<RecordBatch["messages"]>;
  /**
   * LangGraph ids of the messages that a run has stored beside the thread's state at a checkpoint: of branches whose step is
   * not complete yet, and of subgraphs that are under way. When the run is continued, they come into the state without
   * being said again.
   */
  pendingMessageIds(threadId: string, runId: string, checkpointId: string | null): Promise<ReadonlySet<string>>;
  /** The last checkpoint that a run wrote; null when it wrote none. */
  lastCheckpoint(threadId: string, runId: string): Promise<string | null>;
  /** A page of a thread's checkpoints, newest first, without their values. */
  checkpoints(threadId: string, page: { before: string | null; limit: number }): Promise<CheckpointSummary[]>;
  /** The checkpoints that lead to this one, itself included; empty when there is no such checkpoint. */
  lineage(threadId: string, checkpointId: string): Promise<ReadonlySet<string>>;
  /** The values at a checkpoint; null when there is no such checkpoint. */
  state(threadId: string, checkpointId: string): Promise<GraphState | null>;
  /** Copies a conversation up to a checkpoint into a new thread; false when there is no such checkpoint. */
  copyThread(from: string, to: string, checkpointId: string): Promise<boolean>;
  /** Changes the values of a thread at its checkpoint as if a node had returned `patch`. Answers the new checkpoint. */
  patchState(
    manifest: Manifest,
    change: { threadId: string; checkpointId: string; patch: Record<string, unknown> },
  ): Promise<string>;
  /**
   * Removes the checkpoints of a thread that nothing needs any more; answers how many. `needed` is asked after the
   * checkpoints were listed, so that what comes meanwhile is not touched.
   */
  prune(threadId: string, needed: () => Promise<NeededCheckpoints | null>): Promise<number>;
  deleteThread(threadId: string): Promise<void>;
  /**
   * Everything that keeps the agent of a manifest from running here, as far as it is known without calling anybody; empty
   * for agents in code.
   */
  problems(manifest: Manifest): Promise<BuildProblem[]>;
  /** What this process has seen of an MCP server, without calling it; `observe` calls it first. */
  mcpReadiness(server: McpServer, how?: { observe: boolean }): Promise<McpReadiness>;
}

/** Something that keeps an agent from running. */
export interface BuildProblem {
  /** In the agent's definition: `tools[2]`, `subagents.researcher.model`. */
  path: string;
  message: string;
  /** ENVIRONMENT: a variable that this process does not have, and another may. */
  kind: "DEFINITION" | "ENVIRONMENT";
}

/** An MCP server by its definition, and on whose behalf it is called. */
export interface McpServer {
  name: string;
  definition: McpServerDefinition;
  scope: Scope;
}

/** Why an MCP server cannot be used. */
export type McpFailureCategory =
  /** A variable that it needs is not set. */
  | "CONFIGURATION"
  /** Its address may not be called. */
  | "REFUSED"
  | "UNREACHABLE"
  | "TIMEOUT"
  | "AUTHENTICATION"
  | "PROTOCOL"
  | "TOO_MANY_TOOLS";

/** An observation counts for a while; what is older is not known. Never a reason to let a call pass or not. */
export type McpReadiness =
  | {
      status: "READY";
      observedAt: Date;
      freshUntil: Date;
      /** The server's own names of the tools that the definition allows. */
      toolNames: readonly string[];
      schemaDigest: string;
    }
  | { status: "UNAVAILABLE"; observedAt: Date; freshUntil: Date; category: McpFailureCategory; message: string }
  | { status: "UNKNOWN"; reason: "NOT_OBSERVED" }
  | {
      status: "UNKNOWN";
      reason: "STALE";
      /** The last that was seen. */
      last: Extract<McpReadiness, { status: "READY" | "UNAVAILABLE" }>;
    };

/** A durable file as agents see it, without its bytes. */
export interface RunFile {
  /** With its route: `/artifacts/report.md`. */
  path: string;
  version: number;
  bytes: number;
  contentType: string;
  createdAt: Date;
  modifiedAt: Date;
}

/**
 * The durable files of a run: artifacts at exactly its scope. What cannot be done is a Refusal; a run that is not its
 * worker's any more changes nothing.
 */
export interface RunFiles {
  /** Files whose paths begin with `prefix`, in the order of their paths. */
  list(prefix: string): AsyncIterable<RunFile>;
  find(path: string): Promise<RunFile | null>;
  /** Refuses a file of more than `maxBytes`. */
  read(path: string, maxBytes: number): Promise<{ file: RunFile; body: Uint8Array } | null>;
  /**
   * Makes the next version, when `expectedVersion` (0 for none) is still the latest one; none when these are its bytes,
   * as when a step is repeated after a crash.
   */
  write(path: string, body: Uint8Array, expectedVersion: number): Promise<void>;
  /** Deletes a file with all its versions, when `expectedVersion` is still the latest one. */
  delete(path: string, expectedVersion: number): Promise<void>;
}

export interface GraphRunRequest {
  runId: string;
  taskId: string;
  sessionId: string;
  threadId: string;
  scope: Scope;
  manifest: Manifest;
  attempt: number;
  /** Which owner of the run this is; see `Fence`. */
  generation: number;
  /** Where the conversation stands before the run: id of a checkpoint; null before the first one. */
  checkpointId: string | null;
  start: /** A fresh input. `messageId` is the id of the user's message when the input is a conversation turn. */
    | { kind: "input"; input: unknown; messageId: string | null }
    /** Continue with the answers of a human. */
    | { kind: "resume"; answers: InterruptRecord[] }
    /** Continue from the last checkpoint after a worker was lost; `input` when there is no checkpoint of this run yet. */
    | { kind: "recover"; input: unknown; messageId: string | null; answers: InterruptRecord[] | null };
  /** Step counter to continue from: the first step gets `lastStepSeq + 1`. */
  lastStepSeq: number;
  /** Tokens that earlier owners of the run have used: they count for its budget. */
  tokensUsed: number;
  files: RunFiles;
  signal: AbortSignal;
}

export type GraphOutput =
  | { kind: "record"; batch: RecordBatch }
  | {
      kind: "end";
      batch: RecordBatch;
      /** Where the conversation stands now; absent when the graph was not begun. */
      checkpointId?: string | null;
      end:
        | { status: "SUCCEEDED"; output: unknown; context: unknown }
        | { status: "INTERRUPTED"; interrupts: NewInterrupt[]; context: unknown }
        | { status: "FAILED"; failure: RunFailure /** For the log, not for callers. */; cause: unknown }
        | { status: "CANCELLED" }
        /** The store of the graph's state could not be reached: the run can go on from its last checkpoint later. */
        | { status: "LOST"; cause: unknown };
    };

export interface DrawnGraph {
  nodes: { id: string; label: string }[];
  edges: { source: string; target: string; conditional: boolean; label?: string }[];
}

/** A checkpoint of a conversation. */
export interface CheckpointSummary {
  id: string;
  parentId: string | null;
  /** Of the graph, from -1 for the input; null when it does not say. */
  step: number | null;
  /** What made it: input, loop, update or fork. */
  source: string;
  /** The nodes that come next; null when that was not recorded. */
  next: string[] | null;
  runId: string | null;
  createdAt: Date;
}

/** The values of a graph's channels at a checkpoint. */
export interface GraphState {
  checkpoint: CheckpointSummary;
  /** Sorted by name; LangGraph's own bookkeeping is left out. */
  channels: StateChannel[];
}

export interface StateChannel {
  name: string;
  /** UTF-8 bytes of the whole text. */
  bytes: number;
  /** The value's JSON; secrets are redacted. */
  text: string;
}

/** What pruning has to leave: single checkpoints, everything that a run wrote, the last one that a run wrote. */
export interface NeededCheckpoints {
  checkpointIds: ReadonlySet<string>;
  runIds: ReadonlySet<string>;
  endsOfRunIds: ReadonlySet<string>;
}
