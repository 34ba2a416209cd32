import { describe, expect, it } from "vitest";
import type { OpenContractWorld } from "./contract-world.ts";
import { batchOf, customEvent, rangeTo, startRun, submit, useWorld } from "./sample-work.ts";

/** The log in pages, sessions and their small changes. */
export function readingContract(openWorld: OpenContractWorld): void {
  describe("reading the log", () => {
    const world = useWorld(openWorld);
    const read = (
      input: { sessionId: string; after?: number; limit?: number; runId?: string; types?: string[] },
      visibilities = ["END_USER", "OPERATOR", "INTERNAL"] as const,
    ) => world().storage.events.read(world().authority({ visibilities }), { after: 0, limit: 3, ...input });

    it("pages from a cursor to the end, each event once", async () => {
      const { session, claimed } = await startRun(world());
      await world().storage.runs.record(
        claimed.fence,
        batchOf({ events: rangeTo(7).map((n) => customEvent(world(), n)) }),
      );
      const seen: number[] = [];
      for (let after = 0; ; ) {
        const page = await read({ sessionId: session.id, after });
        if (page === null || page.events.length === 0) break;
        seen.push(...page.events.map((event) => event.sequence));
        expect(page.lastSequence).toBe(11);
        after = page.scannedTo;
      }
      expect(seen).toEqual(rangeTo(11));
      expect(await read({ sessionId: session.id, after: 11 })).toEqual({
        events: [],
        scannedTo: 11,
        ...{ lastSequence: 11, firstSequence: 1 },
      });
    });

    it("says which event is the oldest that is still kept", async () => {
      const { session } = await startRun(world());
      await world().models.event.deleteMany({ where: { sessionId: session.id, sequence: { lte: 2 } } });
      expect(await read({ sessionId: session.id })).toMatchObject({ firstSequence: 3 });
      await world().models.event.deleteMany({ where: { sessionId: session.id } });
      expect(await read({ sessionId: session.id })).toMatchObject({ firstSequence: 5, lastSequence: 4 });
    });

    it("filters by type, run and visibility, and says how far it looked", async () => {
      const { session, run, claimed } = await startRun(world());
      const operator = { ...customEvent(world()), visibility: "OPERATOR" as const };
      await world().storage.runs.record(claimed.fence, batchOf({ events: [operator, customEvent(world())] }));
      const types = await read({ sessionId: session.id, limit: 10, types: ["run.queued", "run.started"] });
      expect(types?.events.map((event) => event.type)).toEqual(["run.queued", "run.started"]);
      expect(types?.scannedTo).toBe(6);
      const ofRun = await read({ sessionId: session.id, limit: 10, runId: run.id });
      expect(ofRun?.events.map((event) => event.sequence)).toEqual([2, 3, 4, 5, 6]);
      const seen = await world().storage.events.read(world().authority({ visibilities: ["END_USER"] }), {
        sessionId: session.id,
        after: 4,
        limit: 10,
      });
      expect(seen).toMatchObject({ events: [{ sequence: 6 }], scannedTo: 6 });
      expect(await read({ sessionId: session.id, limit: 10, types: [] })).toMatchObject({ events: [], scannedTo: 6 });
    });

    it("gives back what was written, and null for a session that is not there", async () => {
      const { session, run, task, claimed } = await startRun(world());
      const event = { ...customEvent(world(), { deep: [1, "ü", null] }), taskId: task.id, stepId: "step-1" };
      await world().storage.runs.record(claimed.fence, batchOf({ events: [event] }));
      const page = await read({ sessionId: session.id, after: 4 });
      expect(page?.events).toMatchObject([
        {
          type: "custom",
          payload: { value: { deep: [1, "ü", null] } },
          runId: run.id,
          taskId: task.id,
          stepId: "step-1",
          at: event.at,
          projectId: world().projectId,
        },
      ]);
      expect(await read({ sessionId: world().newId() })).toBeNull();
    });
  });

  describe("sessions", () => {
    const world = useWorld(openWorld);
    const create = (more: {
      externalId?: string;
      idempotencyKey?: string;
      requestFingerprint?: string;
      agentName?: string;
    }) =>
      world().storage.sessions.create(world().authority(), {
        agentName: "guide",
        externalId: null,
        idempotencyKey: null,
        requestFingerprint: "f",
        create: { id: world().newId(), threadId: world().newId(), title: "A title", metadata: { a: 1 } },
        at: world().clock.now(),
        ...more,
      });

    it("are created once per key and per external id, also at the same moment", async () => {
      const keyed = await Promise.all(rangeTo(5).map(() => create({ idempotencyKey: "k-1" })));
      expect(keyed.map(({ outcome }) => outcome).sort()).toEqual([
        "created",
        "existing",
        "existing",
        "existing",
        "existing",
      ]);
      const other = await create({ idempotencyKey: "k-1", requestFingerprint: "g" });
      expect(other).toEqual({
        outcome: "idempotencyConflict",
        sessionId: "session" in (keyed[0] ?? {}) && keyed[0] && "session" in keyed[0] ? keyed[0].session.id : "",
      });
      const named = await Promise.all(rangeTo(5).map(() => create({ externalId: "e-1" })));
      expect(new Set(named.map((outcome) => ("session" in outcome ? outcome.session.id : ""))).size).toBe(1);
      expect(await create({ agentName: "nobody" })).toEqual({ outcome: "agentNotFound" });
    });

    it("change title and metadata, and keep what is not named", async () => {
      const { session } = await submit(world());
      const update = (change: { title?: string | null; metadata?: Record<string, unknown> }) =>
        world().storage.sessions.update(world().authority(), session.id, { ...change, at: world().clock.now() });
      expect(await update({ title: "New", metadata: { b: [2] } })).toMatchObject({ title: "New" });
      expect(await update({ title: null })).toMatchObject({ title: null });
      expect((await world().models.session.findUniqueOrThrow({ where: { id: session.id } })).metadata).toEqual({
        b: [2],
      });
    });

    it("answer a ping", async () => {
      await expect(world().storage.ping()).resolves.toBeUndefined();
    });
  });
}
