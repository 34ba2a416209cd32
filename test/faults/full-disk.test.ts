import { sendMessage } from "@wheelhouse/runtime";
import { describe, expect, it } from "vitest";
import { expectSound, type FlowWorld, openFlowWorld, runToEnd } from "../flow/flow-world.ts";
import { expectWhole } from "./sound-session.ts";

/** The file may not grow any more; SQLite then answers what it answers on a full disk. */
async function fill(world: FlowWorld): Promise<void> {
  const [row] = await world.rows.$queryRawUnsafe<{ page_count: bigint }[]>("PRAGMA page_count");
  await world.rows.$queryRawUnsafe(`PRAGMA max_page_count = ${row?.page_count}`);
}

const makeRoom = (world: FlowWorld) => world.rows.$queryRawUnsafe("PRAGMA max_page_count = 1073741823");

describe("a disk that is full, on SQLite", () => {
  it("refuses work as a whole, and the work at hand goes on when there is room again", async () => {
    await using world = await openFlowWorld("sqlite");
    const worker = world.work();
    const { run, session } = await sendMessage(world.deps, world.authority, { agent: "stages", content: "go" });
    await world.gates.reached("second");
    await fill(world);
    const big = "x".repeat(500_000);
    const refused = sendMessage(world.deps, world.authority, { agent: "echo", content: big });
    await expect(refused).rejects.toThrow(/full/);
    expect(await world.rows.session.count()).toBe(1);
    await expectWhole({ models: world.rows }, session.id);
    // Small pages may still be free; whatever the run says now that finds no place makes its worker let go of it.
    world.gates.open("second");
    await expect.poll(() => worker.running, { timeout: 30_000 }).toBe(0);
    await makeRoom(world);
    await world.deps.storage.runs.releaseAll();
    expect((await runToEnd(world, run.id)).at(-1)?.type).toBe("run.succeeded");
    await expectSound(world, session.id);
    const next = await sendMessage(world.deps, world.authority, { agent: "echo", content: "and now?" });
    expect((await runToEnd(world, next.run.id)).at(-1)?.type).toBe("run.succeeded");
    await expectWhole({ models: world.rows }, next.session.id);
  });
});
