import { openBell } from "./bell.ts";
import type { RuntimeDeps } from "./deps.ts";
import type { Tunables } from "./tunables.ts";

/**
 * Something the product looks after again and again: abandoned runs, interrupts that nobody answered, due schedules.
 * `sweep` finds what is due in the database and claims it there, so it may run in several processes at once, and again
 * at once after it failed.
 */
export interface PeriodicWork {
  /** For logs, unique. */
  name: string;
  /** Rest between two sweeps, milliseconds. */
  everyMs: number | ((tunables: Tunables) => number);
  /** Ends the rest early whenever `wake` is called; returns how to stop that. */
  wakeOn?(deps: RuntimeDeps, wake: () => void): () => void;
  sweep(deps: RuntimeDeps, signal: AbortSignal): Promise<void>;
}

/**
 * Sweeps each of `works` now and then `everyMs` after its last sweep has ended. A sweep that fails is told in the log and
 * tried again at its next time. Disposing aborts the sweeps under way and waits for them.
 */
export function startPeriodicWork(deps: RuntimeDeps, works: readonly PeriodicWork[]): AsyncDisposable {
  const stop = new AbortController();
  const loops = works.map((work) => sweepUntilStopped(deps, work, stop.signal));
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await Promise.all(loops);
    },
  };
}

async function sweepUntilStopped(deps: RuntimeDeps, work: PeriodicWork, signal: AbortSignal): Promise<void> {
  using bell = openBell((ring) => work.wakeOn?.(deps, ring) ?? (() => undefined));
  while (!signal.aborted) {
    bell.quiet();
    try {
      await work.sweep(deps, signal);
    } catch (error) {
      if (!signal.aborted) deps.log.error({ err: error, work: work.name }, "periodic work failed and is tried again");
    }
    const restMs = typeof work.everyMs === "number" ? work.everyMs : work.everyMs(deps.tunables);
    await pause(restMs, bell.rung(), signal);
  }
}

const pause = (ms: number, woken: Promise<void>, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end);
    void woken.then(end);
  });
