import { sendMessage } from "@wheelhouse/runtime";
import { describe, expect, it } from "vitest";
import { expectSound, logOf, openFlowWorld, runToEnd, storageKinds, untilEvent } from "./flow-world.ts";
import { killable } from "./killable.ts";

describe.each(storageKinds)("a killed worker on %s", { timeout: 120_000 }, (kind) => {
  it("loses no run: another one goes on from the checkpoint, and nothing is told twice", async () => {
    await using world = await openFlowWorld(kind);
    const first = killable(world);
    world.work(first.deps);
    const { run, session } = await sendMessage(world.deps, world.authority, { agent: "stages", content: "go" });
    await world.gates.reached("second");
    // The second node has begun to speak, and what it said is in the log.
    const isSecond = (payload: Record<string, unknown>) => payload.name === "second";
    await untilEvent(world, session.id, ({ type, payload }) => type === "step.started" && isSecond(payload));
    first.kill();
    world.gates.open("second");
    await world.expireLeases();
    world.work();
    const events = await runToEnd(world, run.id);
    const types = events.map(({ type }) => type);
    expect(types.filter((type) => type === "run.started" || type === "run.recovered")).toEqual([
      "run.started",
      "run.recovered",
    ]);
    expect(types.at(-1)).toBe("run.succeeded");
    expect(types).toContain("step.failed");
    await expectSound(world, session.id);
    const rows = await world.rows.message.findMany({ where: { sessionId: session.id }, orderBy: { seq: "asc" } });
    expect(rows.map(({ role, content }) => [role, content])).toEqual([
      ["USER", "go"],
      ["ASSISTANT", "You said: go"],
      ["ASSISTANT", "You said: go"],
      ["ASSISTANT", "All three stages are done."],
    ]);
    const { recoveries } = await world.rows.run.findUniqueOrThrow({ where: { id: run.id } });
    expect(recoveries).toBe(1);
    const next = await sendMessage(world.deps, world.authority, { sessionId: session.id, content: "still here?" });
    expect((await runToEnd(world, next.run.id)).at(-1)?.type).toBe("run.succeeded");
    await expectSound(world, session.id);
  });

  it("may have died between the checkpoint and the log", async () => {
    await using world = await openFlowWorld(kind, { flushMs: 60_000, flushEvents: 100_000, flushBytes: 100_000_000 });
    const first = killable(world);
    // Not even the first words are written.
    const record = (): Promise<never> =>
      new Promise((_, reject) => {
        first.killed.addEventListener("abort", () => reject(new Error("killed")), { once: true });
      });
    world.work({ ...first.deps, storage: { ...first.deps.storage, runs: { ...first.deps.storage.runs, record } } });
    const { run, session } = await sendMessage(world.deps, world.authority, { agent: "stages", content: "go" });
    await world.gates.reached("second");
    first.kill();
    world.gates.open("second");
    await world.expireLeases();
    world.work();
    const events = await runToEnd(world, run.id);
    expect(events.at(-1)?.type).toBe("run.succeeded");
    const recovered = events.filter(({ payload }) => payload.recovered === true);
    expect(recovered.map(({ type }) => type)).toEqual(["message.started", "message.delta", "message.completed"]);
    await expectSound(world, session.id);
  });

  it("may have died with everything done but the end not written", async () => {
    await using world = await openFlowWorld(kind);
    const first = killable(world);
    const finish = async (): Promise<never> => {
      first.kill();
      throw new Error("killed");
    };
    const dying = world.work({
      ...first.deps,
      storage: { ...first.deps.storage, runs: { ...first.deps.storage.runs, finish } },
    });
    const { run, session } = await sendMessage(world.deps, world.authority, { agent: "echo", content: "go" });
    await expect.poll(() => first.killed.aborted && dying.running === 0, { timeout: 60_000 }).toBe(true);
    await world.expireLeases();
    world.work();
    const events = await runToEnd(world, run.id);
    expect(events.at(-1)).toMatchObject({ type: "run.succeeded" });
    await expectSound(world, session.id);
    const rows = await world.rows.message.findMany({ where: { sessionId: session.id }, orderBy: { seq: "asc" } });
    expect(rows.map(({ content }) => content)).toEqual(["go", "You said: go"]);
  });

  it("gives up a run that kills whoever takes it", async () => {
    await using world = await openFlowWorld(kind);
    const { run, session } = await sendMessage(world.deps, world.authority, { agent: "stages", content: "go" });
    for (let i = 0; i <= world.deps.tunables.maxRecoveries; i++) {
      const victim = killable(world);
      world.work(victim.deps);
      const claims = ({ type }: { type: string }) => type === "run.started" || type === "run.recovered";
      await expect.poll(async () => (await logOf(world, session.id)).filter(claims).length).toBe(i + 1);
      victim.kill();
      await world.expireLeases();
    }
    world.work();
    expect((await runToEnd(world, run.id)).at(-1)).toMatchObject({
      type: "run.failed",
      payload: { code: "WORKER_LOST" },
    });
    await expectSound(world, session.id);
  });

  it("writes nothing more when it was only slow", async () => {
    await using world = await openFlowWorld(kind);
    const slow = world.work();
    const { run, session } = await sendMessage(world.deps, world.authority, { agent: "stages", content: "go" });
    await world.gates.reached("second");
    await world.expireLeases();
    world.work();
    await untilEvent(world, session.id, ({ type }) => type === "run.recovered");
    world.gates.open("second");
    expect((await runToEnd(world, run.id)).at(-1)?.type).toBe("run.succeeded");
    await expect.poll(() => slow.running).toBe(0);
    await expectSound(world, session.id);
  });

  it("hands its runs over when it drains", async () => {
    await using world = await openFlowWorld(kind, { drainMs: 50 });
    const leaving = world.work();
    const { run, session } = await sendMessage(world.deps, world.authority, { agent: "stages", content: "go" });
    await world.gates.reached("second");
    await leaving.drain();
    expect(leaving.running).toBe(0);
    world.gates.open("second");
    world.work();
    const events = await runToEnd(world, run.id);
    expect(events.map(({ type }) => type)).toContain("run.recovered");
    expect(events.at(-1)?.type).toBe("run.succeeded");
    await expectSound(world, session.id);
  });
});
