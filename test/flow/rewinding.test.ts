import { executeRun, type GraphHost, retryTask, sendMessage } from "@wheelhouse/runtime";
import { createGraphHost } from "@wheelhouse/runtime/graph";
import { describe, expect, it } from "vitest";
import { expectSound, type FlowWorld, openFlowWorld, runToEnd, storageKinds, untilEvent } from "./flow-world.ts";

const say = (world: FlowWorld, content: string, more: Partial<Parameters<typeof sendMessage>[2]> = {}) =>
  sendMessage(world.deps, world.authority, { agent: "react", content, ...more });

const endOf = async (world: FlowWorld, { run }: { run: { id: string } }) =>
  (await runToEnd(world, run.id)).at(-1)?.type;

const transcript = async (world: FlowWorld, sessionId: string) =>
  (await world.rows.message.findMany({ where: { sessionId }, orderBy: { seq: "asc" } })).map(
    ({ role, content }) => `${role} ${content}`,
  );

/** A host whose graphs nobody can stop: a process that was cut off from the database and does not know it. */
function cutOff(graphs: GraphHost): GraphHost {
  return {
    ...graphs,
    run(request) {
      const outputs = graphs.run({ ...request, signal: new AbortController().signal })[Symbol.asyncIterator]();
      return { [Symbol.asyncIterator]: () => ({ next: () => outputs.next() }) };
    },
  };
}

describe.each(storageKinds)("taking a turn back on %s", { timeout: 120_000 }, (kind) => {
  it("INTERRUPT in the middle of a tool call keeps what was said, and the agent goes on", async () => {
    await using world = await openFlowWorld(kind);
    world.work();
    const held = await say(world, "hold gate");
    const sessionId = held.session.id;
    await world.gates.reached("gate");
    // What it said is in the log.
    await untilEvent(world, sessionId, ({ type }) => type === "tool.started");
    const next = await say(world, "go on", { sessionId, busyPolicy: "INTERRUPT" });
    expect(await endOf(world, next)).toBe("run.succeeded");
    expect(await endOf(world, held)).toBe("run.cancelled");
    expect(await transcript(world, sessionId)).toEqual([
      "USER hold gate",
      "ASSISTANT To gate.",
      "USER go on",
      "TOOL This call was stopped before it answered, because the conversation went on without it.",
      "ASSISTANT Heard: hold gate, go on",
    ]);
    await expectSound(world, sessionId);
  });

  it("ROLLBACK lets the agent forget the turn, and every reader with it", async () => {
    await using world = await openFlowWorld(kind);
    world.work();
    const first = await say(world, "hello");
    const sessionId = first.session.id;
    await runToEnd(world, first.run.id);
    const held = await say(world, "hold gate", { sessionId });
    await world.gates.reached("gate");
    const next = await say(world, "rather this", { sessionId, busyPolicy: "ROLLBACK" });
    expect(await endOf(world, next)).toBe("run.succeeded");
    expect(await transcript(world, sessionId)).toEqual([
      "USER hello",
      "ASSISTANT Heard: hello",
      "USER rather this",
      "ASSISTANT Heard: hello, rather this",
    ]);
    expect((await world.deps.storage.runs.get(world.authority, held.run.id))?.checkpointBefore).toBe(
      (await world.deps.storage.runs.get(world.authority, next.run.id))?.checkpointBefore,
    );
    await expectSound(world, sessionId);
  });

  it("ROLLBACK of the first turn begins anew", async () => {
    await using world = await openFlowWorld(kind);
    world.work();
    const held = await say(world, "hold gate");
    const sessionId = held.session.id;
    await world.gates.reached("gate");
    const next = await say(world, "hello", { sessionId, busyPolicy: "ROLLBACK" });
    expect(await endOf(world, next)).toBe("run.succeeded");
    expect(await transcript(world, sessionId)).toEqual(["USER hello", "ASSISTANT Heard: hello"]);
    const third = await say(world, "more", { sessionId });
    await runToEnd(world, third.run.id);
    expect((await transcript(world, sessionId)).at(-1)).toBe("ASSISTANT Heard: hello, more");
    await expectSound(world, sessionId);
  });

  it("what a lost owner still writes into the thread is never where the conversation stands", async () => {
    await using world = await openFlowWorld(kind);
    const { deps, authority, gates } = world;
    const held = await say(world, "deaf one two three");
    const sessionId = held.session.id;
    const input = { owner: "cut-off", leaseMs: 30_000, limit: 1, maxRecoveries: 3, at: deps.clock.now() };
    const [claimed] = await deps.storage.runs.claim(input);
    if (claimed === undefined) throw new Error("There is a run to claim");
    // In a process of its own where the store of the graphs can be shared.
    await using other = kind === "memory" ? null : createGraphHost({ ...world.graphOptions, newId: deps.newId });
    const lost = executeRun({ ...deps, graphs: cutOff(other ?? deps.graphs) }, claimed, new AbortController());
    await gates.reached("one");
    gates.open("one");
    await gates.reached("two");
    const before = await deps.graphs.lastCheckpoint(held.session.threadId, held.run.id);
    world.work();
    const next = await say(world, "rather this", { sessionId, busyPolicy: "ROLLBACK" });
    expect(await endOf(world, next)).toBe("run.succeeded");
    gates.open("two");
    // It is at the third gate when what it did at the second is stored, behind everything that the new owner stored.
    await gates.reached("three");
    expect(await deps.graphs.lastCheckpoint(held.session.threadId, held.run.id)).not.toBe(before);
    const third = await say(world, "more", { sessionId });
    expect(await endOf(world, third)).toBe("run.succeeded");
    expect(await transcript(world, sessionId)).toEqual([
      "USER rather this",
      "ASSISTANT Heard: rather this",
      "USER more",
      "ASSISTANT Heard: rather this, more",
    ]);
    gates.open("three");
    expect(await lost).toBe("fenced");
    expect((await deps.storage.sessions.get(authority, sessionId))?.status).toBe("IDLE");
    await expectSound(world, sessionId);
  });

  it("a retry begins where the failed run began, and the user's message is there once", async () => {
    await using world = await openFlowWorld(kind);
    world.work();
    const first = await say(world, "hello");
    const sessionId = first.session.id;
    await runToEnd(world, first.run.id);
    const failed = await say(world, "break door", { sessionId });
    expect(await endOf(world, failed)).toBe("run.failed");
    expect((await transcript(world, sessionId)).slice(2)).toEqual(["USER break door", "ASSISTANT To door."]);
    world.gates.open("door");
    const again = await retryTask(world.deps, world.authority, { taskId: failed.task.id });
    expect(again.run).toMatchObject({ attempt: 2, parentRunId: failed.run.id });
    expect(await endOf(world, again)).toBe("run.succeeded");
    expect(await transcript(world, sessionId)).toEqual([
      "USER hello",
      "ASSISTANT Heard: hello",
      "USER break door",
      "ASSISTANT To door.",
      "TOOL passed door",
      "ASSISTANT Heard: hello, break door",
    ]);
    // What the failed run did and said is still to be read.
    expect(await world.rows.step.count({ where: { runId: failed.run.id } })).toBeGreaterThan(0);
    const said = (await runToEnd(world, failed.run.id)).filter(({ type }) => type === "message.completed");
    expect(said).toHaveLength(1);
    expect(await world.deps.storage.tasks.get(world.authority, failed.task.id)).toMatchObject({ status: "COMPLETED" });
    await expectSound(world, sessionId);
  });
});
