import type { Manifest, RunFailure, Scope } from "@wheelhouse/domain";
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
  /** Messages that the thread's latest checkpoint holds, oldest first, for reconciliation and rebuild. */
  threadMessages(manifest: Manifest, threadId: string): Promise<RecordBatch["messages"]>;
}

export interface GraphRunRequest {
  runId: string;
  taskId: string;
  sessionId: string;
  threadId: string;
  scope: Scope;
  manifest: Manifest;
  attempt: number;
  start: /** A fresh input. `messageId` is the id of the user's message when the input is a conversation turn. */
    | { kind: "input"; input: unknown; messageId: string | null }
    /** Continue with the answers of a human. */
    | { kind: "resume"; answers: InterruptRecord[] }
    /** Continue from the last checkpoint after a worker was lost; `input` when there is no checkpoint of this run yet. */
    | { kind: "recover"; input: unknown; messageId: string | null; answers: InterruptRecord[] | null };
  /** Step counter to continue from: the first step gets `lastStepSeq + 1`. */
  lastStepSeq: number;
  signal: AbortSignal;
}

export type GraphOutput =
  | { kind: "record"; batch: RecordBatch }
  | {
      kind: "end";
      batch: RecordBatch;
      end:
        | { status: "SUCCEEDED"; output: unknown; context: unknown }
        | { status: "INTERRUPTED"; interrupts: NewInterrupt[]; context: unknown }
        | { status: "FAILED"; failure: RunFailure /** For the log, not for callers. */; cause: unknown }
        | { status: "CANCELLED" };
    };

export interface DrawnGraph {
  nodes: { id: string; label: string }[];
  edges: { source: string; target: string; conditional: boolean; label?: string }[];
}
