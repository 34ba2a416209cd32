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
  type WorkOptions,
  workOf,
} from "./sample-work.ts";

const approval = (world: ContractWorld, interruptId: string, expiresAt: Date | null): NewInterrupt => ({
  id: world.newId(),
  interruptId,
  kind: "TOOL_APPROVAL",
  actionRequests: [{ name: "send_mail", args: { to: "a@example.com" }, description: "" }],
  allowedDecisions: ["APPROVE", "REJECT"],
  expiresAt,
});

/** A session whose run waits for `count` answers, for so many milliseconds. */
async function waiting(world: ContractWorld, count: number, ttlMs: number | null = null, options: WorkOptions = {}) {
  const started = await startRun(world, options);
  const expiresAt = ttlMs === null ? null : new Date(world.clock.now().getTime() + ttlMs);
  const interrupts = rangeTo(count).map((n) => approval(world, `i-${n}`, expiresAt));
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
    const decide = (
      ids: readonly string[],
      decision: "APPROVE" | "EDIT" | "REJECT" = "APPROVE",
      storage = world().storage,
    ) =>
      storage.interrupts.decide(world().authority(), {
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
      const second = (await world().openSecond()) ?? world().storage;
      const outcomes = await Promise.all(
        rangeTo(6).map((n) => decide(ids, "APPROVE", n % 2 === 0 ? second : world().storage)),
      );
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

    /** A task whose question other work went past: it has ended, nothing waits for the answer, and a late one hears so. */
    const expectOvertaken = async ({ id }: { id: string }, interruptId: string) => {
      expect(await world().storage.tasks.get(world().authority(), id)).toMatchObject({
        status: "CANCELLED",
        statusReason: "the conversation went on without an answer",
      });
      expect(await world().storage.interrupts.get(world().authority(), interruptId)).toMatchObject({
        closedAt: world().clock.now(),
      });
      expect(await decide([interruptId])).toEqual({ outcome: "closed", taskId: id });
    };

    it("is over when other work begins in its session", async () => {
      const { session, task, ids } = await waiting(world(), 2);
      await decide(ids.slice(0, 1));
      const other = await submit(world(), { session: { by: "id", id: session.id } });
      await expectOvertaken(task, ids[1] ?? "");
      expect((await typesOf(world(), session.id)).slice(-4)).toEqual([
        "task.cancelled",
        "task.submitted",
        "message.user",
        "run.queued",
      ]);
      await succeed(world(), (await claimRun(world(), other.run.id)).fence);
      expect(await sessionOf(session.id)).toMatchObject({ status: "IDLE", activeRunId: null });
    });

    it("is over at once when work waits behind the run that asks", async () => {
      const { session, task, run, claimed } = await startRun(world());
      const behind = await submit(world(), { session: { by: "id", id: session.id }, policy: "ENQUEUE" });
      const question = approval(world(), "late", null);
      await world().storage.runs.finish(claimed.fence, emptyBatch, {
        ...{ status: "INTERRUPTED", interrupts: [question], at: world().clock.now() },
      });
      await expectOvertaken(task, question.id);
      expect(await world().storage.runs.get(world().authority(), run.id)).toMatchObject({ status: "INTERRUPTED" });
      expect((await typesOf(world(), session.id)).slice(-3)).toEqual([
        "interrupt.requested",
        "run.interrupted",
        "task.cancelled",
      ]);
      expect(await sessionOf(session.id)).toMatchObject({ status: "BUSY", activeRunId: behind.run.id });
      await succeed(world(), (await claimRun(world(), behind.run.id)).fence);
    });

    it("lets an answer or other work win, never both", async () => {
      const second = (await world().openSecond()) ?? world().storage;
      for (const _ of rangeTo(5)) {
        const { session, task, ids } = await waiting(world(), 1);
        const by = { by: "id", id: session.id } as const;
        const [decided, submitted] = await Promise.all([
          decide(ids),
          second.tasks.submit(world().authority(), workOf(world(), { session: by, policy: "REJECT" })),
        ]);
        expect([decided.outcome, submitted.outcome].sort()).toEqual(
          decided.outcome === "decided" ? ["busy", "decided"] : ["closed", "submitted"],
        );
        expect(await world().storage.tasks.get(world().authority(), task.id)).toMatchObject({
          status: decided.outcome === "decided" ? "WORKING" : "CANCELLED",
        });
      }
    });

    const expire = (limit = 100) => world().storage.interrupts.expire({ limit, at: world().clock.now() });
    const sessionOf = (id: string) => world().storage.sessions.get(world().authority(), id);

    it("gives a task up when nobody answered in time, and closes what it asked", async () => {
      const { session, task, run, ids } = await waiting(world(), 2, 1_000);
      await decide(ids.slice(0, 1));
      expect(await expire()).toEqual([]);
      world().clock.advance(1_000);
      expect(await expire()).toEqual([{ taskId: task.id, sessionId: session.id, interruptIds: ids.slice(1) }]);
      expect(await expire()).toEqual([]);
      expect(await sessionOf(session.id)).toMatchObject({ status: "ERROR", activeRunId: null });
      expect(await world().storage.tasks.get(world().authority(), task.id)).toMatchObject({ status: "FAILED" });
      // The run that asked had ended already, and stays as it ended.
      expect(await world().storage.runs.get(world().authority(), run.id)).toMatchObject({ status: "INTERRUPTED" });
      const closed = await Promise.all(ids.map((id) => world().storage.interrupts.get(world().authority(), id)));
      expect(closed.map((each) => each?.closedAt?.getTime())).toEqual([undefined, world().clock.now().getTime()]);
      const events = (await eventsOf(world(), session.id)).slice(-2);
      expect(events.map(({ type, payload }) => [type, payload])).toMatchObject([
        ["interrupt.expired", { interruptId: ids[1] }],
        ["task.failed", { code: "INTERRUPT_EXPIRED", status: "FAILED" }],
      ]);
      expect(await decide(ids.slice(1))).toEqual({ outcome: "closed", taskId: task.id });
    });

    it("lets an answer or the end of its time win, never both", async () => {
      const second = (await world().openSecond()) ?? world().storage;
      for (const _ of rangeTo(5)) {
        const { session, task, ids } = await waiting(world(), 1, 1_000);
        world().clock.advance(1_000);
        const [decided] = await Promise.all([
          decide(ids),
          second.interrupts.expire({ limit: 100, at: world().clock.now() }),
        ]);
        await expire();
        const types = await typesOf(world(), session.id);
        const isDecided = decided.outcome === "decided";
        expect(types.includes("interrupt.decided")).toBe(isDecided);
        expect(types.includes("interrupt.expired")).toBe(!isDecided);
        expect(await world().storage.tasks.get(world().authority(), task.id)).toMatchObject({
          status: isDecided ? "WORKING" : "FAILED",
        });
        if (decided.outcome === "decided" && decided.run !== null)
          await succeed(world(), (await claimRun(world(), decided.run.id)).fence);
      }
    });

    it("closes what a cancelled task asked", async () => {
      const { task, ids } = await waiting(world(), 1, 1_000);
      const at = world().clock.now();
      await world().storage.tasks.cancel(world().authority(), { taskId: task.id, reason: "no", at });
      expect(await world().storage.interrupts.get(world().authority(), ids[0] ?? "")).toMatchObject({ closedAt: at });
      world().clock.advance(1_000);
      expect(await expire()).toEqual([]);
    });
  });
}
