import { sendMessage } from "@wheelhouse/runtime";
import { describe, expect, it } from "vitest";
import { expectSound, openFlowWorld, runToEnd, storageKinds } from "./flow-world.ts";

describe.each(storageKinds)("many at once on %s", { timeout: 180_000 }, (kind) => {
  it("fifty conversations run side by side, each with a whole log of its own", async () => {
    await using world = await openFlowWorld(kind);
    world.work();
    world.work();
    const conversations = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        sendMessage(world.deps, world.authority, {
          agent: "echo",
          content: i % 10 === 9 ? "fail" : `conversation ${i}`,
        }),
      ),
    );
    const ends = await Promise.all(conversations.map(({ run }) => runToEnd(world, run.id)));
    const types = ends.map((events) => events.at(-1)?.type);
    expect(types.filter((type) => type === "run.succeeded")).toHaveLength(45);
    expect(types.filter((type) => type === "run.failed")).toHaveLength(5);
    for (const { session } of conversations) await expectSound(world, session.id);
    // No run was executed by both workers.
    const runs = await world.rows.run.findMany();
    expect(runs.every(({ generation, recoveries }) => generation === 1 && recoveries === 0)).toBe(true);
  });
});
