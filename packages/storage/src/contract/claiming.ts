import { describe, expect, it } from "vitest";
import type { OpenContractWorld } from "./contract-world.ts";
import {
  batchOf,
  callOf,
  claimInput,
  claimRun,
  customEvent,
  endEverything,
  expireLeases,
  rangeTo,
  startRun,
  stepOf,
  submit,
  succeed,
  typesOf,
  useWorld,
} from "./sample-work.ts";

/** Leases, fences and takeovers. */
export function claimingContract(openWorld: OpenContractWorld): void {
  describe("claiming", () => {
    const world = useWorld(openWorld);

    it("makes the run, task and session move together", async () => {
      const { session, task, run } = await submit(world());
      const claimed = await claimRun(world(), run.id);
      expect(claimed).toMatchObject({ recovered: false, resume: null, run: { status: "RUNNING", generation: 1 } });
      expect(await world().storage.runs.get(world().authority(), run.id)).toEqual(claimed.run);
      expect(await world().storage.tasks.get(world().authority(), task.id)).toMatchObject({ status: "WORKING" });
      expect(await world().storage.sessions.get(world().authority(), session.id)).toEqual(claimed.session);
      expect((await typesOf(world(), session.id)).at(-1)).toBe("run.started");
    });

    it("lets exactly one of several concurrent claims win a run", async () => {
      await endEverything(world());
      const submitted = await Promise.all(rangeTo(12).map(() => submit(world())));
      const claims = await Promise.all(
        rangeTo(6).map((n) => world().storage.runs.claim(claimInput(world(), { owner: `worker-${n}` }))),
      );
      const ids = claims.flat().map(({ run }) => run.id);
      expect(new Set(ids).size).toBe(ids.length);
      expect([...ids].sort()).toEqual(submitted.map(({ run }) => run.id).sort());
    });

    it("fails a run whose pinned manifest cannot be read, and claims the others", async () => {
      await endEverything(world());
      const poisoned = await submit(world());
      const healthy = await submit(world());
      await world().models.run.update({ where: { id: poisoned.run.id }, data: { manifest: { agent: 7 } } });
      const claims = await world().storage.runs.claim(claimInput(world()));
      expect(claims.map(({ run }) => run.id)).toEqual([healthy.run.id]);
      const row = await world().models.run.findUnique({ where: { id: poisoned.run.id } });
      expect(row).toMatchObject({ status: "FAILED", errorCode: "CONFIG_INVALID" });
      expect((await typesOf(world(), poisoned.session.id)).slice(-2)).toEqual(["run.failed", "task.failed"]);
      expect((await submit(world(), { session: { by: "id", id: poisoned.session.id } })).run.status).toBe("QUEUED");
    });

    it("takes no more than the limit, the oldest first", async () => {
      await endEverything(world());
      const runs: string[] = [];
      for (const _ of rangeTo(3)) {
        world().clock.advance(10);
        runs.push((await submit(world())).run.id);
      }
      const first = await world().storage.runs.claim(claimInput(world(), { limit: 2 }));
      expect(first.map(({ run }) => run.id)).toEqual(runs.slice(0, 2));
    });

    it("renews a held lease and refuses a lost one", async () => {
      await endEverything(world());
      const { claimed } = await startRun(world());
      const other = await startRun(world());
      const both = [claimed.fence, other.claimed.fence];
      const beat = () => world().storage.runs.renew(both, { leaseMs: 30_000 });
      await expireLeases(world());
      // Late, but nobody else has come.
      expect(await beat()).toEqual([]);
      expect(await world().storage.runs.claim(claimInput(world()))).toEqual([]);
      expect(await world().storage.runs.lost(both)).toEqual([]);
      await world().models.run.update({ where: { id: claimed.run.id }, data: { leaseExpiresAt: new Date(0) } });
      const [taken] = await world().storage.runs.claim(claimInput(world(), { owner: "worker-2" }));
      expect(taken).toMatchObject({ recovered: true, run: { recoveries: 1, generation: 2, owner: "worker-2" } });
      expect(await world().storage.runs.lost(both)).toEqual([claimed.run.id]);
      expect(await beat()).toEqual([claimed.run.id]);
      expect((await typesOf(world(), claimed.run.sessionId)).at(-1)).toBe("run.recovered");
    });

    it("counts leases by no clock of a replica", async () => {
      await endEverything(world());
      const { claimed } = await startRun(world());
      // A replica whose clock is a year ahead finds nothing to take over.
      const ahead = new Date(world().clock.now().getTime() + 31_536_000_000);
      expect(await world().storage.runs.claim({ ...claimInput(world(), { owner: "worker-2" }), at: ahead })).toEqual(
        [],
      );
      // And the lease that it takes is not a year long.
      const { run } = await submit(world());
      const early = { ...claimInput(world(), { owner: "worker-2", leaseMs: -1 }), at: ahead };
      expect((await world().storage.runs.claim(early)).map((each) => each.run.id)).toEqual([run.id]);
      const [taken] = await world().storage.runs.claim(claimInput(world()));
      expect(taken).toMatchObject({ recovered: true, run: { id: run.id } });
      expect(await world().storage.runs.lost([claimed.fence])).toEqual([]);
    });

    it("takes exactly the runs that are named, if they can be had", async () => {
      await endEverything(world());
      const { run: first } = await submit(world());
      const { run: second, session } = await submit(world());
      const behind = await submit(world(), { session: { by: "id", id: session.id }, policy: "ENQUEUE" });
      const claim = (...runIds: string[]) => world().storage.runs.claim(claimInput(world(), { runIds }));
      const [taken] = await claim(second.id);
      expect(taken).toMatchObject({ recovered: false, run: { id: second.id } });
      // Held by a worker, a follower, nothing at all.
      expect(await claim(second.id, behind.run.id, world().newId())).toEqual([]);
      await expireLeases(world());
      expect(await claim(second.id)).toMatchObject([{ recovered: true, run: { id: second.id, generation: 2 } }]);
      const racing = await Promise.all(rangeTo(6).map(() => claim(first.id)));
      expect(racing.flat().map(({ run }) => run.id)).toEqual([first.id]);
      await endEverything(world());
      expect(await claim(first.id)).toEqual([]);
    });

    it("ends runs that waited too long, one session's one after the other", async () => {
      await endEverything(world());
      const { run, session, task } = await submit(world());
      const by = { by: "id", id: session.id } as const;
      const behind = await submit(world(), { session: by, policy: "ENQUEUE" });
      const running = await startRun(world());
      const expire = () =>
        world().storage.runs.expireQueued({
          before: new Date(world().clock.now().getTime() + 1),
          limit: 10,
          at: world().clock.now(),
        });
      // What runs is nobody's to expire: only the follower waits.
      expect(await expire()).toBe(1);
      expect(await world().models.run.findUnique({ where: { id: behind.run.id } })).toMatchObject({
        status: "FAILED",
        errorCode: "QUEUE_TIMEOUT",
      });
      expect(await expire()).toBe(0);
      expect(await world().models.run.findUnique({ where: { id: run.id } })).toMatchObject({ status: "RUNNING" });
      expect(await world().models.task.findUnique({ where: { id: task.id } })).toMatchObject({ status: "WORKING" });
      expect(await world().storage.runs.lost([running.claimed.fence])).toEqual([]);
      const head = await submit(world());
      expect(await expire()).toBe(1);
      expect((await typesOf(world(), head.session.id)).slice(-2)).toEqual(["run.failed", "task.failed"]);
      expect(await world().storage.sessions.get(world().authority(), head.session.id)).toMatchObject({
        status: "ERROR",
        activeRunId: null,
      });
    });

    it("refuses every write of a superseded owner", async () => {
      await endEverything(world());
      const { session, claimed } = await startRun(world());
      await world().storage.runs.release(claimed.fence);
      const [taken] = await world().storage.runs.claim(claimInput(world(), { owner: "worker-2" }));
      const before = await typesOf(world(), session.id);
      const batch = batchOf({ events: [customEvent(world())], steps: [stepOf(world())] });
      expect(await world().storage.runs.record(claimed.fence, batch)).toEqual({ outcome: "fenced" });
      expect(await succeed(world(), claimed.fence, batch)).toBe("fenced");
      expect(await typesOf(world(), session.id)).toEqual(before);
      expect(await world().models.step.count({ where: { sessionId: session.id } })).toBe(0);
      if (taken === undefined) throw new Error("The released run was not taken over");
      expect(await world().storage.runs.record(taken.fence, batch)).toMatchObject({ outcome: "recorded" });
      expect(await succeed(world(), taken.fence)).toBe("finished");
      expect(await succeed(world(), taken.fence)).toBe("fenced");
    });

    it("ends a run that was lost too often as WORKER_LOST and frees its session", async () => {
      await endEverything(world());
      const { session, task, run } = await submit(world());
      const claim = () => world().storage.runs.claim(claimInput(world(), { maxRecoveries: 2 }));
      for (const _ of rangeTo(3)) {
        const [taken] = await claim();
        expect(taken?.run.id).toBe(run.id);
        if (taken?.run.recoveries === 2) {
          const startedAt = world().clock.now();
          const step = stepOf(world(), { status: "RUNNING", finishedAt: null, durationMs: null, startedAt });
          await world().storage.runs.record(taken.fence, batchOf({ steps: [step] }));
        }
        await expireLeases(world());
      }
      expect(await claim()).toEqual([]);
      expect(await world().storage.runs.get(world().authority(), run.id)).toMatchObject({
        status: "FAILED",
        errorCode: "WORKER_LOST",
      });
      expect(await world().storage.tasks.get(world().authority(), task.id)).toMatchObject({ status: "FAILED" });
      expect(await world().storage.sessions.get(world().authority(), session.id)).toMatchObject({
        status: "ERROR",
        activeRunId: null,
      });
      expect((await typesOf(world(), session.id)).slice(-3)).toEqual(["step.failed", "run.failed", "task.failed"]);
      expect(await submit(world(), { session: { by: "id", id: session.id } })).toMatchObject({
        session: { status: "BUSY" },
      });
    });

    it("tells what an unfinished run left open", async () => {
      await endEverything(world());
      const { claimed } = await startRun(world());
      const at = world().clock.now();
      const role = "ASSISTANT" as const;
      const visibility = "END_USER" as const;
      const step = stepOf(world(), { status: "RUNNING", finishedAt: null, durationMs: null, seq: 4 });
      await world().storage.runs.record(
        claimed.fence,
        batchOf({
          events: [
            { type: "message.started", payload: { messageId: "m-1", role }, visibility, at },
            { type: "message.started", payload: { messageId: "m-2", role }, visibility, at },
            { type: "message.completed", payload: { messageId: "m-1", role, length: 0 }, visibility, at },
          ],
          steps: [step, stepOf(world(), { seq: 3 })],
          modelCalls: [
            callOf(world(), { totalTokens: 7 }),
            callOf(world(), { totalTokens: 5 }),
            callOf(world(), { totalTokens: null }),
          ],
        }),
      );
      const open = await world().storage.runs.openEnds(claimed.fence);
      expect(open.steps).toMatchObject([{ id: step.id, seq: 4, startedAt: at }]);
      expect(open).toMatchObject({ messageIds: ["m-2"], lastStepSeq: 4, tokensUsed: 12 });
      expect(open.recordedMessageIds).toHaveLength(1);
    });
  });
}
