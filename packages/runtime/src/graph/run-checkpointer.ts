import type { RunnableConfig } from "@langchain/core/runnables";
import {
  BaseCheckpointSaver,
  type ChannelVersions,
  type Checkpoint,
  type CheckpointListOptions,
  type CheckpointMetadata,
  type CheckpointTuple,
  compareChannelVersions,
  type PendingWrite,
} from "@langchain/langgraph-checkpoint";

/** The key under which a run's id travels in a graph's configuration and stands in its checkpoints' metadata. */
export const runKey = "wheelhouse_run";
/** Likewise which of the run's owners it was; grows with every takeover. */
export const generationKey = "wheelhouse_generation";
/** The id of one execution; only in the configuration. */
export const executionKey = "wheelhouse_execution";
/** The nodes that come after a checkpoint; only in the metadata. */
export const nextKey = "wheelhouse_next";

type DeltaOptions = Parameters<BaseCheckpointSaver["getDeltaChannelHistory"]>[0];
type DeltaHistory = ReturnType<BaseCheckpointSaver["getDeltaChannelHistory"]>;

/** An execution that may write. */
export interface CheckpointedExecution {
  /** The one thread that it reads and writes. */
  threadId: string;
  /** Null when the conversation is changed by hand, outside of any run. */
  runId: string | null;
  generation: number;
  /** Where it stands: first where the conversation stood, then its own last checkpoint. Null: before the first one. */
  checkpointId: string | null;
  /** What `checkpointId` holds, when it has been read already; the graph's first look takes it. */
  loaded?: CheckpointTuple | undefined;
  /** Which channels start each node of the graph. */
  triggers: ReadonlyMap<string, readonly string[]>;
}

/** The run that wrote a checkpoint; null when it was not written through `RunCheckpointer`. */
export function runOf(metadata: object | undefined): string | null {
  const run: unknown = metadata === undefined ? undefined : Reflect.get(metadata, runKey);
  return typeof run === "string" ? run : null;
}

/**
 * Any saver, as the execution of a run may use it, with five things added.
 * A graph reaches its own thread and no other: another one, whatever it puts into a configuration, is empty for it and takes
 * no writes.
 * Each checkpoint says which run wrote it, by which owner, and what comes next.
 * An execution that has ended writes nothing more, even if its graph goes on regardless.
 * A graph continues from where its conversation stands, not from whatever is newest in the thread: a turn that was taken
 * back, or an owner that was lost and writes on, may have left newer ones.
 * Versions of values are unique, so that two branches of a thread never take one another's values: PostgreSQL's saver
 * stores a value once per channel and version.
 */
export class RunCheckpointer extends BaseCheckpointSaver {
  readonly #inner: BaseCheckpointSaver;
  readonly #executions: ReadonlyMap<string, CheckpointedExecution>;
  readonly #onError: (error: object) => void;

  constructor(
    inner: BaseCheckpointSaver,
    executions: ReadonlyMap<string, CheckpointedExecution>,
    onError: (error: object) => void,
  ) {
    super(inner.serde);
    this.#inner = inner;
    this.#executions = executions;
    this.#onError = onError;
  }

  /** The next whole number and a random part behind the point. */
  override getNextVersion(current: number | undefined): number {
    return Math.floor(current ?? 0) + 1 + Math.floor(Math.random() * versionParts) / versionParts;
  }

  override async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    const execution = this.#executionOf(config);
    if (execution === undefined) return undefined;
    const { thread_id, checkpoint_ns = "", checkpoint_id } = config.configurable ?? {};
    if (checkpoint_ns !== "" || checkpoint_id !== undefined) return this.#watch(this.#inner.getTuple(config));
    const { loaded, checkpointId } = execution;
    execution.loaded = undefined;
    if (loaded?.checkpoint.id === checkpointId) return loaded;
    if (checkpointId === null) return undefined;
    return this.#watch(
      this.#inner.getTuple({ configurable: { thread_id, checkpoint_ns, checkpoint_id: checkpointId } }),
    );
  }

  override async *list(config: RunnableConfig, options?: CheckpointListOptions): AsyncGenerator<CheckpointTuple> {
    if (this.#executionOf(config) !== undefined) yield* this.#inner.list(config, options);
  }

  override async put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions,
  ): Promise<RunnableConfig> {
    const execution = this.#writing(config);
    const { runId, generation, triggers } = execution;
    const isOwn = (config.configurable?.checkpoint_ns ?? "") === "";
    const marked = {
      ...metadata,
      ...(runId !== null && { [runKey]: runId, [generationKey]: generation }),
      ...(isOwn && { [nextKey]: nextNodes(checkpoint, triggers) }),
    };
    const written = await this.#watch(this.#inner.put(config, checkpoint, marked, newVersions));
    if (isOwn) execution.checkpointId = checkpoint.id;
    return written;
  }

  override async putWrites(
    config: RunnableConfig,
    writes: PendingWrite[],
    taskId: string,
    taskPath?: string,
  ): Promise<void> {
    this.#writing(config);
    return this.#watch(this.#inner.putWrites(config, writes, taskId, taskPath));
  }

  override async getDeltaChannelHistory(options: DeltaOptions): DeltaHistory {
    return this.#executionOf(options.config) === undefined ? {} : this.#inner.getDeltaChannelHistory(options);
  }

  override async deleteThread(threadId: string): Promise<void> {
    throw new Error(`A graph may not delete the thread "${threadId}": a conversation is deleted in the product.`);
  }

  /** The execution that a configuration belongs to, when it is under way and the thread is its own. */
  #executionOf({ configurable }: RunnableConfig): CheckpointedExecution | undefined {
    const executionId: unknown = configurable?.[executionKey];
    const execution = typeof executionId === "string" ? this.#executions.get(executionId) : undefined;
    return execution?.threadId === configurable?.thread_id ? execution : undefined;
  }

  #writing(config: RunnableConfig): CheckpointedExecution {
    const execution = this.#executionOf(config);
    if (execution !== undefined) return execution;
    const { thread_id: threadId, [executionKey]: executionId } = config.configurable ?? {};
    if (!this.#executions.has(String(executionId)))
      throw new Error("This run has ended and may not write checkpoints any more.");
    throw new Error(`The graph wrote to the thread "${threadId}"; a run writes to its own and to no other.`);
  }

  async #watch<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      if (typeof error === "object" && error !== null) this.#onError(error);
      throw error;
    }
  }
}

/** As many random parts as leave room for a million steps in a number's 15 exact digits. */
const versionParts = 1e9;

/** LangGraph's channel of the nodes that were sent for by name. */
const sendsChannel = "__pregel_tasks";

/** The nodes that a graph would run after a checkpoint: those that a newer value waits for, and those sent for. */
function nextNodes(checkpoint: Checkpoint, triggers: ReadonlyMap<string, readonly string[]>): string[] {
  const { channel_values: values, channel_versions: versions, versions_seen: seen } = checkpoint;
  const waiting = [...triggers].flatMap(([node, channels]) => {
    const isNew = (channel: string) =>
      channel in values && compareChannelVersions(versions[channel] ?? 0, seen[node]?.[channel] ?? 0) > 0;
    return channels.some(isNew) ? [node] : [];
  });
  const sends: unknown = values[sendsChannel];
  const sent = Array.isArray(sends) ? sends.map((send: unknown) => nodeOf(send)).filter((node) => node !== null) : [];
  return [...waiting, ...sent];
}

const nodeOf = (send: unknown): string | null =>
  typeof send === "object" && send !== null && "node" in send && typeof send.node === "string" ? send.node : null;
