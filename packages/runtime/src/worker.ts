import type { ClaimedRun, Dispatching, Fence } from "@wheelhouse/storage";
import type { RuntimeDeps } from "./deps.ts";
import { executeRun, RunStop, type StopReason } from "./execute-run.ts";

/** Executes runs in this process. */
export interface Worker extends AsyncDisposable {
  /** Runs in its hands. */
  readonly running: number;
  /**
   * When its parts last got on, monotonic, milliseconds: `beat` when the database last took its word that it is alive,
   * `dispatch` when it last looked for runs.
   */
  readonly progress: { beat: number; dispatch: number };
  /** Takes no more runs, lets the ones at hand finish for `drainMs`, then releases the rest for others to resume. */
  drain(): Promise<void>;
}

export interface WorkerOptions {
  /** Names this worker in leases; unique. */
  owner: string;
  /** What others see of it. */
  role?: string;
  host?: string;
  version?: string;
}

interface Held {
  claimed: ClaimedRun;
  stop: AbortController;
  /** Monotonic time at which the last renewal was asked for, milliseconds: the lease counts from later on. */
  renewedAt: number;
  ended: Promise<void>;
}

/**
 * Of a lease's length the part that is left when a worker that cannot renew it lets go: enough for its tools to hear of
 * it before somebody else begins, and for clocks that do not run equally fast.
 */
const leaseMargin = 0.1;
/** Leases after which a silent worker is forgotten. */
const forgetAfterLeases = 10;

/**
 * Starts taking runs, as dispatch brings them. Disposing stops at once and releases what is at hand.
 *
 * A worker counts the time of its leases by the monotonic clock from the moment before it asked for them, so it lets go
 * of a run before the database can call the lease expired, whatever becomes of the connection or the machine's clock.
 */
export const startWorker = (deps: RuntimeDeps, options: WorkerOptions): Worker => new LeasedWorker(deps, options);

class LeasedWorker implements Worker {
  readonly #deps: RuntimeDeps;
  readonly #options: Required<WorkerOptions>;
  readonly #startedAt: Date;
  readonly #held = new Map<string, Held>();
  readonly #dispatching: Dispatching;
  readonly #stopListening: () => void;
  readonly #timers: NodeJS.Timeout[];
  readonly #once = new Map<string, Promise<void>>();
  #taking = 0;
  #stopping = false;
  #claimFailing = false;
  #beatAt = performance.now();

