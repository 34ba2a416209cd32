import type { Installation, Models } from "../../apps/server/src/installation.ts";

const hourMs = 3_600_000;

type Rows<Table extends { createMany(args: never): unknown }> =
  NonNullable<Parameters<Table["createMany"]>[0]> extends { data: infer Data }
    ? Extract<Data, readonly unknown[]>
    : never;

/** What differs between the sessions that a test inserts. */
export type SampleSession = { title?: string; externalId?: string; firstMessage?: string; lastMessage?: string };

/**
 * Writes sessions an hour apart with everything below them, straight into the tables: for tests that read.
 * Each has two tasks with a run each; a run has two steps, two model calls and an interrupt; a task has a schedule and a
 * delivery to a webhook. Returns the sessions' ids.
 */
export async function insertSessions(
  { models, project, runtime }: Installation,
  count: number,
  change: (i: number) => SampleSession = () => ({}),
): Promise<string[]> {
  const { newId } = runtime;
  const agent = await models.agent.findFirstOrThrow({ where: { projectId: project.id, name: "echo" } });
  const owned = { projectId: project.id, scopeKey: agent.scopeKey };
  const sessions: Rows<Models["session"]> = [];
  const tasks: Rows<Models["task"]> = [];
  const runs: Rows<Models["run"]> = [];
  const steps: Rows<Models["step"]> = [];
  const modelCalls: Rows<Models["modelCall"]> = [];
  const interrupts: Rows<Models["interrupt"]> = [];
  const messages: Rows<Models["message"]> = [];
  const events: Rows<Models["event"]> = [];
  const schedules: Rows<Models["schedule"]> = [];
  const deliveries: Rows<Models["webhookDelivery"]> = [];
  const webhookId = newId();
  const lastRuns: { sessionId: string; runId: string }[] = [];
  for (let i = 0; i < count; i++) {
    const at = new Date(Date.parse("2026-03-01T00:00:00Z") + i * hourMs);
    const stamps = { createdAt: at, updatedAt: at };
    const sessionId = newId();
    const runIds = [newId(), newId()];
    const below = { sessionId, agentId: agent.id, ...owned, ...stamps };
    sessions.push({
      ...owned,
      id: sessionId,
      agentId: agent.id,
      scope: { project: project.slug },
      threadId: newId(),
      title: `Session ${i}`,
      lastSequence: 6,
      lastActivityAt: at,
      ...change(i),
      ...stamps,
    });
    for (const [n, runId] of runIds.entries()) {
      const taskId = newId();
      const stepIds = [newId(), newId()];
      tasks.push({
        ...below,
        id: taskId,
        status: "INPUT_REQUIRED",
        input: {},
        requestFingerprint: "",
        currentRunId: runId,
      });
      runs.push({
        ...below,
        id: runId,
        taskId,
        status: "INTERRUPTED",
        input: {},
        manifest: {},
        manifestDigest: "",
        parentRunId: n === 0 ? null : (runIds[0] ?? null),
        busyPolicy: "REJECT",
        queuedAt: at,
      });
      schedules.push({
        ...{ id: newId(), projectId: project.id, name: `schedule of ${taskId}`, cron: "* * * * *", enabled: false },
        ...{ overlapPolicy: "SKIP", agentName: "echo", scope: {}, input: {}, lastTaskId: taskId, ...stamps },
      });
      deliveries.push({
        ...{
          id: newId(),
          projectId: project.id,
          webhookId,
          taskId,
          event: "task.completed",
          payload: {},
          status: "DELIVERED",
          ...stamps,
        },
      });
      const ofRun = { runId, sessionId, projectId: project.id };
      for (const [seq, id] of stepIds.entries()) {
        const kind = { name: `step ${seq}`, kind: "NODE", status: "COMPLETED" };
        steps.push({ ...ofRun, ...kind, id, seq, startedAt: at, ...stamps });
        modelCalls.push({
          ...owned,
          id: newId(),
          agentId: agent.id,
          sessionId,
          runId,
          stepId: id,
          callType: "LLM",
          provider: "scripted",
          model: "m",
          status: "OK",
          startedAt: at,
          createdAt: at,
        });
      }
      const asked = { interruptId: `i${n}`, kind: "TOOL_APPROVAL", actionRequests: [], allowedDecisions: ["APPROVE"] };
      interrupts.push({ ...ofRun, ...asked, id: newId(), taskId, requestedAt: at, ...stamps });
    }
    for (const [n, content] of ["aaaa", "bb", "cccccc", "d"].entries()) {
      const role = n % 2 === 0 ? "USER" : "ASSISTANT";
      const runId = runIds[n < 2 ? 0 : 1] ?? null;
      messages.push({ ...owned, id: newId(), sessionId, runId, role, content, seq: n + 1, ...stamps });
    }
    for (let sequence = 1; sequence <= 6; sequence++) {
      const said = { type: "custom", visibility: "END_USER", payload: { value: sequence }, at, createdAt: at };
      const runId = runIds[sequence % 2] ?? null;
      events.push({ ...said, id: newId(), projectId: project.id, sessionId, runId, sequence });
    }
    lastRuns.push({ sessionId, runId: runIds[1] ?? "" });
  }
  await models.session.createMany({ data: sessions });
  await models.task.createMany({ data: tasks });
  await models.run.createMany({ data: runs });
  for (const { sessionId, runId } of lastRuns)
    await models.session.update({ where: { id: sessionId }, data: { lastRunId: runId }, select: { id: true } });
  await models.step.createMany({ data: steps });
  await models.modelCall.createMany({ data: modelCalls });
  await models.interrupt.createMany({ data: interrupts });
  await models.message.createMany({ data: messages });
  await models.event.createMany({ data: events });
  const created = { createdAt: new Date(), updatedAt: new Date() };
  const webhook = { id: webhookId, projectId: project.id, url: "https://example.com", secretCipher: "", events: [] };
  await models.webhook.create({ data: { ...webhook, ...created } });
  await models.schedule.createMany({ data: schedules });
  await models.webhookDelivery.createMany({ data: deliveries });
  return sessions.map((session) => session.id);
}
