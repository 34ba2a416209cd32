import { cancelTask, expireQueuedRuns, type RuntimeDeps, sendMessage } from "@wheelhouse/runtime";
import { describe, expect, it } from "vitest";
import { expectSound, type FlowWorld, openFlowWorld, runToEnd, storageKinds, untilEvent } from "./flow-world.ts";

/** The same dependencies with some of the storage's methods replaced. */
const withRuns = ({ deps }: FlowWorld, runs: Partial<RuntimeDeps["storage"]["runs"]>): RuntimeDeps => ({
  ...deps,
  storage: { ...deps.storage, runs: { ...deps.storage.runs, ...runs }, [Symbol.asyncDispose]: async () => undefined },
});

const begin = async (world: FlowWorld, agent: string, content: string) => {
  const sent = await sendMessage(world.deps, world.authority, { agent, content });
  await world.gates.reached(content.split(" ")[1] ?? "");
  return sent;
};

describe.each(storageKinds)("a worker's hold on its runs on %s", { timeout: 120_000 }, (kind) => {
  it("ends within its lease when the database no longer answers, though nobody tells it", async () => {
    await using world = await openFlowWorld(kind, { leaseMs: 1_000, beatMs: 100, holdPollMs: 50 });
    let renewals = 0;
    let answers = true;
    // A connection that is neither there nor gone: questions are never answered.
    const silence = new Promise<never>(() => undefined);
    const deps = withRuns(world, {
      renew: (fences, input) => {
        renewals++;
        return answers ? world.deps.storage.runs.renew(fences, input) : silence;
      },
      lost: (fences) => (answers ? world.deps.storage.runs.lost(fences) : Promise.reject(new Error("no answer"))),
    });
    const worker = world.work(deps);
    const { run } = await begin(world, "echo", "wait here");
    // Held for longer than a lease, because it is renewed.
    await expect.poll(() => renewals, { timeout: 60_000 }).toBeGreaterThan(15);
    expect(world.gates.aborted).toEqual([]);
    answers = false;
    await expect.poll(() => [...world.gates.aborted], { timeout: 60_000 }).toEqual(["here"]);
    await expect.poll(() => worker.running).toBe(0);
    // It is nobody's now, and not ended: whoever finds the lease expired goes on with it.
    world.gates.open("here");
    answers = true;
    await world.expireLeases();
    expect((await runToEnd(world, run.id)).map(({ type }) => type)).toContain("run.recovered");
  });

  it("ends when the run is cancelled and the wake-up is lost", async () => {
    // No renewal comes that could tell it.
    await using world = await openFlowWorld(kind, { leaseMs: 1_800_000, beatMs: 600_000 });
    const wakeUps = { ...hintsOf(world.deps), onCancelled: () => () => undefined };
    const storage = { ...world.deps.storage, wakeUps, [Symbol.asyncDispose]: async () => undefined };
    const worker = world.work({ ...world.deps, storage });
    const { task, run, session } = await begin(world, "echo", "wait here");
    await untilEvent(world, session.id, ({ type }) => type === "step.started");
    await cancelTask(world.deps, world.authority, { taskId: task.id });
    await expect.poll(() => [...world.gates.aborted], { timeout: 60_000 }).toEqual(["here"]);
    await expect.poll(() => worker.running).toBe(0);
    expect((await runToEnd(world, run.id)).at(-1)?.type).toBe("run.cancelled");
    await expectSound(world, session.id);
  });

  it("gives a run no more time when it changes hands", async () => {
    await using world = await openFlowWorld(kind, { graphStopMs: 300, drainMs: 0 });
    const first = world.work();
    const { run, session } = await begin(world, "stages", "- second");
    const hours = new Date(Date.now() - 7_200_000);
    await world.rows.run.update({ where: { id: run.id }, data: { startedAt: hours } });
    await first.drain();
    world.work();
    const events = await runToEnd(world, run.id);
    expect(events.map(({ type }) => type)).toContain("run.recovered");
    expect(events.at(-1)).toMatchObject({ type: "run.failed", payload: { code: "EXECUTION_TIMEOUT" } });
    await expectSound(world, session.id);
  });

  it("never begins when the run has waited too long", async () => {
    await using world = await openFlowWorld(kind, { queueTimeoutMs: 3_600_000 });
    const { run, session } = await sendMessage(world.deps, world.authority, { agent: "echo", content: "hi" });
    const sweep = (queueTimeoutMs: number) =>
      expireQueuedRuns.sweep(
        { ...world.deps, tunables: { ...world.deps.tunables, queueTimeoutMs } },
        new AbortController().signal,
      );
    await world.rows.run.update({ where: { id: run.id }, data: { queuedAt: new Date(Date.now() - 7_200_000) } });
    await sweep(0);
    await sweep(86_400_000);
    expect(await world.rows.run.findUniqueOrThrow({ where: { id: run.id } })).toMatchObject({ status: "QUEUED" });
    await sweep(3_600_000);
    world.work();
    expect((await runToEnd(world, run.id)).at(-1)).toMatchObject({
      type: "run.failed",
      payload: { code: "QUEUE_TIMEOUT" },
    });
    await expectSound(world, session.id);
  });
});

/** The wake-ups as an object that can be changed in part. */
const hintsOf = ({ storage: { wakeUps } }: RuntimeDeps): RuntimeDeps["storage"]["wakeUps"] => ({
  onSession: (sessionId, wake) => wakeUps.onSession(sessionId, wake),
  onProject: (projectId, wake) => wakeUps.onProject(projectId, wake),
  onRunnable: (wake) => wakeUps.onRunnable(wake),
  onCancelled: (wake) => wakeUps.onCancelled(wake),
  onDeliveries: (wake) => wakeUps.onDeliveries(wake),
  onConfig: (projectId, wake) => wakeUps.onConfig(projectId, wake),
});
