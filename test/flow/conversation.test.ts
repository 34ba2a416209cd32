import { cancelTask, sendMessage } from "@wheelhouse/runtime";
import { describe, expect, it } from "vitest";
import { expectSound, logOf, openFlowWorld, runToEnd, storageKinds, transcriptOf, untilEvent } from "./flow-world.ts";

const byRefusal = (code: string) => expect.objectContaining({ code });

describe.each(storageKinds)("a conversation on %s", { timeout: 120_000 }, (kind) => {
  it("is answered, turn after turn, in one log", async () => {
    await using world = await openFlowWorld(kind);
    world.work();
    const first = await sendMessage(world.deps, world.authority, { agent: "echo", content: "Tere! 👋🏽" });
    const events = await runToEnd(world, first.run.id);
    expect(transcriptOf(events).map(({ role, text }) => [role, text])).toEqual([
      ["USER", "Tere! 👋🏽"],
      ["ASSISTANT", "You said: Tere! 👋🏽"],
    ]);
    expect(events.map(({ type }) => type)).toEqual(
      expect.arrayContaining(["run.queued", "run.started", "step.started", "message.delta", "run.succeeded"]),
    );
    const second = await sendMessage(world.deps, world.authority, { sessionId: first.session.id, content: "again" });
    await runToEnd(world, second.run.id);
    await expectSound(world, first.session.id);
    const session = await world.rows.session.findUniqueOrThrow({ where: { id: first.session.id } });
    expect(session).toMatchObject({ status: "IDLE", runCount: 2, messageCount: 4, activeRunId: null });
    expect(session).toMatchObject({ firstMessage: "Tere! 👋🏽", lastMessage: "You said: again" });
    expect(session.totalTokens).toBeGreaterThan(0);
    expect(world.logged).toEqual([]);
  });

  it("goes on after a failure", async () => {
    await using world = await openFlowWorld(kind);
    world.work();
    const failing = await sendMessage(world.deps, world.authority, { agent: "echo", content: "fail" });
    const events = await runToEnd(world, failing.run.id);
    expect(events.at(-1)).toMatchObject({ type: "run.failed", payload: { code: "GRAPH_ERROR" } });
    const status = await world.deps.storage.sessions.get(world.authority, failing.session.id);
    expect(status?.status).toBe("ERROR");
    const next = await sendMessage(world.deps, world.authority, { sessionId: failing.session.id, content: "go on" });
    expect((await runToEnd(world, next.run.id)).at(-1)?.type).toBe("run.succeeded");
    await expectSound(world, failing.session.id);
  });

  it("stops at its time limit, also when the graph does not listen", async () => {
    await using world = await openFlowWorld(kind, { graphStopMs: 300 });
    world.work();
    for (const content of ["wait forever", "deaf forever"]) {
      const { run, session } = await sendMessage(world.deps, world.authority, { agent: "brief", content });
      const events = await runToEnd(world, run.id);
      expect(events.at(-1)).toMatchObject({ type: "run.failed", payload: { code: "EXECUTION_TIMEOUT" } });
      await expectSound(world, session.id);
    }
  });

  it("can be cancelled while it is queued", async () => {
    await using world = await openFlowWorld(kind);
    const { task, run, session } = await sendMessage(world.deps, world.authority, { agent: "echo", content: "hi" });
    expect(await cancelTask(world.deps, world.authority, { taskId: task.id })).toMatchObject({ status: "CANCELLED" });
    world.work();
    expect((await runToEnd(world, run.id)).map(({ type }) => type)).not.toContain("run.started");
    const next = await sendMessage(world.deps, world.authority, { sessionId: session.id, content: "next" });
    expect((await runToEnd(world, next.run.id)).at(-1)?.type).toBe("run.succeeded");
    await expectSound(world, session.id);
  });

  it("can be cancelled while it runs, and the graph hears of it", async () => {
    await using world = await openFlowWorld(kind);
    const worker = world.work();
    const { task, run, session } = await sendMessage(world.deps, world.authority, {
      agent: "echo",
      content: "wait here",
    });
    await world.gates.reached("here");
    await untilEvent(world, session.id, ({ type }) => type === "step.started");
    await cancelTask(world.deps, world.authority, { taskId: task.id, reason: "changed my mind" });
    const events = await runToEnd(world, run.id);
    expect(events.at(-1)).toMatchObject({ type: "run.cancelled", payload: { reason: "changed my mind" } });
    await expect.poll(() => [...world.gates.aborted]).toEqual(["here"]);
    await expect.poll(() => worker.running).toBe(0);
    const twice = cancelTask(world.deps, world.authority, { taskId: task.id });
    await expect(twice).rejects.toEqual(byRefusal("NOT_CANCELLABLE"));
    const next = await sendMessage(world.deps, world.authority, { sessionId: session.id, content: "next" });
    expect((await runToEnd(world, next.run.id)).at(-1)?.type).toBe("run.succeeded");
    await expectSound(world, session.id);
  });

  it("cannot be cancelled when it is over", async () => {
    await using world = await openFlowWorld(kind);
    world.work();
    const { task, run } = await sendMessage(world.deps, world.authority, { agent: "echo", content: "hi" });
    await runToEnd(world, run.id);
    const late = cancelTask(world.deps, world.authority, { taskId: task.id });
    await expect(late).rejects.toMatchObject({ code: "NOT_CANCELLABLE", detail: { status: "COMPLETED" } });
  });

  it("refuses, queues or replaces when it is busy, as the caller chooses", async () => {
    await using world = await openFlowWorld(kind);
    world.work();
    const { run, session } = await sendMessage(world.deps, world.authority, { agent: "echo", content: "wait a" });
    await world.gates.reached("a");
    const send = (content: string, busyPolicy: "REJECT" | "ENQUEUE" | "INTERRUPT") =>
      sendMessage(world.deps, world.authority, { sessionId: session.id, content, busyPolicy });
    await expect(send("no", "REJECT")).rejects.toMatchObject({ code: "BUSY", detail: { runId: run.id } });
    const queued = [await send("one", "ENQUEUE"), await send("two", "ENQUEUE"), await send("three", "ENQUEUE")];
    world.gates.open("a");
    for (const { run: follower } of queued) await runToEnd(world, follower.id);
    const log = await logOf(world, session.id);
    const started = log.flatMap(({ type, runId }) => (type === "run.started" ? [runId] : []));
    expect(started).toEqual([run.id, ...queued.map((follower) => follower.run.id)]);
    const stuck = await send("wait b", "REJECT");
    await world.gates.reached("b");
    const instead = await send("instead", "INTERRUPT");
    expect((await runToEnd(world, stuck.run.id)).at(-1)?.type).toBe("run.cancelled");
    expect((await runToEnd(world, instead.run.id)).at(-1)?.type).toBe("run.succeeded");
    await expectSound(world, session.id);
  });

  it("is one conversation when its first turns come together with the same external id", async () => {
    await using world = await openFlowWorld(kind);
    world.work();
    const turn = (content: string) =>
      sendMessage(world.deps, world.authority, {
        agent: "echo",
        externalId: "ticket-7",
        content,
        busyPolicy: "ENQUEUE",
      });
    const turns = await Promise.all(Array.from({ length: 8 }, (_, i) => turn(`turn ${i}`)));
    expect(new Set(turns.map(({ session }) => session.id)).size).toBe(1);
    for (const { run } of turns) await runToEnd(world, run.id);
    await expectSound(world, turns[0]?.session.id ?? "", true);
  });

  it("is asked for once, however often the request is sent with one key", async () => {
    await using world = await openFlowWorld(kind);
    world.work();
    const send = (content: string) =>
      sendMessage(world.deps, world.authority, { agent: "echo", content, idempotencyKey: "k-1" });
    const sent = await Promise.all([send("once"), send("once"), send("once")]);
    expect(new Set(sent.map(({ task }) => task.id)).size).toBe(1);
    expect(sent.filter(({ reused }) => !reused)).toHaveLength(1);
    await runToEnd(world, sent[0]?.run.id ?? "");
    expect(await send("once")).toMatchObject({ reused: true, task: { status: "COMPLETED" } });
    await expect(send("something else")).rejects.toEqual(byRefusal("IDEMPOTENCY_CONFLICT"));
  });
});
