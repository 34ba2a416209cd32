import { type RunFailure, storableJson } from "@wheelhouse/domain";
import { digestOf } from "@wheelhouse/domain/digest";
import type { ClaimedRun, RecordBatch, RunConclusion } from "@wheelhouse/storage";
import { messageIdOf } from "./chat-input.ts";
import { whereItStands } from "./conversation-head.ts";
import type { RuntimeDeps } from "./deps.ts";
import type { GraphOutput, GraphRunRequest } from "./graph-host.ts";
import { emptyBatch } from "./merge-batch.ts";
import { rowIds } from "./message-ids.ts";
import { closeOpenEnds } from "./reconcile-run.ts";
import { NotRecorded, openRecorder, type Recorder } from "./record-events.ts";
import { fromStore, reconcile, StateOutOfReach, takeOver, tellUntold } from "./recover-run.ts";
import { openRunFiles } from "./run-files.ts";

/** Why a run must stop: its lease is lost (or it was cancelled), the process drains, or its time is over. */
export type StopReason = "lost" | "released" | "timeout";

/** The reason of the abort signals of this package. */
export class RunStop extends Error {
  readonly reason: StopReason;

  constructor(reason: StopReason) {
    super(`the run was stopped: ${reason}`);
    this.name = "RunStop";
    this.reason = reason;
  }
}

/** How a worker's hold on a run ended. `unrecorded`: a database was out of reach; the lease will expire. */
export type RunResult = "finished" | "fenced" | "released" | "unrecorded";

/**
 * Executes a claimed run to its end and records it. Never throws: what goes wrong in a graph is a failed run, what goes
 * wrong in our own code is a failed run too, and what cannot be written is left to the next owner.
 */
export async function executeRun(deps: RuntimeDeps, claimed: ClaimedRun, stop: AbortController): Promise<RunResult> {
  const { fence, run } = claimed;
  const recorder = openRecorder({
    runs: deps.storage.runs,
    fence,
    taskId: run.taskId,
    tunables: deps.tunables,
    onFenced: () => stop.abort(new RunStop("lost")),
  });
  const timer = setTimeout(() => stop.abort(new RunStop("timeout")), remainingMs(deps, claimed));
  try {
    const end = await attempt(deps, claimed, recorder, stop.signal);
    const stopped = stopReason(stop.signal);
    if (stopped === "lost") return "fenced";
    if (stopped === "released") {
      await recorder.flush();
      await deps.storage.runs.release(fence);
      return "released";
    }
    return await recorder.finish(end.batch, end.conclusion);
  } catch (error) {
    if (stopReason(stop.signal) === "lost") return "fenced";
    deps.log.error({ err: error, runId: run.id, sessionId: run.sessionId }, "could not go on with a run");
    // Not released: taken up again at once, it would find things as they are and use up its recoveries in a moment.
    return "unrecorded";
  } finally {
    clearTimeout(timer);
    recorder.close();
  }
}

/** setTimeout takes no longer times, and would not wait at all. */
const maxTimerMs = 2_147_483_647;

/** What is left of the run's time, which a takeover does not begin anew. */
function remainingMs({ clock }: RuntimeDeps, { run }: ClaimedRun): number {
  const spentMs = run.startedAt === null ? 0 : Math.max(0, clock.now().getTime() - run.startedAt.getTime());
  return Math.min(maxTimerMs, Math.max(0, run.manifest.limits.timeoutSeconds * 1000 - spentMs));
}

interface End {
  batch: RecordBatch;
  conclusion: RunConclusion;
}

const nothingMore = (status: "CANCELLED", at: Date): End => ({ batch: emptyBatch(), conclusion: { status, at } });

const stopReason = (signal: AbortSignal): StopReason | null =>
  signal.aborted ? (signal.reason instanceof RunStop ? signal.reason.reason : "lost") : null;

/** Runs the graph; the end it comes to, or the one that our own mistake brought it to. Throws what recording threw. */
async function attempt(deps: RuntimeDeps, claimed: ClaimedRun, recorder: Recorder, signal: AbortSignal): Promise<End> {
  const { run } = claimed;
  try {
    if (digestOf(run.manifest) !== run.manifestDigest)
      return await failed(deps, claimed, recorder, {
        code: "CONFIG_INVALID",
        message: "The definition pinned with this run is not the one it was submitted with",
      });
    const request = await requestOf(deps, claimed, recorder, signal);
    const { graphStopMs } = deps.tunables;
    const ids = rowIds(run.sessionId, run.taskId);
    using outputs = new Outputs(deps.graphs.run(request)[Symbol.asyncIterator](), signal, graphStopMs);
    for (;;) {
      const output = await outputs.next();
      if (output === "stopped") return await stoppedEnd(deps, claimed, recorder, signal);
      const batch = ids.batch(output.batch);
      if (output.kind === "end") {
        await tellUntold(deps, claimed, { ...output, batch }, recorder);
        return endOf(deps, claimed, { ...output, batch }, signal);
      }
      await recorder.add(batch);
    }
  } catch (error) {
    if (error instanceof NotRecorded || error instanceof StateOutOfReach) throw error;
    if (stopReason(signal) === "lost") return nothingMore("CANCELLED", deps.clock.now());
    deps.log.error({ err: error, runId: run.id, sessionId: run.sessionId }, "a run failed by a fault of the product");
    return await failed(deps, claimed, recorder, {
      code: "INTERNAL",
      message: `Something went wrong inside the product; its log has the details under the run ${run.id}`,
    });
  }
}

