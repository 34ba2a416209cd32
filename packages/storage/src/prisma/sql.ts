import type { WriteOp } from "./write-set.ts";

// The words between the stores and a database: one SQL text with `$1` placeholders for both databases, rows as text
// and numbers (JSON and timestamps are parsed by rows.ts), writes as data that each database compiles its own way.

export type Param = string | number | null | readonly string[] | Uint8Array;
export type Row = Readonly<Record<string, unknown>>;

export interface Tx {
  query(sql: string, params?: readonly Param[]): Promise<Row[]>;
  /**
   * Stages writes. They are sent in order before the next query or with the commit, one statement per call, so that
   * the last write and the commit share a round trip. An error surfaces there.
   */
  write(ops: readonly WriteOp[]): void;
  /** Appends to the logs of running sessions; see append-group.ts. */
  append(groups: readonly AppendGroup[]): Promise<(Appended | null)[]>;
}

export interface Database extends AsyncDisposable {
  readonly dialect: Dialect;
  /** One statement in a transaction of its own. */
  query(sql: string, params?: readonly Param[]): Promise<Row[]>;
  /** Commits what `work` did, or nothing. Deadlocks and serialization failures are retried, so `work` may run again. */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** A transaction of one append, on the connections that serve only appends. Groups of one session share a shard. */
  appendAlone(shard: number, groups: readonly AppendGroup[]): Promise<(Appended | null)[]>;
  readonly appendShards: number;
}

/** What differs between the databases, as data. */
export interface Dialect {
  readonly name: "postgresql" | "sqlite";
  /** Locks the rows of these aliases until the end of the transaction. SQLite has one writer: nothing to lock. */
  lock(...aliases: string[]): string;
  /** The same, passing over rows that another transaction holds. */
  lockFree(...aliases: string[]): string;
  /** `expression` is one of the texts of list parameter `$n`. */
  inList(expression: string, n: number): string;
  /** The ids of list parameter `$n` as rows `parent(id, place)`. */
  list(n: number): string;
  /** The rows of `table`, as `row`, that `found` (`FROM table inner … LIMIT n`) finds for each `parent.id` of list `$n`. */
  eachOf(n: number, table: string, row: string, inner: string, found: string): string;
  /** JSON column `expression` equals the canonical JSON text of parameter `$n`. */
  jsonEquals(expression: string, n: number): string;
  /** The place that no commit will ever put an event before; see feed.ts. */
  readonly feedHorizon: string;
  /** A timestamp as a parameter. */
  time(date: Date): string;
  /** SQL of the moment parameter `$n` milliseconds from now, by the clock that leases are counted with. */
  leaseTime(n: number): string;
  /** An UPDATE of runs `RETURNING id`, with the dispatch of these runs. */
  dispatching(update: string): string;
  /** Whether the error says that a unique constraint was violated. */
  isUniqueViolation(error: unknown): boolean;
  /** Whether the same transaction may succeed when it is tried again. */
  isTransient(error: unknown): boolean;
  /** Whether the connection broke, so that nobody knows if the last commit happened. */
  isConnectionLoss(error: unknown): boolean;
}

/** A batch for one running session; the rows are in the databases' words, complete but for what the session row gives. */
export interface AppendGroup {
  sessionId: string;
  runId: string;
  /** `<runId>:<generation>`; compared with the session's under its lock. */
  fence: string;
  at: Date;
  /** Set when the run's first visible event is among the events. */
  firstEventAt: Date | null;
  events: readonly EventValues[];
  steps: readonly StepValues[];
  messages: readonly MessageValues[];
  modelCalls: readonly ModelCallValues[];
}

/** Where the session's log ends after the append; null in its place when the fence did not hold. */
export interface Appended {
  projectId: string;
  lastSequence: number;
}

export interface EventValues {
  id: string;
  run_id: string | null;
  task_id: string | null;
  step_id: string | null;
  type: string;
  visibility: string;
  payload: unknown;
  trace_id: string | null;
  span_id: string | null;
  at: Date;
}

export interface StepValues {
  id: string;
  parent_step_id: string | null;
  name: string;
  kind: string;
  status: string;
  seq: number;
  attempt: number;
  inputs: unknown;
  output: unknown;
  prompt: unknown;
  error: string | null;
  tool_uri: string | null;
  tool_call_id: string | null;
  started_at: Date;
  finished_at: Date | null;
  duration_ms: number | null;
  metadata: unknown;
}

export interface MessageValues {
  id: string;
  langgraph_message_id: string;
  role: string;
  content: string;
  parts: unknown;
  tool_calls: unknown;
  tool_call_id: string | null;
  model: string | null;
  token_count: number | null;
  created_at: Date;
  /** What the session row shows of it; null when this message is none of those that a list shows. */
  preview: string | null;
}

export interface ModelCallValues {
  id: string;
  step_id: string | null;
  call_type: string;
  provider: string;
  model: string;
  prompt_tokens: number | null;
  completion_tokens: number | null;
  total_tokens: number | null;
  cached_prompt_tokens: number | null;
  cache_write_tokens: number | null;
  reasoning_tokens: number | null;
  status: string;
  response_code: string | null;
  attempt: number;
  error: string | null;
  started_at: Date;
  duration_ms: number;
  time_to_first_token_ms: number | null;
}
