import { describe, expect, it } from "vitest";
import type { OpenContractWorld } from "./contract-world.ts";
import {
  batchOf,
  claimRun,
  emptyBatch,
  eventsOf,
  messageOf,
  startRun,
  submit,
  succeed,
  useWorld,
} from "./sample-work.ts";

const failure = { code: "MODEL_ERROR" as const, message: "The model did not answer" };

/** A task that failed works again, from where its last run began. */
export function retryingContract(openWorld: OpenContractWorld): void {
  describe("retrying", () => {
    const world = useWorld(openWorld);
    const retry = (taskId: string) =>
      world().storage.tasks.retry(world().authority(), {
        taskId,
        newRunId: world().newId(),
        traceId: null,
        at: world().clock.now(),
      });
    /** A conversation of one good turn and one that fails after it has said something. */
    const failing = async () => {
      const first = await startRun(world(), { content: "one" });
      const at = world().clock.now();
      const { runs } = world().storage;
      await runs.finish(first.claimed.fence, emptyBatch, { status: "SUCCEEDED", checkpointId: "c1", at });
      world().clock.advance(10);
      const by = { by: "id", id: first.session.id } as const;
      const second = await startRun(world(), { session: by, content: "two" });
      const said = batchOf({ messages: [messageOf(world(), { content: "Hm" })] });
      await runs.finish(second.claimed.fence, said, { status: "FAILED", failure, checkpointId: "c2", at });
      world().clock.advance(10);
      return { by, second };
    };

    it("queues another run of the same task where the failed one began", async () => {
      const { by, second } = await failing();
      const outcome = await retry(second.task.id);
      if (outcome.outcome !== "submitted") throw new Error(outcome.outcome);
      expect(outcome.run).toMatchObject({ attempt: 2, parentRunId: second.run.id, taskId: second.task.id });
      expect(await world().storage.runs.get(world().authority(), outcome.run.id)).toEqual(outcome.run);
      expect(await world().storage.tasks.get(world().authority(), second.task.id)).toEqual(outcome.task);
      expect(await world().storage.sessions.get(world().authority(), by.id)).toEqual(outcome.session);
      expect(outcome.task.status).toBe("WORKING");
      const claimed = await claimRun(world(), outcome.run.id);
      expect(claimed).toMatchObject({ head: { at: "c1" }, resume: null });
      const rows = await world().models.message.findMany({ where: { sessionId: by.id }, orderBy: { seq: "asc" } });
      expect(rows.map(({ content }) => content)).toEqual(["one", "two"]);
      const events = (await eventsOf(world(), by.id)).filter(({ sequence }) => sequence > outcome.sequenceBefore);
      expect(events.map(({ type }) => type)).toEqual(["message.discarded", "run.queued", "run.started"]);
    });

    it("may be done again when it fails again", async () => {
      const { second } = await failing();
      const again = await retry(second.task.id);
      if (again.outcome !== "submitted") throw new Error(again.outcome);
      const claimed = await claimRun(world(), again.run.id);
      await world().storage.runs.finish(claimed.fence, emptyBatch, {
        status: "FAILED",
        failure,
        at: world().clock.now(),
      });
      const third = await retry(second.task.id);
      if (third.outcome !== "submitted") throw new Error(third.outcome);
      expect(third.run).toMatchObject({ attempt: 3, parentRunId: again.run.id });
      expect((await claimRun(world(), third.run.id)).head).toEqual({ at: "c1" });
    });

    it("is refused while something runs, after other work, and for a task that did not fail", async () => {
      const { by, second } = await failing();
      const third = await submit(world(), { session: by });
      expect(await retry(second.task.id)).toEqual({
        outcome: "busy",
        activeRunId: third.run.id,
        activeTaskId: third.task.id,
      });
      await succeed(world(), (await claimRun(world(), third.run.id)).fence);
      expect(await retry(second.task.id)).toEqual({ outcome: "notRetryable", status: "FAILED", why: "movedOn" });
      expect(await retry(third.task.id)).toEqual({ outcome: "notRetryable", status: "COMPLETED", why: "status" });
      expect(await retry(world().newId())).toEqual({ outcome: "notFound" });
    });

    it("of a cancelled task goes the same way, also when it never began", async () => {
      const first = await submit(world(), { content: "one" });
      const at = world().clock.now();
      await world().storage.tasks.cancel(world().authority(), { taskId: first.task.id, reason: "no", at });
      const outcome = await retry(first.task.id);
      if (outcome.outcome !== "submitted") throw new Error(outcome.outcome);
      expect((await claimRun(world(), outcome.run.id)).head).toEqual({ at: null });
      const rows = await world().models.message.findMany({ where: { sessionId: first.session.id } });
      expect(rows.map(({ content }) => content)).toEqual(["one"]);
    });

    it("one of two that arrive together wins", async () => {
      const { second } = await failing();
      const outcomes = await Promise.all([retry(second.task.id), retry(second.task.id)]);
      expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual(["notRetryable", "submitted"]);
    });

    it("of a run that had a human's answers goes on with them again", async () => {
      const first = await startRun(world());
      const interrupt = {
        id: world().newId(),
        interruptId: "i-1",
        kind: "QUESTION" as const,
        actionRequests: [],
        allowedDecisions: ["RESPOND" as const],
        expiresAt: null,
      };
      const { runs, interrupts } = world().storage;
      await runs.finish(first.claimed.fence, batchOf({ messages: [messageOf(world(), { content: "May I?" })] }), {
        status: "INTERRUPTED",
        interrupts: [interrupt],
        checkpointId: "c1",
        at: world().clock.now(),
      });
      const decided = await interrupts.decide(world().authority(), {
        decisions: [{ id: interrupt.id, decision: "RESPOND", value: "yes" }],
        newRunId: world().newId(),
        at: world().clock.now(),
      });
      if (decided.outcome !== "decided" || decided.run === null) throw new Error("It was the only question");
      const resumed = await claimRun(world(), decided.run.id);
      expect(resumed.resume?.map(({ decisionValue }) => decisionValue)).toEqual(["yes"]);
      const said = batchOf({ messages: [messageOf(world(), { content: "Then I will" })] });
      await runs.finish(resumed.fence, said, { status: "FAILED", failure, at: world().clock.now() });
      const outcome = await retry(first.task.id);
      if (outcome.outcome !== "submitted") throw new Error(outcome.outcome);
      const again = await claimRun(world(), outcome.run.id);
      expect(again).toMatchObject({ head: { at: "c1" } });
      expect(again.resume?.map(({ decisionValue }) => decisionValue)).toEqual(["yes"]);
      const rows = await world().models.message.findMany({
        where: { sessionId: first.session.id },
        orderBy: { seq: "asc" },
      });
      expect(rows.map(({ content }) => content)).toEqual(["Hello", "May I?"]);
    });
  });
}
