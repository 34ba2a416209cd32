import { describe, expect, it } from "vitest";
import type { RunTaker, Storage } from "../port.ts";
import type { ClaimedRun } from "../records.ts";
import type { ContractWorld, OpenContractWorld } from "./contract-world.ts";
import { claimInput, endEverything, expireLeases, rangeTo, submit, succeed, useWorld } from "./sample-work.ts";

interface TestTaker extends RunTaker {
  /** What it has taken, in order. */
  taken: ClaimedRun[];
  /** How often it was asked whether it has a place. */
  asked: number;
  places: number;
  /** Takes that fail before they reach the database. */
  failures: number;
}

function takerOf(world: ContractWorld, storage: Storage, owner: string): TestTaker {
  const taker: TestTaker = {
    ...{ taken: [], asked: 0, places: 100, failures: 0 },
    free() {
      taker.asked++;
      return taker.places;
    },
    async take(runId) {
      if (taker.failures > 0) {
        taker.failures--;
        throw new Error("the database could not be asked");
      }
      const which = runId === null ? {} : { runIds: [runId] };
      const limit = runId === null ? taker.places : 1;
      const claimed = await storage.runs.claim({ ...claimInput(world, { owner, limit }), ...which });
      taker.places -= claimed.length;
      taker.taken.push(...claimed);
    },
  };
  return taker;
}

/** The test's deadline is the limit. */
const until = async (condition: () => boolean): Promise<void> => {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
};

/** Runnable runs reach a worker. */
export function dispatchingContract(openWorld: OpenContractWorld): void {
  describe("dispatching", () => {
    const world = useWorld(openWorld);
    const wish = { pollMs: 50, concurrency: 10 };
    const start = (taker: TestTaker, storage = world().storage) => storage.dispatch.start(taker, wish);
    const idsOf = (taker: TestTaker) => taker.taken.map(({ run }) => run.id).sort();

    it("brings what is there and what comes, each run once, also to several workers", async () => {
      await endEverything(world());
      const early = await Promise.all(rangeTo(3).map(() => submit(world())));
      const second = (await world().openSecond()) ?? world().storage;
      const takers = [takerOf(world(), world().storage, "worker-1"), takerOf(world(), second, "worker-2")] as const;
      await using _one = start(takers[0]);
      await using _two = start(takers[1], second);
      const late = await Promise.all(rangeTo(9).map(() => submit(world())));
      await until(() => takers[0].taken.length + takers[1].taken.length >= 12);
      const submitted = [...early, ...late].map(({ run }) => run.id).sort();
      expect([...idsOf(takers[0]), ...idsOf(takers[1])].sort()).toEqual(submitted);
    });

    it("brings the next run of a session when the one before has ended", async () => {
      await endEverything(world());
      const { session, run } = await submit(world());
      const by = { by: "id", id: session.id } as const;
      const behind = await submit(world(), { session: by, policy: "ENQUEUE" });
      const taker = takerOf(world(), world().storage, "worker-1");
      await using _dispatching = start(taker);
      await until(() => taker.taken.length === 1);
      const [first] = taker.taken;
      expect(first?.run.id).toBe(run.id);
      if (first !== undefined) await succeed(world(), first.fence);
      await until(() => taker.taken.length === 2);
      expect(taker.taken[1]?.run.id).toBe(behind.run.id);
    });

    it("brings a run again that was let go, and one whose lease has expired", async () => {
      await endEverything(world());
      const { run } = await submit(world());
      const taker = takerOf(world(), world().storage, "worker-1");
      await using _dispatching = start(taker);
      await until(() => taker.taken.length === 1);
      const [first] = taker.taken;
      if (first !== undefined) await world().storage.runs.release(first.fence);
      await until(() => taker.taken.length === 2);
      await expireLeases(world());
      // Two sweeps at once are as good as one.
      await Promise.all([world().storage.dispatch.recoverExpired(), world().storage.dispatch.recoverExpired()]);
      await until(() => taker.taken.length === 3);
      expect(taker.taken.map(({ run, recovered }) => [run.id, recovered, run.generation])).toEqual([
        [run.id, false, 1],
        [run.id, true, 2],
        [run.id, true, 3],
      ]);
      expect(await world().storage.dispatch.recoverExpired()).toBe(0);
    });

    it("leaves a full worker alone until it has a place", async () => {
      await endEverything(world());
      const taker = takerOf(world(), world().storage, "worker-1");
      taker.places = 0;
      await using dispatching = start(taker);
      await until(() => taker.asked > 0);
      const { run } = await submit(world());
      const asked = taker.asked;
      // It has been looked at again, and again left alone.
      await until(() => taker.asked > asked + 8);
      expect(taker.taken).toEqual([]);
      taker.places = 1;
      dispatching.placeFree();
      await until(() => taker.taken.length === 1);
      expect(idsOf(taker)).toEqual([run.id]);
    });

    it("tries again when the worker could not ask the database", async () => {
      await endEverything(world());
      const taker = takerOf(world(), world().storage, "worker-1");
      taker.failures = 1;
      await using dispatching = start(taker);
      const startedAt = dispatching.lookedAt;
      const { run } = await submit(world());
      await until(() => taker.taken.length === 1);
      expect(idsOf(taker)).toEqual([run.id]);
      expect(taker.failures).toBe(0);
      await until(() => dispatching.lookedAt > startedAt);
    });

    it("knows which workers are alive, by the database's clock", async () => {
      const { workers } = world().storage;
      const startedAt = world().clock.now();
      const worker = { id: "w-1", role: "worker", host: "h", version: "1.0.0", running: 0, startedAt };
      await workers.beat(worker, { forgetAfterMs: 60_000 });
      await workers.beat({ ...worker, running: 3 }, { forgetAfterMs: 60_000 });
      await workers.beat({ ...worker, id: "w-2" }, { forgetAfterMs: 60_000 });
      world().clock.advance(86_400_000);
      const live = await workers.live(30_000);
      expect(live.map(({ id, running }) => [id, running])).toEqual([
        ["w-1", 3],
        ["w-2", 0],
      ]);
      expect(live[0]).toMatchObject({ role: "worker", host: "h", version: "1.0.0", startedAt });
      expect(await workers.live(-60_000)).toEqual([]);
      await workers.remove("w-1");
      expect((await workers.live(30_000)).map(({ id }) => id)).toEqual(["w-2"]);
      // Whoever has been silent for that long is forgotten.
      await workers.beat({ ...worker, id: "w-3" }, { forgetAfterMs: -60_000 });
      expect((await workers.live(30_000)).map(({ id }) => id)).toEqual(["w-3"]);
    });
  });
}
