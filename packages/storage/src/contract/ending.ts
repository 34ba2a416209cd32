import { describe, expect, it } from "vitest";
import type { OpenContractWorld } from "./contract-world.ts";
import {
  batchOf,
  callOf,
  claimInput,
  claimRun,
  customEvent,
  emptyBatch,
  endEverything,
  eventsOf,
  messageOf,
  rangeTo,
  startRun,
  stepOf,
  submit,
  succeed,
  typesOf,
  useWorld,
} from "./sample-work.ts";

const runEnds = ["run.succeeded", "run.failed", "run.cancelled", "run.interrupted"];

/** How runs end, and that they end once. */
export function endingContract(openWorld: OpenContractWorld): void {
  describe("finishing", () => {
    const world = useWorld(openWorld);
    const rows = async (ids: { session: { id: string }; task: { id: string }; run: { id: string } }) => ({
      session: await world().models.session.findUniqueOrThrow({ where: { id: ids.session.id } }),
      task: await world().models.task.findUniqueOrThrow({ where: { id: ids.task.id } }),
      run: await world().models.run.findUniqueOrThrow({ where: { id: ids.run.id } }),
    });

    it("carries the last batch and the end in one transaction", async () => {
      const started = await startRun(world());
      world().clock.advance(1_234);
      const batch = batchOf({
        events: [customEvent(world())],
        steps: [stepOf(world())],
        messages: [messageOf(world())],
        modelCalls: [callOf(world())],
      });
      expect(await succeed(world(), started.claimed.fence, batch)).toBe("finished");
      const { session, task, run } = await rows(started);
      expect(run).toMatchObject({
        status: "SUCCEEDED",
        durationMs: 1_234,
        output: { ok: true },
        stepCount: 1,
        modelCallCount: 1,
        leaseExpiresAt: null,
      });
      expect(task).toMatchObject({ status: "COMPLETED", output: { ok: true }, currentRunId: null, lastRunId: run.id });
      expect(session).toMatchObject({
        status: "IDLE",
        activeRunId: null,
        fence: null,
        lastRunId: run.id,
        lastMessage: "Hi",
      });
      expect((await typesOf(world(), session.id)).slice(4)).toEqual([
        "custom",
        "usage.recorded",
        "run.succeeded",
        "task.completed",
      ]);
      const ofRun = (await eventsOf(world(), session.id)).filter((event) => event.runId === run.id);
      expect(ofRun.at(-1)?.type).toBe("run.succeeded");
    });

    it("leaves nothing of the batch when the end is refused", async () => {
      const started = await startRun(world());
      const interrupt = {
        id: world().newId(),
        interruptId: "i",
        kind: "QUESTION",
        actionRequests: [],
        allowedDecisions: ["RESPOND"],
        expiresAt: null,
      } as const;
      const twice = [
        { ...interrupt, allowedDecisions: [...interrupt.allowedDecisions] },
        { ...interrupt, allowedDecisions: [...interrupt.allowedDecisions] },
      ];
      const ending = { status: "INTERRUPTED", interrupts: twice, at: world().clock.now() } as const;
      const batch = batchOf({ events: [customEvent(world())], messages: [messageOf(world())] });
      await expect(
        world().storage.runs.finish(started.claimed.fence, batch, { ...ending, interrupts: twice }),
      ).rejects.toThrow();
      const { session, run } = await rows(started);
      expect(run.status).toBe("RUNNING");
      expect(session).toMatchObject({ lastSequence: 4, messageCount: 1, status: "BUSY" });
      expect(await eventsOf(world(), session.id)).toHaveLength(4);
      expect(await succeed(world(), started.claimed.fence)).toBe("finished");
    });

    it("fails a run with its code, and lets the conversation go on", async () => {
      const started = await startRun(world());
      const failure = { code: "MODEL_ERROR", message: "The model did not answer" } as const;
      await world().storage.runs.finish(started.claimed.fence, emptyBatch, {
        status: "FAILED",
        failure,
        at: world().clock.now(),
      });
      const { session, task, run } = await rows(started);
      expect(run).toMatchObject({ status: "FAILED", errorCode: "MODEL_ERROR", errorMessage: failure.message });
      expect(task).toMatchObject({ status: "FAILED", statusReason: failure.message });
      expect(session).toMatchObject({ status: "ERROR", errorCount: 1 });
      const failed = (await eventsOf(world(), session.id)).find((event) => event.type === "run.failed");
      expect(failed?.payload).toMatchObject({ code: "MODEL_ERROR", attempt: 1 });
      expect(await submit(world(), { session: { by: "id", id: session.id } })).toMatchObject({ outcome: "submitted" });
    });

    it("makes the next queued run of the session runnable", async () => {
      await endEverything(world());
      const { session, claimed } = await startRun(world());
      const next = await submit(world(), { session: { by: "id", id: session.id }, policy: "ENQUEUE" });
      await succeed(world(), claimed.fence);
      expect(await world().storage.sessions.get(world().authority(), session.id)).toMatchObject({
        status: "BUSY",
        activeRunId: next.run.id,
      });
      expect((await world().storage.runs.claim(claimInput(world()))).map(({ run }) => run.id)).toEqual([next.run.id]);
    });
  });

  describe("cancelling", () => {
    const world = useWorld(openWorld);
    const cancel = (taskId: string) =>
      world().storage.tasks.cancel(world().authority(), { taskId, reason: "changed my mind", at: world().clock.now() });

    it("ends a running run from outside, closes what it left open and fences its worker", async () => {
      const { session, task, run, claimed } = await startRun(world());
      const at = world().clock.now();
      const started = {
        type: "message.started",
        payload: { messageId: "m-1", role: "ASSISTANT" },
        visibility: "END_USER",
        at,
      } as const;
      const step = stepOf(world(), { status: "RUNNING", finishedAt: null, durationMs: null });
      await world().storage.runs.record(claimed.fence, batchOf({ events: [started], steps: [step] }));
      expect(await cancel(task.id)).toEqual({ outcome: "cancelled", taskId: task.id, runId: run.id });
      expect((await typesOf(world(), session.id)).slice(5)).toEqual([
        "step.failed",
        "message.discarded",
        "run.cancelled",
        "task.cancelled",
      ]);
      expect(await world().models.step.findUniqueOrThrow({ where: { id: step.id } })).toMatchObject({
        status: "CANCELLED",
      });
      expect(await world().storage.runs.record(claimed.fence, batchOf({ events: [customEvent(world())] }))).toEqual({
        outcome: "fenced",
      });
      expect(await world().storage.runs.renew([claimed.fence], { leaseMs: 1 })).toEqual([claimed.run.id]);
      expect(await cancel(task.id)).toEqual({ outcome: "notCancellable", taskId: task.id, status: "CANCELLED" });
    });

    it("by a run ends that run's task only while the run is queued or running", async () => {
      await endEverything(world());
      const { task, run } = await submit(world());
      const by = (runId: string, authority = world().authority()) =>
        world().storage.tasks.cancel(authority, { runId, reason: "no", at: world().clock.now() });
      expect(await by(world().newId())).toEqual({ outcome: "notFound" });
      const stranger = world().authority({ reach: "EXACT", scope: { project: "acme", user: "someone" } });
      expect(await by(run.id, stranger)).toEqual({ outcome: "notFound" });
      const claimed = await claimRun(world(), run.id);
      const asks = { interruptId: "i", kind: "QUESTION" as const, actionRequests: [], expiresAt: null };
      await world().storage.runs.finish(claimed.fence, emptyBatch, {
        status: "INTERRUPTED",
        interrupts: [{ ...asks, id: world().newId(), allowedDecisions: ["RESPOND" as const] }],
        at: world().clock.now(),
      });
      // The task waits for a human; the attempt has ended.
      expect(await by(run.id)).toEqual({ outcome: "notCancellable", taskId: task.id, status: "INTERRUPTED" });
      expect(await world().storage.tasks.get(world().authority(), task.id)).toMatchObject({ status: "INPUT_REQUIRED" });
      const queued = await submit(world());
      expect(await by(queued.run.id)).toEqual({ outcome: "cancelled", taskId: queued.task.id, runId: queued.run.id });
      const running = await startRun(world());
      const both = await Promise.all([by(running.run.id), by(running.run.id)]);
      expect(both.map(({ outcome }) => outcome).sort()).toEqual(["cancelled", "notCancellable"]);
      expect(await world().storage.runs.lost([running.claimed.fence])).toEqual([running.run.id]);
    });

    it("takes a queued head and a follower out of the queue", async () => {
      await endEverything(world());
      const head = await submit(world());
      const by = { session: { by: "id", id: head.session.id } as const, policy: "ENQUEUE" as const };
      const [second, third] = [await submit(world(), by), await submit(world(), by)];
      expect(await cancel(second.task.id)).toMatchObject({ outcome: "cancelled" });
      expect(await world().storage.sessions.get(world().authority(), head.session.id)).toMatchObject({
        status: "BUSY",
        activeRunId: head.run.id,
      });
      expect(await cancel(head.task.id)).toMatchObject({ outcome: "cancelled" });
      expect((await world().storage.runs.claim(claimInput(world()))).map(({ run }) => run.id)).toEqual([third.run.id]);
    });

    it("cancels a task that waits for a human", async () => {
      const { session, task, claimed } = await startRun(world());
      const interrupts = [
        {
          id: world().newId(),
          interruptId: "i-1",
          kind: "QUESTION" as const,
          actionRequests: [],
          allowedDecisions: ["RESPOND" as const],
          expiresAt: null,
        },
      ];
      await world().storage.runs.finish(claimed.fence, emptyBatch, {
        status: "INTERRUPTED",
        interrupts,
        at: world().clock.now(),
      });
      expect(await cancel(task.id)).toEqual({ outcome: "cancelled", taskId: task.id, runId: null });
      expect(await world().storage.sessions.get(world().authority(), session.id)).toMatchObject({ status: "IDLE" });
      expect(
        await world().storage.interrupts.decide(world().authority(), {
          decisions: [{ id: interrupts[0]?.id ?? "", decision: "RESPOND", value: 1 }],
          newRunId: world().newId(),
          at: world().clock.now(),
        }),
      ).toEqual({ outcome: "closed", taskId: task.id });
    });

    it("lets exactly one of racing ends win, and nothing be appended behind it", async () => {
      await endEverything(world());
      for (const round of rangeTo(12)) {
        const { session, task, claimed } = await startRun(world());
        const [finished, cancelled] = await Promise.all([
          succeed(world(), claimed.fence, batchOf({ events: [customEvent(world())] })),
          cancel(task.id),
          world().storage.runs.record(claimed.fence, batchOf({ events: [customEvent(world())] })),
          ...(round % 2 === 0 ? [world().storage.runs.release(claimed.fence)] : []),
          world().storage.runs.claim(claimInput(world(), { owner: "worker-2", maxRecoveries: 0 })),
        ]);
        const events = await eventsOf(world(), session.id);
        expect(events.map((event) => event.sequence)).toEqual(rangeTo(events.length));
        expect(events.filter((event) => runEnds.includes(event.type))).toHaveLength(1);
        expect(runEnds.includes(events.at(-2)?.type ?? "")).toBe(true);
        expect(finished === "finished" && cancelled.outcome === "cancelled").toBe(false);
      }
    });
  });
}