  constructor(deps: RuntimeDeps, options: WorkerOptions) {
    const { storage, tunables, clock } = deps;
    this.#deps = deps;
    this.#options = { role: "all", host: "", version: "", ...options };
    this.#startedAt = clock.now();
    this.#stopListening = storage.wakeUps.onCancelled((runId) => this.#stop(runId, "lost"));
    this.#timers = [
      setInterval(() => this.#watch(), tunables.holdPollMs),
      setInterval(() => this.#beat(), tunables.beatMs),
      setInterval(() => this.#single("recover", () => storage.dispatch.recoverExpired()), tunables.claimPollMs),
    ];
    this.#dispatching = storage.dispatch.start(
      { free: () => this.#free(), take: (runId) => this.#take(runId) },
      { pollMs: tunables.claimPollMs, concurrency: tunables.concurrency },
    );
    this.#beat();
  }

  get running(): number {
    return this.#held.size;
  }

  get progress(): Worker["progress"] {
    return { beat: this.#beatAt, dispatch: this.#dispatching.lookedAt };
  }

  async drain(): Promise<void> {
    await this.#end(this.#deps.tunables.drainMs);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#end(0);
  }

  async #end(graceMs: number): Promise<void> {
    this.#stopping = true;
    await this.#dispatching[Symbol.asyncDispose]();
    const all = () => Promise.all([...this.#held.values()].map(({ ended }) => ended));
    if (graceMs > 0) await withinMs(graceMs, all());
    for (const runId of [...this.#held.keys()]) this.#stop(runId, "released");
    await all();
    for (const timer of this.#timers) clearInterval(timer);
    this.#stopListening();
    await Promise.all(this.#once.values());
    await this.#deps.storage.workers.remove(this.#options.owner).catch(() => undefined);
  }

  #stop(runId: string, reason: StopReason): void {
    this.#held.get(runId)?.stop.abort(new RunStop(reason));
  }

  #free(): number {
    return this.#stopping ? 0 : this.#deps.tunables.concurrency - this.#held.size - this.#taking;
  }

  /** Takes one run, or whatever can be had. */
  async #take(runId: string | null): Promise<void> {
    const { storage, clock, tunables, log } = this.#deps;
    const limit = runId === null ? this.#free() : 1;
    if (limit <= 0) return;
    const { leaseMs, maxRecoveries } = tunables;
    const { owner } = this.#options;
    const claimedAt = performance.now();
    this.#taking += limit;
    try {
      const which = runId === null ? {} : { runIds: [runId] };
      const input = { owner, leaseMs, limit, maxRecoveries, at: clock.now(), ...which };
      for (const claimed of await storage.runs.claim(input)) this.#start(claimed, claimedAt);
      this.#claimFailing = false;
    } catch (error) {
      // Said once per outage; dispatch tries on.
      if (!this.#claimFailing) log.error({ err: error, owner }, "could not claim runs");
      this.#claimFailing = true;
      throw error;
    } finally {
      this.#taking -= limit;
    }
  }

  #start(claimed: ClaimedRun, claimedAt: number): void {
    const { runId } = claimed.fence;
    const stop = new AbortController();
    const ended = executeRun(this.#deps, claimed, stop).then(() => {
      // The same run may be back in our hands already, by another claim.
      if (this.#held.get(runId)?.claimed === claimed) this.#held.delete(runId);
      if (this.#held.size === this.#deps.tunables.concurrency - 1) this.#dispatching.placeFree();
    });
    this.#stop(runId, "lost");
    this.#held.set(runId, { claimed, stop, renewedAt: claimedAt, ended });
    if (this.#stopping) this.#stop(runId, "released");
  }

  /** Lets go of runs whose lease may have run out, and of those that others have ended or taken. */
  #watch(): void {
    const { storage, tunables } = this.#deps;
    const longest = tunables.leaseMs * (1 - leaseMargin);
    const now = performance.now();
    for (const held of this.#held.values()) if (now - held.renewedAt > longest) held.stop.abort(new RunStop("lost"));
    const fences = this.#fences();
    if (fences.length > 0) this.#single("watch", async () => this.#lose(fences, await storage.runs.lost(fences)));
  }

  #beat(): void {
    const { storage, tunables } = this.#deps;
    const { owner: id, role, host, version } = this.#options;
    const worker = { id, role, host, version, running: this.#held.size, startedAt: this.#startedAt };
    const forgetAfterMs = tunables.leaseMs * forgetAfterLeases;
    this.#single("beat", async () => {
      await storage.workers.beat(worker, { forgetAfterMs });
      this.#beatAt = performance.now();
    });
    this.#single("repair", () => storage.dispatch.repair({ staleMs: tunables.leaseMs }));
    void this.#renew();
  }

  async #renew(): Promise<void> {
    const { storage, tunables, log } = this.#deps;
    const renewing = [...this.#held.values()];
    const fences = this.#fences();
    if (fences.length === 0) return;
    const askedAt = performance.now();
    try {
      const lost = await storage.runs.renew(fences, { leaseMs: tunables.leaseMs });
      this.#lose(fences, lost);
      const gone = new Set(lost);
      for (const held of renewing) if (!gone.has(held.claimed.fence.runId)) held.renewedAt = askedAt;
    } catch (error) {
      // The watch lets go of them in time if this goes on.
      log.warn({ err: error, runs: fences.length }, "could not renew leases");
    }
  }

  #fences(): Fence[] {
    return [...this.#held.values()].map(({ claimed }) => claimed.fence);
  }

  /** Stops the lost ones, unless they are back in our hands by a later claim. */
  #lose(fences: readonly Fence[], lost: readonly string[]): void {
    for (const runId of lost) {
      const asked = fences.find((fence) => fence.runId === runId);
      if (this.#held.get(runId)?.claimed.fence === asked) this.#stop(runId, "lost");
    }
  }

  /** Does one thing of a kind at a time: a database that does not answer is not asked again and again. */
  #single(what: string, work: () => Promise<unknown>): void {
    if (this.#once.has(what)) return;
    const { log } = this.#deps;
    const doing = work()
      .then(() => undefined)
      .catch((error: unknown) => log.warn({ err: error, what }, "a worker's round failed and is tried again"))
      .finally(() => this.#once.delete(what));
    this.#once.set(what, doing);
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
