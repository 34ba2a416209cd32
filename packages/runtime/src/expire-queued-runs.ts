import type { PeriodicWork } from "./periodic-work.ts";

/** Runs that one transaction ends. */
const batch = 100;

/** Ends runs that no worker has taken within `queueTimeoutMs`. */
export const expireQueuedRuns: PeriodicWork = {
  name: "queued runs that nobody takes",
  everyMs: 10_000,
  async sweep({ storage, clock, tunables, log }, signal) {
    if (tunables.queueTimeoutMs === 0) return;
    while (!signal.aborted) {
      const at = clock.now();
      const before = new Date(at.getTime() - tunables.queueTimeoutMs);
      const ended = await storage.runs.expireQueued({ before, limit: batch, at });
      if (ended > 0) log.warn({ runs: ended }, "runs waited too long for a worker and have failed");
      if (ended < batch) return;
    }
  },
};
