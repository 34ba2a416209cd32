import { describe, expect, it } from "vitest";
import type { OpenContractWorld } from "./contract-world.ts";
import {
  claimInput,
  claimRun,
  endEverything,
  eventsOf,
  newSession,
  rangeTo,
  registerGuide,
  startRun,
  submit,
  succeed,
  typesOf,
  useWorld,
  workOf,
} from "./sample-work.ts";

/** One transaction writes a task, its run, the message and their events; idempotency; one active run. */
export function submittingContract(openWorld: OpenContractWorld): void {
  describe("submitting work", () => {
    const world = useWorld(openWorld);

    it("writes session, task, run, message and events together", async () => {
      const { session, task, run, sequenceBefore } = await submit(world(), { content: "What is  a\nlease?" });
      expect(sequenceBefore).toBe(0);
      expect(session).toMatchObject({ status: "BUSY", lastSequence: 3, activeRunId: run.id, agentName: "guide" });
      expect(await typesOf(world(), session.id)).toEqual(["task.submitted", "message.user", "run.queued"]);
      expect(await world().storage.sessions.get(world().authority(), session.id)).toEqual(session);
      expect(await world().storage.tasks.get(world().authority(), task.id)).toEqual(task);
      expect(await world().storage.runs.get(world().authority(), run.id)).toEqual(run);
      const row = await world().models.session.findUniqueOrThrow({ where: { id: session.id } });
      expect(row).toMatchObject({
        firstMessage: "What is a lease?",
        lastMessage: "What is a lease?",
        lastRunId: run.id,
      });
    });

    it("joins the session of an external id, also when two first turns arrive together", async () => {
      const outcomes = await Promise.all(
        rangeTo(8).map(() => {
          const session = { by: "externalId", externalId: "chat-7", create: newSession(world()) } as const;
          return submit(world(), { session, policy: "ENQUEUE" });
        }),
      );
      expect(new Set(outcomes.map(({ session }) => session.id)).size).toBe(1);
      const events = await eventsOf(world(), outcomes[0]?.session.id ?? "");
      expect(events.map((event) => event.sequence)).toEqual(rangeTo(24));
      const found = await world().storage.sessions.findByExternalId(world().authority(), "guide", "chat-7");
      expect(found?.id).toBe(outcomes[0]?.session.id);
    });

    it("returns the same task for the same key and request, and a conflict for another request", async () => {
      const keyed = { idempotencyKey: "order-1", fingerprint: "a" };
      const outcomes = await Promise.all(
        rangeTo(6).map(() => world().storage.tasks.submit(world().authority(), workOf(world(), keyed))),
      );
      expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual([
        "reused",
        "reused",
        "reused",
        "reused",
        "reused",
        "submitted",
      ]);
      const ids = outcomes.map((outcome) => ("task" in outcome ? outcome.task.id : ""));
      expect(new Set(ids).size).toBe(1);
      const other = await world().storage.tasks.submit(
        world().authority(),
        workOf(world(), { ...keyed, fingerprint: "b" }),
      );
      expect(other).toEqual({ outcome: "idempotencyConflict", taskId: ids[0] });
      expect(await world().models.task.count({ where: { idempotencyKey: "order-1" } })).toBe(1);
    });

    it("tells a reused task's place in the log", async () => {
      const { session, claimed } = await startRun(world());
      await succeed(world(), claimed.fence);
      const by = { session: { by: "id", id: session.id } as const, idempotencyKey: "order-2" };
      const first = await submit(world(), by);
      const again = await world().storage.tasks.submit(world().authority(), workOf(world(), by));
      expect(again).toMatchObject({ outcome: "reused", sequenceBefore: first.sequenceBefore });
      expect(first.sequenceBefore).toBeGreaterThan(3);
    });

    it("says which agent a session has, which agent is unknown, and that a session has ended", async () => {
      const { session } = await submit(world());
      await registerGuide(world(), world().projectId, "other");
      const by = { by: "id", id: session.id } as const;
      const send = (options: Parameters<typeof workOf>[1]) =>
        world().storage.tasks.submit(world().authority(), workOf(world(), options));
      expect(await send({ session: by, agentName: "other" })).toEqual({ outcome: "agentMismatch", agentName: "guide" });
      expect(await send({ agentName: "nobody" })).toEqual({ outcome: "agentNotFound" });
      expect(await send({ session: { by: "id", id: world().newId() } })).toEqual({ outcome: "notFound" });
      await world().models.session.update({
        where: { id: session.id },
        data: { status: "EXPIRED", activeRunId: null },
      });
      expect(await send({ session: by })).toEqual({ outcome: "expired" });
    });

    it("leaves nothing behind when the database refuses in the middle", async () => {
      const taken = await submit(world());
      const work = workOf(world());
      const broken = { ...work, run: { ...work.run, id: taken.run.id } };
      await expect(world().storage.tasks.submit(world().authority(), broken)).rejects.toThrow();
      expect(await world().models.task.findUnique({ where: { id: work.task.id } })).toBeNull();
      expect(await world().models.message.findUnique({ where: { id: work.message?.id ?? "" } })).toBeNull();
      const session = work.session.by === "new" ? work.session.create.id : "";
      expect(await world().storage.sessions.get(world().authority(), session)).toBeNull();
    });
  });

  describe("a busy session", () => {
    const world = useWorld(openWorld);
    const fiftyAtOnce = async (policy: "REJECT" | "ENQUEUE" | "INTERRUPT") => {
      await endEverything(world());
      const { session, run } = await startRun(world());
      const by = { by: "id", id: session.id } as const;
      const outcomes = await Promise.all(
        rangeTo(50).map(() =>
          world().storage.tasks.submit(world().authority(), workOf(world(), { session: by, policy })),
        ),
      );
      const runs = await world().models.run.findMany({ where: { sessionId: session.id } });
      const active = runs.filter((r) => ["QUEUED", "RUNNING"].includes(r.status) && r.queuePosition === null);
      return { session, run, outcomes, runs, active };
    };

    it("has one active run, whoever writes to the database; followers with a place in the queue may wait", async () => {
      const { run } = await startRun(world());
      const row = await world().models.run.findUniqueOrThrow({ where: { id: run.id } });
      const another = (more: object) => ({ ...JSON.parse(JSON.stringify(row)), id: world().newId(), ...more });
      await expect(world().models.run.create({ data: another({}) })).rejects.toThrow(/unique/i);
      await world().models.run.create({ data: another({ status: "QUEUED", queuePosition: 1 }) });
      await world().models.run.create({ data: another({ status: "SUCCEEDED" }) });
    });

    it("refuses all of 50 under REJECT and names the active run", async () => {
      const { run, outcomes, active, runs } = await fiftyAtOnce("REJECT");
      expect(outcomes.every((o) => o.outcome === "busy" && o.activeRunId === run.id)).toBe(true);
      expect(active.map(({ id }) => id)).toEqual([run.id]);
      expect(runs).toHaveLength(1);
    });

    it("queues all of 50 under ENQUEUE in one order, and runs them one by one", async () => {
      const { session, run, outcomes, active, runs } = await fiftyAtOnce("ENQUEUE");
      expect(outcomes.every((o) => o.outcome === "submitted")).toBe(true);
      expect(active.map(({ id }) => id)).toEqual([run.id]);
      const positions = runs.map((r) => r.queuePosition).filter((p) => p !== null);
      expect(positions.sort((a, b) => a - b)).toEqual(rangeTo(50));
      const order = runs
        .filter((r) => r.queuePosition !== null)
        .sort((a, b) => (a.queuePosition ?? 0) - (b.queuePosition ?? 0));
      expect(await world().storage.runs.claim(claimInput(world()))).toEqual([]);
      await succeed(world(), { runId: run.id, sessionId: session.id, owner: "worker-1", generation: 1 });
      const next = await claimRun(world(), order[0]?.id ?? "");
      expect(next.run.id).toBe(order[0]?.id);
      expect(next.session.status).toBe("BUSY");
    });

    it("leaves one of 50 under INTERRUPT, the others cancelled, the log gapless", async () => {
      const { session, outcomes, active, runs } = await fiftyAtOnce("INTERRUPT");
      expect(outcomes.every((o) => o.outcome === "submitted")).toBe(true);
      expect(active).toHaveLength(1);
      expect(runs.filter((r) => r.status === "CANCELLED")).toHaveLength(50);
      const events = await eventsOf(world(), session.id);
      expect(events.map((event) => event.sequence)).toEqual(rangeTo(events.length));
      expect(events.filter((event) => event.type === "run.cancelled")).toHaveLength(50);
    });
  });
}
