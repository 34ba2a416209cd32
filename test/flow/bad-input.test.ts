import { createSession, retryTask, sendMessage, submitTask, updateSession } from "@wheelhouse/runtime";
import { describe, expect, it } from "vitest";
import { expectSound, type FlowWorld, openFlowWorld, runToEnd, storageKinds } from "./flow-world.ts";

const rowCounts = ({ rows }: FlowWorld) =>
  Promise.all([rows.session.count(), rows.task.count(), rows.run.count(), rows.event.count(), rows.message.count()]);

describe.each(storageKinds)("bad input on %s", { timeout: 120_000 }, (kind) => {
  it("is refused by name before anything is written", async () => {
    await using world = await openFlowWorld(kind);
    const { deps, authority } = world;
    const { session } = await createSession(deps, authority, { agent: "echo" });
    const before = await rowCounts(world);
    const chat = { messages: [{ role: "user", content: "hi" }] };
    const message = (more: object) => () => sendMessage(deps, authority, { agent: "echo", content: "hi", ...more });
    const task = (more: object) => () => submitTask(deps, authority, { agent: "echo", input: chat, ...more });
    const refused: [() => Promise<unknown>, string, string?][] = [
      [message({ agent: "nobody" }), "AGENT_NOT_FOUND"],
      [message({ agent: undefined }), "INVALID_INPUT", "agent"],
      [message({ sessionId: "01990000-0000-7000-8000-000000000000" }), "NOT_FOUND"],
      [message({ sessionId: session.id, agent: "stages" }), "INVALID_INPUT", "agent"],
      [message({ sessionId: session.id, externalId: "x" }), "INVALID_INPUT", "externalId"],
      [message({ content: "" }), "INVALID_INPUT", "content"],
      [message({ content: " \n\t" }), "INVALID_INPUT", "content"],
      [message({ content: "x".repeat(2_000_000) }), "INVALID_INPUT", "content"],
      [message({ externalId: "x".repeat(201) }), "INVALID_INPUT", "externalId"],
      [message({ idempotencyKey: "x".repeat(201) }), "INVALID_INPUT", "idempotencyKey"],
      [() => retryTask(deps, authority, { taskId: "no-such" }), "NOT_FOUND"],
      [() => retryTask(deps, world.as({ role: "VIEWER" }), { taskId: "no-such" }), "FORBIDDEN"],
      [message({ agent: "typed" }), "INVALID_INPUT", "content"],
      [task({ agent: "typed", input: { topic: "x" } }), "INVALID_INPUT", "input.topic"],
      [task({ agent: "typed", input: "text" }), "INVALID_INPUT", "input"],
      [task({ agent: "clerk", input: { topic: "x" } }), "INVALID_INPUT", "input.messages"],
      [task({ input: { messages: [{ role: "user", content: " " }] } }), "INVALID_INPUT", "input.messages"],
      [task({ input: { text: "x".repeat(1_000_001) } }), "INVALID_INPUT", "input"],
      [task({ metadata: [] }), "INVALID_INPUT", "metadata"],
      [task({ metadata: { a: "x".repeat(20_000) } }), "INVALID_INPUT", "metadata"],
      [() => createSession(deps, authority, { agent: "echo", metadata: 7 }), "INVALID_INPUT", "metadata"],
      [() => createSession(deps, authority, { agent: "nobody" }), "AGENT_NOT_FOUND"],
      [() => createSession(deps, world.as({ role: "VIEWER" }), { agent: "echo" }), "FORBIDDEN"],
      [() => sendMessage(deps, world.as({ role: "VIEWER" }), { agent: "echo", content: "hi" }), "FORBIDDEN"],
      [() => updateSession(deps, authority, { sessionId: "no-such", title: "x" }), "NOT_FOUND"],
    ];
    for (const [act, code, path] of refused) {
      const refusal = await act().then(
        () => "accepted",
        (error: unknown) => error,
      );
      expect(refusal).toMatchObject(path === undefined ? { code } : { code, issues: [{ path }] });
    }
    const issues = await task({ agent: "typed", input: { topic: "x", depth: "deep" } })().catch((e: unknown) => e);
    expect(issues).toMatchObject({ issues: [{ path: "input.topic" }, { path: "input.depth" }] });
    expect(await rowCounts(world)).toEqual(before);
  });

  it("may be a foreign scope, which is the same as nothing", async () => {
    await using world = await openFlowWorld(kind);
    const { session } = await createSession(world.deps, world.authority, { agent: "echo" });
    const scopes: Record<string, string>[] = [{ project: "flow", user: "u-2" }, { project: "other" }];
    for (const scope of scopes) {
      const stranger = world.as({ reach: "EXACT", scope });
      const act = sendMessage(world.deps, stranger, { sessionId: session.id, content: "hi" });
      await expect(act).rejects.toMatchObject({ code: "NOT_FOUND", message: "Session not found" });
    }
  });

  it("with NUL and half characters in it is answered, and stored as text can be", async () => {
    await using world = await openFlowWorld(kind);
    world.work();
    const content = "a\0b \uD83D c \uDE00 日本語 👩‍👩‍👧";
    const { run, session } = await sendMessage(world.deps, world.authority, {
      agent: "echo",
      externalId: "e\0",
      content,
    });
    expect((await runToEnd(world, run.id)).at(-1)?.type).toBe("run.succeeded");
    const rows = await world.rows.message.findMany({ where: { sessionId: session.id }, orderBy: { seq: "asc" } });
    const stored = "a\uFFFDb \uFFFD c \uFFFD 日本語 👩‍👩‍👧";
    expect(rows.map((row) => row.content)).toEqual([stored, `You said: ${stored}`]);
    expect(session.externalId).toBe("e\uFFFD");
    await expectSound(world, session.id);
  });

  it("lets the session take the next message, whatever went wrong before", async () => {
    await using world = await openFlowWorld(kind, { graphStopMs: 200 });
    world.work();
    const { session } = await createSession(world.deps, world.authority, { agent: "echo", title: "Trouble" });
    const say = async (content: string) => {
      const { run } = await sendMessage(world.deps, world.authority, { sessionId: session.id, content });
      return (await runToEnd(world, run.id)).at(-1)?.type;
    };
    expect([await say("fail"), await say("fine"), await say("fail again"), await say("fine")]).toEqual([
      ...["run.failed", "run.succeeded", "run.failed", "run.succeeded"],
    ]);
    await expectSound(world, session.id);
  });
});
