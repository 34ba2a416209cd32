import { type ContractWorld, recount } from "@wheelhouse/storage/contract";
import { expect } from "vitest";

const ends = new Map([
  ["SUCCEEDED", "run.succeeded"],
  ["FAILED", "run.failed"],
  ["CANCELLED", "run.cancelled"],
  ["INTERRUPTED", "run.interrupted"],
]);
const taskEnds = new Map([
  ["COMPLETED", "task.completed"],
  ["FAILED", "task.failed"],
  ["CANCELLED", "task.cancelled"],
]);

/**
 * What holds for a session at any moment, in the middle of a fault too: no gap in its log, counters that equal a recount,
 * at most one active run, and for every state exactly the event that tells it. A session that does not exist is sound.
 */
export async function expectWhole({ models }: Pick<ContractWorld, "models">, sessionId: string): Promise<void> {
  const session = await models.session.findUnique({ where: { id: sessionId } });
  const counted = await recount({ models }, sessionId);
  if (session === null) {
    expect(counted.columns).toMatchObject({ lastSequence: 0, messageCount: 0, runCount: 0, taskCount: 0 });
    return;
  }
  expect(session).toMatchObject(counted.columns);
  expect(counted).toMatchObject({ gapless: true });
  expect(counted.activeRuns).toBeLessThanOrEqual(1);
  const where = { sessionId };
  const events = await models.event.findMany({ where });
  const told = (type: string, of: { runId?: string; taskId?: string }) =>
    events.filter((e) => e.type === type && (e.runId === of.runId || e.taskId === of.taskId)).length;
  for (const run of await models.run.findMany({ where })) {
    const words = { queued: 0, claimed: 0, ended: 0 };
    for (const { type, runId } of events) {
      if (runId !== run.id) continue;
      if (type === "run.queued") words.queued++;
      if (type === "run.started" || type === "run.recovered") words.claimed++;
      if ([...ends.values()].includes(type)) words.ended++;
    }
    expect(words).toEqual({ queued: 1, claimed: run.generation, ended: ends.has(run.status) ? 1 : 0 });
    const end = ends.get(run.status);
    if (end !== undefined) expect(told(end, { runId: run.id })).toBe(1);
    const asked = await models.interrupt.count({ where: { runId: run.id } });
    expect(asked > 0).toBe(run.status === "INTERRUPTED");
  }
  for (const task of await models.task.findMany({ where })) {
    const end = taskEnds.get(task.status);
    if (end !== undefined) expect(told(end, { taskId: task.id })).toBe(1);
    if (task.status === "COMPLETED" || task.status === "FAILED" || task.status === "CANCELLED")
      expect(task.currentRunId).toBeNull();
  }
  const decided = await models.interrupt.count({ where: { sessionId, decidedAt: { not: null } } });
  expect(events.filter(({ type }) => type === "interrupt.decided")).toHaveLength(decided);
}
