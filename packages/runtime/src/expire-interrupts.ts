import type { RuntimeDeps } from "./deps.ts";
import type { PeriodicWork } from "./periodic-work.ts";

/** Sessions that one transaction of the sweep may hold. */
const sweepSessions = 50;

/**
 * Gives up the tasks whose questions nobody answered in time: each fails with INTERRUPT_EXPIRED. Returns how many.
 * An answer that comes at the same moment either counts or is told that the task has ended.
 */
export async function expireInterrupts(
  deps: Pick<RuntimeDeps, "storage" | "clock" | "log">,
  signal: AbortSignal,
): Promise<number> {
  let count = 0;
  while (!signal.aborted) {
    const expired = await deps.storage.interrupts.expire({ limit: sweepSessions, at: deps.clock.now() });
    if (expired.length === 0) return count;
    count += expired.length;
    for (const { taskId, sessionId } of expired) deps.log.info({ taskId, sessionId }, "nobody answered a task in time");
  }
  return count;
}

/** Looks for questions whose time is over. The spare seconds are nobody's loss: an answer counts until it is found. */
export const expireInterruptsWork: PeriodicWork = {
  name: "expireInterrupts",
  everyMs: 5_000,
  async sweep(deps, signal) {
    await expireInterrupts(deps, signal);
  },
};
