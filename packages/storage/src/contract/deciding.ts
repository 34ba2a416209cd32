import { describe, expect, it } from "vitest";
import type { NewInterrupt } from "../records.ts";
import type { ContractWorld, OpenContractWorld } from "./contract-world.ts";
import {
  claimRun,
  emptyBatch,
  eventsOf,
  rangeTo,
  startRun,
  submit,
  succeed,
  typesOf,
  useWorld,
} from "./sample-work.ts";

const approval = (world: ContractWorld, interruptId: string): NewInterrupt => ({
  id: world.newId(),
  interruptId,
  kind: "TOOL_APPROVAL",
  actionRequests: [{ name: "send_mail", args: { to: "a@example.com" }, description: "" }],
  allowedDecisions: ["APPROVE", "REJECT"],
  expiresAt: null,
});

/** A session whose run waits for `count` answers. */
async function waiting(world: ContractWorld, count: number) {
  const started = await startRun(world);
  const interrupts = rangeTo(count).map((n) => approval(world, `i-${n}`));
  await world.storage.runs.finish(started.claimed.fence, emptyBatch, {
    status: "INTERRUPTED",
    interrupts,
    context: { waiting: true },
    at: world.clock.now(),
  });
  return { ...started, ids: interrupts.map(({ id }) => id) };
}

/** Waiting for a human and going on with the answers. */
export function decidingContract(openWorld: OpenContractWorld): void {
  describe("deciding", () => {
    const world = useWorld(openWorld);
    const decide = (ids: readonly string[], decision: "APPROVE" | "EDIT" | "REJECT" = "APPROVE") =>
      world().storage.interrupts.decide(world().authority(), {
        decisions: ids.map((id) => ({ id, decision, value: { note: "ok" } })),
        newRunId: world().newId(),
        at: world().clock.now(),
      });

    it("asks, and leaves the session waiting", async () => {
      const { session, task, ids } = await waiting(world(), 1);
      expect(await typesOf(world(), session.id)).toEqual(
        expect.arrayContaining(["interrupt.requested", "run.interrupted", "task.input_required"]),
      );
      expect(await world().storage.sessions.get(world().authority(), session.id)).toMatchObject({
        status: "WAITING",
        activeRunId: null,
      });
      expect(await world().storage.tasks.get(world().authority(), task.id)).toMatchObject({ status: "INPUT_REQUIRED" });
      const asked = (await eventsOf(world(), session.id)).find((event) => event.type === "interrupt.requested");
      expect(asked?.payload).toMatchObject({
        interruptId: ids[0],
        actions: ["send_mail"],
        allowedDecisions: ["APPROVE", "REJECT"],
      });
    });

    it("queues the next attempt with the last answer, and hands the answers to it", async () => {
      const { session, task, run, ids } = await waiting(world(), 2);
      expect(await decide(ids.slice(0, 1))).toMatchObject({ outcome: "decided", run: null });
      const last = await decide(ids.slice(1), "REJECT");
      if (last.outcome !== "decided" || last.run === null) throw new Error("The last answer queues a run");
      expect(last.run).toMatchObject({ attempt: 2, parentRunId: run.id, status: "QUEUED", taskId: task.id });
      expect(await world().storage.runs.get(world().authority(), last.run.id)).toEqual(last.run);
      const claimed = await claimRun(world(), last.run.id);
      expect(claimed.resume).toMatchObject([
        { interruptId: "i-1", decision: "APPROVE", decisionValue: { note: "ok" }, decidedBy: "Ada" },
        { interruptId: "i-2", decision: "REJECT" },
      ]);
      expect(await succeed(world(), claimed.fence)).toBe("finished");
      expect((await typesOf(world(), session.id)).slice(-6)).toEqual([
        "interrupt.decided",
        "interrupt.decided",
        "run.queued",
        "run.started",
        "run.succeeded",
        "task.completed",
      ]);
      expect(await world().storage.sessions.get(world().authority(), session.id)).toMatchObject({ status: "IDLE" });
    });

    it("lets the first of several answers win and tells the others who it was", async () => {
      const { ids } = await waiting(world(), 1);
      const outcomes = await Promise.all(rangeTo(5).map(() => decide(ids)));
      expect(outcomes.filter(({ outcome }) => outcome === "decided")).toHaveLength(1);
      const late = outcomes.find(({ outcome }) => outcome === "alreadyDecided");
      expect(late).toMatchObject({ interrupt: { decidedBy: "Ada", decision: "APPROVE" } });
    });

    it("refuses what is not allowed, and with it the whole call", async () => {
      const { ids } = await waiting(world(), 2);
      expect(await decide(ids, "EDIT")).toMatchObject({ outcome: "notAllowed", interrupt: { id: ids[0] } });
      const foreign = (await waiting(world(), 1)).ids;
      expect(await decide([...ids, ...foreign])).toEqual({ outcome: "notFound", id: foreign[0] });
      expect(await decide(["nothing"])).toEqual({ outcome: "notFound", id: "nothing" });
      expect((await world().storage.interrupts.get(world().authority(), ids[0] ?? ""))?.decidedAt).toBeNull();
    });

    it("queues the continued task behind what the session is doing meanwhile", async () => {
      const { session, ids } = await waiting(world(), 1);
      const other = await submit(world(), { session: { by: "id", id: session.id } });
      const busy = await claimRun(world(), other.run.id);
      const decided = await decide(ids);
      if (decided.outcome !== "decided" || decided.run === null) throw new Error("The answer queues a run");
      expect(await world().models.run.findUniqueOrThrow({ where: { id: decided.run.id } })).toMatchObject({
        queuePosition: 1,
      });
      await succeed(world(), busy.fence);
      expect((await claimRun(world(), decided.run.id)).resume).toHaveLength(1);
    });

    it("keeps a session waiting when another task of it ends", async () => {
      const { session } = await waiting(world(), 1);
      const other = await submit(world(), { session: { by: "id", id: session.id } });
      await succeed(world(), (await claimRun(world(), other.run.id)).fence);
      expect(await world().storage.sessions.get(world().authority(), session.id)).toMatchObject({ status: "WAITING" });
    });
  });
}
