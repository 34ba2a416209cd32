import type { RuntimeDeps } from "./deps.ts";
import type { NeededCheckpoints } from "./graph-host.ts";
import type { PeriodicWork } from "./periodic-work.ts";

/** Sessions taken at a time, so that a process that dies holds up few. */
const batch = 20;

/**
 * Keeps the checkpoint tables bounded. A turn leaves a checkpoint per step of its graph, each with the whole state; time
 * travel needs where turns began, the latest one, and those that questions wait at.
 */
export const pruneCheckpoints: PeriodicWork = {
  name: "prune checkpoints",
  everyMs: 15_000,
  async sweep(deps, signal) {
    while (!signal.aborted) {
      const due = await deps.storage.sessions.claimPruning({ before: deps.clock.now(), limit: batch });
      for (const session of due) await pruneSession(deps, session);
      if (due.length < batch) return;
    }
  },
};

async function pruneSession(
  deps: RuntimeDeps,
  { sessionId, threadId }: { sessionId: string; threadId: string },
): Promise<void> {
  try {
    await deps.graphs.prune(threadId, () => neededBy(deps, sessionId));
  } catch (error) {
    deps.log.warn({ err: error, sessionId }, "could not prune the checkpoints of a session; it is tried again");
    await deps.storage.sessions.postponePruning(sessionId, deps.clock.now());
  }
}

async function neededBy({ storage, tunables }: RuntimeDeps, sessionId: string): Promise<NeededCheckpoints | null> {
  const anchors = await storage.sessions.checkpointAnchors(sessionId, tunables.checkpointTurns);
  if (anchors === null) return null;
  const { head, checkpointsBefore, runIds, waitingRunIds } = anchors;
  const here = "at" in head ? [head.at] : [head.after.checkpointBefore];
  return {
    checkpointIds: new Set([...checkpointsBefore, ...here.filter((id) => id !== null)]),
    runIds: new Set([...runIds, ...("after" in head ? [head.after.runId] : [])]),
    endsOfRunIds: new Set(waitingRunIds),
  };
}