async function requestOf(
  deps: RuntimeDeps,
  claimed: ClaimedRun,
  recorder: Recorder,
  signal: AbortSignal,
): Promise<GraphRunRequest> {
  const { run, session, resume, fence } = claimed;
  const { input } = run;
  const messageId = messageIdOf(run.taskId, input);
  const answers = resume;
  let before: Pick<GraphRunRequest, "lastStepSeq" | "tokensUsed"> = { lastStepSeq: 0, tokensUsed: 0 };
  const checkpointId = await fromStore(whereItStands(deps, session.threadId, claimed.head));
  if ("after" in claimed.head) await takeOver(deps, claimed, checkpointId, recorder);
  let start: GraphRunRequest["start"] =
    answers === null ? { kind: "input", input, messageId } : { kind: "resume", answers };
  if (claimed.recovered) {
    before = await reconcile(deps, claimed, checkpointId, recorder);
    start = { kind: "recover", input, messageId, answers };
  }
  return {
    ...{ runId: run.id, taskId: run.taskId, sessionId: session.id, threadId: session.threadId },
    ...{ scope: session.scope, manifest: run.manifest, attempt: run.attempt, start, signal },
    ...{ lastStepSeq: before.lastStepSeq, tokensUsed: before.tokensUsed },
    ...{ generation: fence.generation, checkpointId, files: openRunFiles(deps, claimed, signal) },
  };
}

/**
 * Waits for outputs no longer than a stopped run may: not at all when the run is not ours any more, for the grace of last
 * words, counted from the stop, when its time is over.
 */
class Outputs implements Disposable {
  readonly #outputs: AsyncIterator<GraphOutput>;
  readonly #signal: AbortSignal;
  readonly #graceMs: number;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;
  #onStopped: (() => void) | null = null;

  constructor(outputs: AsyncIterator<GraphOutput>, signal: AbortSignal, graceMs: number) {
    this.#outputs = outputs;
    this.#signal = signal;
    this.#graceMs = graceMs;
    if (signal.aborted) this.#onAbort();
    else signal.addEventListener("abort", this.#onAbort, { once: true });
  }

  async next(): Promise<GraphOutput | "stopped"> {
    if (this.#isStopped) return "stopped";
    const next = await new Promise<IteratorResult<GraphOutput> | "stopped">((resolve, reject) => {
      this.#onStopped = () => resolve("stopped");
      this.#outputs.next().then(resolve, reject);
    });
    if (next === "stopped") return next;
    if (next.done) throw new Error("the graph host ended without an end");
    return next.value;
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#signal.removeEventListener("abort", this.#onAbort);
    // A graph that is still at it may hear of it whenever it likes.
    this.#outputs.return?.().catch(() => undefined);
  }

  readonly #onAbort = (): void => {
    const stop = () => {
      this.#isStopped = true;
      this.#onStopped?.();
    };
    if (stopReason(this.#signal) === "timeout") this.#timer = setTimeout(stop, this.#graceMs);
    else stop();
  };
}

async function stoppedEnd(
  deps: RuntimeDeps,
  claimed: ClaimedRun,
  recorder: Recorder,
  signal: AbortSignal,
): Promise<End> {
  if (stopReason(signal) !== "timeout") return nothingMore("CANCELLED", deps.clock.now());
  return await failed(deps, claimed, recorder, timeoutFailure(claimed));
}

const timeoutFailure = ({ run }: ClaimedRun): RunFailure => ({
  code: "EXECUTION_TIMEOUT",
  message: `The run took longer than its ${run.manifest.limits.timeoutSeconds} seconds`,
});

function endOf(
  deps: RuntimeDeps,
  claimed: ClaimedRun,
  { batch, end, checkpointId }: Omit<Extract<GraphOutput, { kind: "end" }>, "kind">,
  signal: AbortSignal,
): End {
  const at = deps.clock.now();
  switch (end.status) {
    case "SUCCEEDED":
      return {
        batch,
        conclusion: { ...end, output: storableJson(end.output), context: storableJson(end.context), checkpointId, at },
      };
    case "INTERRUPTED": {
      const expiresAt = new Date(at.getTime() + deps.tunables.interruptTtlMs);
      const interrupts = end.interrupts.map((i) => ({ ...i, expiresAt: i.expiresAt ?? expiresAt }));
      return { batch, conclusion: { ...end, context: storableJson(end.context), interrupts, checkpointId, at } };
    }
    case "FAILED": {
      const { id: runId, sessionId } = claimed.run;
      deps.log.warn({ err: end.cause, code: end.failure.code, runId, sessionId }, "a run failed");
      return { batch, conclusion: { status: "FAILED", failure: end.failure, checkpointId, at } };
    }
    case "LOST":
      throw new StateOutOfReach("the store of the graph's state is out of reach", { cause: end.cause });
    case "CANCELLED":
      // The graph stopped because we told it to; only for a run out of time is that still ours to write.
      if (stopReason(signal) !== "timeout") return { batch, conclusion: { status: "CANCELLED", checkpointId, at } };
      return { batch, conclusion: { status: "FAILED", failure: timeoutFailure(claimed), checkpointId, at } };
  }
}

/** A failure that the graph host did not tell itself: its steps and messages may be open, and are closed with it. */
async function failed(
  deps: RuntimeDeps,
  { fence, run }: ClaimedRun,
  recorder: Recorder,
  failure: RunFailure,
): Promise<End> {
  // What is open can be read only when everything that was said is written.
  await recorder.flush();
  const at = deps.clock.now();
  const ends = await deps.storage.runs.openEnds(fence);
  return { batch: closeOpenEnds(ends, run.attempt, failure.code, at), conclusion: { status: "FAILED", failure, at } };
}
