import type { ClaimedRun } from "@wheelhouse/storage";
import type { RuntimeDeps } from "./deps.ts";
import { executeRun, RunStop, type StopReason } from "./execute-run.ts";

/** Executes runs in this process. */
export interface Worker extends AsyncDisposable {
  /** Runs in its hands. */
  readonly running: number;
  /** Takes no more runs, lets the ones at hand finish for `drainMs`, then releases the rest for others to resume. */
  drain(): Promise<void>;
}

interface Held {
  claimed: ClaimedRun;
  stop: AbortController;
  /** Monotonic time of the last renewal, milliseconds. */
  renewedAt: number;
  ended: Promise<void>;
}

/**
 * Starts taking runs: at once, on wake-ups, and at least once per `claimPollMs`. `owner` names this worker in leases and
 * must be unique. Disposing stops at once and releases what is at hand.
 */
export const startWorker = (deps: RuntimeDeps, options: { owner: string }): Worker =>
  new InProcessWorker(deps, options.owner);

class InProcessWorker implements Worker {
  readonly #deps: RuntimeDeps;
  readonly #owner: string;
  readonly #held = new Map<string, Held>();
  readonly #stopListening: (() => void)[];
  readonly #poll: NodeJS.Timeout;
  readonly #beat: NodeJS.Timeout;
  #claiming: Promise<void> | null = null;
  #claimAgain = false;
  #stopping = false;
  #claimFailing = false;

  constructor(deps: RuntimeDeps, owner: string) {
    const { storage, tunables } = deps;
    this.#deps = deps;
    this.#owner = owner;
    this.#stopListening = [
      storage.wakeUps.onRunnable(() => this.#claimSoon()),
      storage.wakeUps.onCancelled((runId) => this.#stop(runId, "lost")),
    ];
    this.#poll = setInterval(() => this.#claimSoon(), tunables.claimPollMs);
    this.#beat = setInterval(() => void this.#renewAll(), tunables.beatMs);
    this.#claimSoon();
  }

  get running(): number {
    return this.#held.size;
  }

  async drain(): Promise<void> {
    await this.#end(this.#deps.tunables.drainMs);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#end(0);
  }

  async #end(graceMs: number): Promise<void> {
    this.#stopping = true;
    clearInterval(this.#poll);
    for (const stopListening of this.#stopListening.splice(0, 1)) stopListening();
    await this.#claiming;
    const all = () => Promise.all([...this.#held.values()].map(({ ended }) => ended));
    if (graceMs > 0) await withinMs(graceMs, all());
    for (const runId of [...this.#held.keys()]) this.#stop(runId, "released");
    await all();
    clearInterval(this.#beat);
    for (const stopListening of this.#stopListening.splice(0)) stopListening();
  }

  #stop(runId: string, reason: StopReason): void {
    this.#held.get(runId)?.stop.abort(new RunStop(reason));
  }

  #claimSoon(): void {
    if (this.#stopping) return;
    if (this.#claiming !== null) {
      this.#claimAgain = true;
      return;
    }
    this.#claiming = this.#claim().finally(() => {
      this.#claiming = null;
      if (this.#claimAgain) {
        this.#claimAgain = false;
        this.#claimSoon();
      }
    });
  }

  async #claim(): Promise<void> {
    const { storage, clock, tunables, log } = this.#deps;
    const limit = tunables.concurrency - this.#held.size;
    if (limit <= 0) return;
    const { leaseMs, maxRecoveries } = tunables;
    const claimedAt = performance.now();
    try {
      const input = { owner: this.#owner, leaseMs, limit, maxRecoveries, at: clock.now() };
      for (const claimed of await storage.runs.claim(input)) this.#start(claimed, claimedAt);
      this.#claimFailing = false;
    } catch (error) {
      // Said once per outage; the poll tries on.
      if (!this.#claimFailing) log.error({ err: error, owner: this.#owner }, "could not claim runs");
      this.#claimFailing = true;
    }
  }

  #start(claimed: ClaimedRun, claimedAt: number): void {
    const { runId } = claimed.fence;
    const stop = new AbortController();
    const ended = executeRun(this.#deps, claimed, stop).then(() => {
      // The same run may be back in our hands already, by another claim.
      if (this.#held.get(runId)?.claimed === claimed) this.#held.delete(runId);
      if (this.#held.size === this.#deps.tunables.concurrency - 1) this.#claimSoon();
    });
    this.#stop(runId, "lost");
    this.#held.set(runId, { claimed, stop, renewedAt: claimedAt, ended });
    if (this.#stopping) this.#stop(runId, "released");
  }

  async #renewAll(): Promise<void> {
    const { storage, clock, tunables, log } = this.#deps;
    const { leaseMs } = tunables;
    await Promise.all(
      [...this.#held.values()].map(async (held) => {
        const { fence } = held.claimed;
        const startedAt = performance.now();
        try {
          const outcome = await storage.runs.renew(fence, { leaseMs, at: clock.now() });
          if (outcome === "held") held.renewedAt = startedAt;
          else held.stop.abort(new RunStop("lost"));
        } catch (error) {
          log.warn({ err: error, runId: fence.runId }, "could not renew a lease");
          // From here on another worker may have it. Ours would be fenced anyway; stopping spares its work.
          if (performance.now() - held.renewedAt > leaseMs) held.stop.abort(new RunStop("lost"));
        }
      }),
    );
  }
}

/** Waits for a promise, at most so long. */
async function withinMs(ms: number, promise: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([
    promise,
    new Promise((resolve) => {
      timer = setTimeout(resolve, ms);
    }),
  ]);
  clearTimeout(timer);
}
