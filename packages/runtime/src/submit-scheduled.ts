import { type Authority, type BusyPolicy, isFinalTask, type OverlapPolicy, Refusal } from "@wheelhouse/domain";
import { scopeKeyOf } from "@wheelhouse/domain/digest";
import type { ScheduleRecord } from "@wheelhouse/storage";
import { cancelTask } from "./cancel-task.ts";
import type { RuntimeDeps } from "./deps.ts";
import { type SubmittedTask, submitTask } from "./submit-task.ts";

/** Of a session that is new each time, none is ever busy. */
const busyPolicies: Record<OverlapPolicy, BusyPolicy> = {
  SKIP: "REJECT",
  ENQUEUE: "ENQUEUE",
  INTERRUPT: "INTERRUPT",
  ALLOW: "REJECT",
};

/**
 * Submits the work of a schedule once: the same `key` never makes a second task. Refuses with BUSY when the overlap policy
 * leaves this time out, and as submitTask does. `scheduledFor` is the time it was due for, null when a person asked.
 */
export async function submitScheduled(
  deps: RuntimeDeps,
  schedule: ScheduleRecord,
  { key, scheduledFor }: { key: string | null; scheduledFor: Date | null },
): Promise<SubmittedTask> {
  const authority = authorityOf(schedule);
  await makeRoom(deps, authority, schedule);
  return submitTask(deps, authority, {
    externalId: schedule.sessionPolicy === "SAME" ? `schedule:${schedule.name}` : null,
    agent: schedule.agentName,
    input: schedule.input,
    idempotencyKey: key,
    busyPolicy: busyPolicies[schedule.overlapPolicy],
    metadata: {
      schedule: schedule.name,
      ...(scheduledFor !== null && { scheduledFor: scheduledFor.toISOString() }),
    },
  });
}

/** A schedule acts in its own scope and nowhere else. */
const authorityOf = ({ id, projectId, scope, name }: ScheduleRecord): Authority => ({
  ...{ projectId, reach: "EXACT", scope, scopeKey: scopeKeyOf(scope), role: "OPERATOR", visibilities: ["END_USER"] },
  actor: { kind: "SYSTEM", id, name: `the schedule ${name}` },
});

/** What the overlap policy says when the task before has not ended, running or waiting for a human. */
async function makeRoom(deps: RuntimeDeps, authority: Authority, schedule: ScheduleRecord): Promise<void> {
  const { lastTaskId, overlapPolicy } = schedule;
  if (lastTaskId === null || overlapPolicy === "ENQUEUE" || overlapPolicy === "ALLOW") return;
  const before = await deps.storage.tasks.get(authority, lastTaskId);
  if (before === null || isFinalTask(before.status)) return;
  if (overlapPolicy === "SKIP")
    throw new Refusal("BUSY", "Left out: the task before has not ended", {
      detail: { taskId: lastTaskId, ...(before.currentRunId === null ? {} : { runId: before.currentRunId }) },
    });
  try {
    await cancelTask(deps, authority, { taskId: lastTaskId, reason: "Replaced by the next time of its schedule" });
  } catch (error) {
    // It ended by itself meanwhile, which is as good.
    if (!(error instanceof Refusal && error.code === "NOT_CANCELLABLE")) throw error;
  }
}
