import { sendMessage } from "@wheelhouse/runtime";
import { describe, expect, it } from "vitest";
import { expectSound, openFlowWorld, runToEnd } from "../flow/flow-world.ts";

describe("a PostgreSQL that closes every idle connection", () => {
  it("costs neither the process nor the next run", async () => {
    await using world = await openFlowWorld("postgres");
    world.work();
    const first = await sendMessage(world.deps, world.authority, { agent: "echo", content: "hi" });
    expect((await runToEnd(world, first.run.id)).at(-1)?.type).toBe("run.succeeded");
    // Of the records, the models, the queue, the listener, the checkpoints and the memory, just after they were used.
    // Waits, at most 30 seconds each, until they are gone.
    const closed = await world.rows.$queryRaw<{ closed: bigint }[]>`
      SELECT count(*) FILTER (WHERE pg_terminate_backend(pid, 30000)) AS closed FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()`;
    expect(Number(closed[0]?.closed)).toBeGreaterThan(5);
    const { id: sessionId } = first.session;
    const next = await sendMessage(world.deps, world.authority, { sessionId, content: "again" });
    expect((await runToEnd(world, next.run.id)).at(-1)?.type).toBe("run.succeeded");
    await expectSound(world, sessionId);
  });
});
