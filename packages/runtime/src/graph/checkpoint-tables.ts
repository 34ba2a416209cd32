// What LangGraph's savers cannot say or do about their own tables: read checkpoints without their values, copy and prune.

/** A checkpoint without its values. */
export interface CheckpointOutline {
  /** Empty for the graph itself; of a subgraph, its place in the graph. */
  namespace: string;
  id: string;
  parentId: string | null;
  metadata: Readonly<Record<string, unknown>>;
}

export interface CheckpointKey {
  namespace: string;
  id: string;
}

export interface CheckpointTables {
  /** A page of the graph's own checkpoints, newest first. */
  page(threadId: string, options: { before: string | null; limit: number }): Promise<CheckpointOutline[]>;
  /** Every checkpoint of a thread, newest first. */
  outline(threadId: string): Promise<CheckpointOutline[]>;
  /** Id of the newest of the graph's own checkpoints; null when there is none. */
  newest(threadId: string): Promise<string | null>;
  /** The last checkpoint that a run wrote, of its last owner that wrote any. */
  lastOfRun(threadId: string, runId: string): Promise<string | null>;
  /**
   * Copies checkpoints into another thread, all or nothing. `withWrites` brings along what the steps after them wrote,
   * which channels that store changes are read back from.
   */
  copy(from: string, to: string, keys: readonly CheckpointKey[], withWrites: readonly CheckpointKey[]): Promise<void>;
  /** Removes checkpoints with their writes, and the values that no checkpoint of the thread refers to any more. */
  remove(threadId: string, keys: readonly CheckpointKey[]): Promise<void>;
}

/** The checkpoint of the graph itself during which a subgraph wrote this one. */
export function rootOf({ metadata }: CheckpointOutline): string {
  const parents: unknown = metadata.parents;
  const root: unknown = typeof parents === "object" && parents !== null ? Reflect.get(parents, "") : undefined;
  return typeof root === "string" ? root : "";
}
