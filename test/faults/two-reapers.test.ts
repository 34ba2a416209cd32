import { claimInput, expireLeases, registerGuide, startRun } from "@wheelhouse/storage/contract";
import { describe, expect, it } from "vitest";
import { openWorld } from "../worlds/open-world.ts";
import { expectWhole } from "./sound-session.ts";

describe("several processes that look for abandoned runs at once", () => {
  it("take each run exactly once", async () => {
    await using world = await openWorld("postgres");
    await registerGuide(world, world.projectId);
    const second = await world.openSecond();
    if (second === null) throw new Error("PostgreSQL has many processes");
    const started = [];
    for (let i = 0; i < 40; i++) started.push(await startRun(world));
    for (let round = 1; round <= 3; round++) {
      await expireLeases(world);
      const reapers = [world.storage, second, world.storage, second];
      const taken = await Promise.all(
        reapers.map((storage, i) => storage.runs.claim(claimInput(world, { owner: `reaper-${i}`, limit: 15 }))),
      );
      const left = await world.storage.runs.claim(claimInput(world, { owner: "reaper-late" }));
      const ids = [...taken.flat(), ...left].map(({ run }) => run.id);
      expect(ids.sort()).toEqual(started.map(({ run }) => run.id).sort());
      const fences = started.map(({ claimed }) => claimed.fence);
      expect((await second.runs.renew(fences, { leaseMs: 1 })).sort()).toEqual(ids.sort());
    }
    for (const { session } of started) await expectWhole(world, session.id);
  });
});
