import type { RunnableConfig } from "@langchain/core/runnables";
import {
  BaseCheckpointSaver,
  type ChannelVersions,
  type Checkpoint,
  type CheckpointListOptions,
  type CheckpointMetadata,
  type CheckpointTuple,
  type PendingWrite,
} from "@langchain/langgraph-checkpoint";

/** The key under which a run's id travels in a graph's configuration and stands in its checkpoints' metadata. */
export const runKey = "wheelhouse_run";
/** Likewise the id of one execution of it. */
export const executionKey = "wheelhouse_execution";

type DeltaOptions = Parameters<BaseCheckpointSaver["getDeltaChannelHistory"]>[0];
type DeltaHistory = ReturnType<BaseCheckpointSaver["getDeltaChannelHistory"]>;

/** The run that wrote a checkpoint; null when it was not written through `RunCheckpointer`. */
export function runOf(metadata: object | undefined): string | null {
  const run: unknown = metadata === undefined ? undefined : Reflect.get(metadata, runKey);
  return typeof run === "string" ? run : null;
}

/**
 * Any saver, with two things added: each checkpoint says which run wrote it, so that a lost run can be continued from
 * its own last checkpoint; and an execution that has ended writes nothing more, even if its graph goes on regardless.
 */
export class RunCheckpointer extends BaseCheckpointSaver {
  readonly #inner: BaseCheckpointSaver;
  readonly #isOpen: (executionId: string) => boolean;
  readonly #onError: (error: object) => void;

  constructor(inner: BaseCheckpointSaver, isOpen: (executionId: string) => boolean, onError: (error: object) => void) {
    super(inner.serde);
    this.#inner = inner;
    this.#isOpen = isOpen;
    this.#onError = onError;
  }

  override getNextVersion(current: number | undefined): number {
    return this.#inner.getNextVersion(current);
  }

  override getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    return this.#watch(this.#inner.getTuple(config));
  }

  override async *list(config: RunnableConfig, options?: CheckpointListOptions): AsyncGenerator<CheckpointTuple> {
    yield* this.#inner.list(config, options);
  }

  override async put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions,
  ): Promise<RunnableConfig> {
    const runId = this.#writer(config);
    const marked = runId === null ? metadata : { ...metadata, [runKey]: runId };
    return this.#watch(this.#inner.put(config, checkpoint, marked, newVersions));
  }

  override async putWrites(
    config: RunnableConfig,
    writes: PendingWrite[],
    taskId: string,
    taskPath?: string,
  ): Promise<void> {
    this.#writer(config);
    return this.#watch(this.#inner.putWrites(config, writes, taskId, taskPath));
  }

  override getDeltaChannelHistory(options: DeltaOptions): DeltaHistory {
    return this.#inner.getDeltaChannelHistory(options);
  }

  override deleteThread(threadId: string): Promise<void> {
    return this.#inner.deleteThread(threadId);
  }

  #writer(config: RunnableConfig): string | null {
    const runId: unknown = config.configurable?.[runKey];
    if (typeof runId !== "string") return null;
    const executionId: unknown = config.configurable?.[executionKey];
    if (typeof executionId !== "string" || !this.#isOpen(executionId))
      throw new Error(`Run ${runId} has ended and may not write checkpoints any more.`);
    return runId;
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
