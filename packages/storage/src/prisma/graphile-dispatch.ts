import { EventEmitter } from "node:events";
import type { WorkerPool } from "graphile-worker";
import type pg from "pg";
import { z } from "zod";
import type { Dispatching, RunDispatch, RunTaker } from "../port.ts";
import { dispatchCall, runTask } from "./graphile-schema.ts";
import { openPool } from "./postgres-pool.ts";
import type { Database } from "./sql.ts";

/** Jobs a worker fetches side by side. A job is done when the run is taken, not when it has ended: a few are enough. */
const fetchers = 4;
/** Runs that one sweep dispatches anew; the next one goes on. */
const maxSwept = 1_000;
const restartPauseMs = 1_000;

export interface GraphileDispatchOptions {
  /** Of a direct address: the queue listens for notifications. */
  connection: pg.PoolConfig;
  dispatchSchema: string;
  db: Database;
  pause: (ms: number, signal: AbortSignal) => Promise<void>;
  onError: (error: unknown) => void;
}

/** Dispatch by Graphile Worker in the same PostgreSQL. */
export function graphileDispatch(options: GraphileDispatchOptions): RunDispatch {
  const { db, dispatchSchema } = options;
  const jobs = `"${dispatchSchema}".jobs`;
  // A job that was tried too often is dead: it does not count.
  const hasJob = `EXISTS (SELECT 1 FROM ${jobs} j WHERE j.key = 'run:' || r.id AND j.attempts < j.max_attempts)`;
  const dispatch = async (which: string, order: string, params: readonly number[]): Promise<number> => {
    const rows = await db.query(
      `SELECT ${dispatchCall(dispatchSchema, "due.id")} IS NOT NULL AS dispatched FROM (SELECT r.id FROM runs r
         WHERE ${which} AND NOT ${hasJob} ORDER BY ${order} LIMIT ${maxSwept}) due`,
      params,
    );
    return rows.length;
  };
  return {
    start: (taker, { pollMs, concurrency }) => new GraphileDispatching(options, taker, { pollMs, concurrency }),
    recoverExpired: () =>
      dispatch(`r.status = 'RUNNING' AND r.lease_expires_at <= ${db.dialect.leaseTime(1)}`, "r.lease_expires_at", [0]),
    async repair({ staleMs }) {
      // Taking a run is a matter of milliseconds: whoever holds a job for that long is dead, or as good as.
      const stale = await db.query(
        `SELECT DISTINCT locked_by FROM ${jobs} WHERE locked_at < now() - $1::float8 * interval '1 millisecond'`,
        [staleMs],
      );
      const holders = stale.map((row) => String(row.locked_by));
      if (holders.length > 0)
        await db.query(`SELECT "${dispatchSchema}".force_unlock_workers($1::text[]) IS NULL AS unlocked`, [holders]);
      // Nothing would ever try these again: their runs have other jobs by now, or get them here.
      await db.query(
        `SELECT count(*) AS removed FROM "${dispatchSchema}".complete_jobs(ARRAY(SELECT id FROM ${jobs}
           WHERE attempts >= max_attempts AND locked_at IS NULL))`,
      );
      const dispatched = await dispatch(
        `r.status = 'QUEUED' AND r.queue_position IS NULL AND r.updated_at <= ${db.dialect.leaseTime(1)}`,
        "r.queued_at, r.id",
        [-staleMs],
      );
      return { unlocked: holders.length, dispatched };
    },
  };
}

const Payload = z.object({ runId: z.string() });

class GraphileDispatching implements Dispatching {
  readonly #options: GraphileDispatchOptions;
  readonly #taker: RunTaker;
  readonly #pool: pg.Pool;
  readonly #stop = new AbortController();
  readonly #loop: Promise<void>;
  #ended: Promise<void> | null = null;
  #workers: WorkerPool | null = null;
  lookedAt = performance.now();

  constructor(options: GraphileDispatchOptions, taker: RunTaker, wish: { pollMs: number; concurrency: number }) {
    this.#options = options;
    this.#taker = taker;
    this.#pool = openPool({ ...options.connection, max: fetchers + 1 }, options.onError);
    this.#loop = this.#runForEver(wish);
  }

  placeFree(): void {
    if (this.#stop.signal.aborted) return;
    try {
      this.#workers?.nudge(1);
    } catch {
      // Its workers end just now; the ones that follow look by themselves.
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#ended ??= this.#end();
    return this.#ended;
  }

  async #end(): Promise<void> {
    this.#stop.abort();
    await this.#shutDown();
    await this.#loop;
    await this.#pool.end();
  }

  async #shutDown(): Promise<void> {
    try {
      await this.#workers?.gracefulShutdown("the worker stops");
    } catch (error) {
      // Jobs it could not give back are given back by a sweep.
      this.#options.onError(error);
    }
  }

  /** Graphile Worker ends itself when the database does not take its word for a done job: then it begins anew. */
  async #runForEver(wish: { pollMs: number; concurrency: number }): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        const { workers } = await this.#startWorkers(wish);
        this.#workers = workers;
        if (signal.aborted) await this.#shutDown();
        await workers.promise;
      } catch (error) {
        this.#options.onError(error);
      }
      this.#workers = null;
      if (!signal.aborted) await this.#options.pause(restartPauseMs, signal);
    }
  }

  /** In an object, because the pool is itself a promise of its end. */
  async #startWorkers(wish: { pollMs: number; concurrency: number }): Promise<{ workers: WorkerPool }> {
    const { Logger, runTaskList } = await import("graphile-worker");
    const { dispatchSchema, onError } = this.#options;
    const events = new EventEmitter();
    const looked = () => {
      this.lookedAt = performance.now();
    };
    events.on("worker:getJob:empty", looked);
    events.on("job:start", looked);
    const logger = new Logger(() => (level, message, meta) => {
      // What a taker could not do it has told itself.
      if (level === "error" && meta?.failure !== true) onError(new Error(message));
    });
    const workers = runTaskList(
      {
        schema: dispatchSchema,
        pollInterval: wish.pollMs,
        concurrency: Math.min(fetchers, wish.concurrency),
        noHandleSignals: true,
        logger,
        events,
        // A full worker leaves the runs to others.
        forbiddenFlags: () => (this.#taker.free() > 0 ? null : [runTask]),
        // Batches handle the failure of their statement; without them it would be nobody's.
        preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
      },
      { [runTask]: (payload: unknown) => this.#bring(Payload.parse(payload).runId) },
      this.#pool,
    );
    return { workers };
  }

  async #bring(runId: string): Promise<void> {
    if (this.#taker.free() > 0) return await this.#taker.take(runId);
    // Several were fetched for the last place. A job of its own brings the run to somebody else.
    await this.#options.db.query(
      `SELECT ${dispatchCall(this.#options.dispatchSchema, "$1::text")} IS NOT NULL AS again`,
      [runId],
    );
  }
}
