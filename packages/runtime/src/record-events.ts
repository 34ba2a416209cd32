import type { Fence, RecordBatch, RunConclusion, RunStore } from "@wheelhouse/storage";
import { PendingBatch } from "./merge-batch.ts";
import type { Tunables } from "./tunables.ts";

/** Writes what a run has to say, in order, in as few and as early writes as readers need. */
export interface Recorder {
  /**
   * Takes a batch. Resolves at once, or, while the database is behind by more than a flush, when it has caught up: the
   * graph then waits. Rejects with NotRecorded when an earlier write failed.
   */
  add(batch: RecordBatch): Promise<void>;
  /** Writes everything taken so far. */
  flush(): Promise<void>;
  /** Writes the rest and the end of the run as one. */
  finish(batch: RecordBatch, conclusion: RunConclusion): Promise<"finished" | "fenced">;
  /** Forgets what waits. */
  close(): void;
}

export interface RecorderOptions {
  runs: Pick<RunStore, "record" | "finish">;
  fence: Fence;
  taskId: string;
  tunables: Pick<Tunables, "flushMs" | "flushEvents" | "flushBytes">;
  /** Another owner has the run: whatever is said from now on is not written. */
  onFenced: () => void;
}

/** The database did not take a batch: whether it is in the log is not known, and this owner must not go on. */
export class NotRecorded extends Error {
  constructor(cause: unknown) {
    super("a batch could not be recorded", { cause });
    this.name = "NotRecorded";
  }
}

/** Opens the recorder of one run in one worker's hands. */
export const openRecorder = (options: RecorderOptions): Recorder => new FencedRecorder(options);

class FencedRecorder implements Recorder {
  readonly #options: RecorderOptions;
  readonly #pending = new PendingBatch();
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | null = null;
  #flushAgain = false;
  #fenced = false;
  #failure: NotRecorded | null = null;

  constructor(options: RecorderOptions) {
    this.#options = options;
  }

  async add(batch: RecordBatch): Promise<void> {
    if (this.#failure !== null) throw this.#failure;
    if (this.#fenced) return;
    const begins = this.#pending.add(this.#attributed(batch));
    if (begins || this.#isFull()) this.#flushSoon();
    else if (!this.#pending.isEmpty)
      this.#timer ??= setTimeout(() => this.#flushSoon(), this.#options.tunables.flushMs);
    if (this.#isFull()) await this.#writing;
    if (this.#failure !== null) throw this.#failure;
  }

  async flush(): Promise<void> {
    this.#flushSoon();
    while (this.#writing !== null) await this.#writing;
    if (this.#failure !== null) throw this.#failure;
  }

  async finish(batch: RecordBatch, conclusion: RunConclusion): Promise<"finished" | "fenced"> {
    this.#pending.add(this.#attributed(batch));
    this.#flushAgain = false;
    clearTimeout(this.#timer);
    // Only what is in flight already: the rest goes with the end.
    await this.#writing;
    if (this.#failure !== null) throw this.#failure;
    if (this.#fenced) return "fenced";
    const { runs, fence } = this.#options;
    const outcome = await runs.finish(fence, this.#pending.take(), conclusion).catch((error: unknown) => {
      throw new NotRecorded(error);
    });
    if (outcome === "fenced") this.#becomeFenced();
    return outcome;
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#flushAgain = false;
    this.#pending.take();
  }

  #attributed(batch: RecordBatch): RecordBatch {
    const { fence, taskId } = this.#options;
    return {
      ...batch,
      events: batch.events.map((event) => ({
        ...event,
        runId: event.runId ?? fence.runId,
        taskId: event.taskId ?? taskId,
      })),
    };
  }

  #isFull(): boolean {
    const { flushEvents, flushBytes } = this.#options.tunables;
    const { batch, textLength } = this.#pending;
    return batch.events.length + batch.steps.length >= flushEvents || textLength >= flushBytes;
  }

  #flushSoon(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#writing !== null) this.#flushAgain = true;
    else if (!this.#pending.isEmpty && !this.#fenced && this.#failure === null) this.#writing = this.#write();
  }

  /** One write, never rejecting; the next one begins when it has ended, so that order is kept. */
  async #write(): Promise<void> {
    const { runs, fence } = this.#options;
    try {
      const { outcome } = await runs.record(fence, this.#pending.take());
      if (outcome === "fenced") this.#becomeFenced();
    } catch (error) {
      this.#failure = new NotRecorded(error);
    }
    this.#writing = null;
    if (this.#flushAgain) {
      this.#flushAgain = false;
      this.#flushSoon();
    }
  }

  #becomeFenced(): void {
    this.#fenced = true;
    this.close();
    this.#options.onFenced();
  }
}
