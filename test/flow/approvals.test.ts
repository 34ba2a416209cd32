import { cancelTask, decideInterrupts, expireInterrupts, sendMessage } from "@wheelhouse/runtime";
import { describe, expect, it } from "vitest";
import { expectSound, type FlowWorld, logOf, openFlowWorld, runToEnd, storageKinds } from "./flow-world.ts";

const mail = {
  agent: "clerk",
  content: 'Please send an email to ada@example.com with the subject "Hello"',
};

/** A mail that waits for approval. */
async function askForMail(world: FlowWorld) {
  world.work();
  const asked = await sendMessage(world.deps, world.authority, mail);
  const events = await runToEnd(world, asked.run.id);
  expect(events.at(-1)?.type).toBe("run.interrupted");
  const [interrupt] = await world.rows.interrupt.findMany({ where: { runId: asked.run.id } });
  if (interrupt === undefined) throw new Error("nothing was asked");
  return { ...asked, events, interruptId: interrupt.id };
}

/** A mail that nobody approved before the next message came: after it was asked for, or while that was still on its way. */
async function askInVain(world: FlowWorld, when: "after it asked" | "while it worked") {
  if (when === "after it asked") {
    const asked = await askForMail(world);
    return [
      asked,
      await sendMessage(world.deps, world.authority, { sessionId: asked.session.id, content: "no" }),
    ] as const;
  }
  const asked = await sendMessage(world.deps, world.authority, mail);
  const behind = { sessionId: asked.session.id, content: "no", busyPolicy: "ENQUEUE" as const };
  const next = await sendMessage(world.deps, world.authority, behind);
  world.work();
  return [asked, next] as const;
}

const toolAnswers = async (world: FlowWorld, sessionId: string): Promise<string[]> => {
  const rows = await world.rows.message.findMany({ where: { sessionId, role: "TOOL" }, orderBy: { seq: "asc" } });
  return rows.map(({ content }) => content);
};

describe.each(storageKinds)("a tool that asks first on %s", { timeout: 120_000 }, (kind) => {
  it("waits, and does it when it is approved", async () => {
    await using world = await openFlowWorld(kind);
    const { events, interruptId, session, task } = await askForMail(world);
    expect(events.find(({ type }) => type === "interrupt.requested")?.payload).toMatchObject({
      kind: "TOOL_APPROVAL",
      actions: ["send_email"],
      allowedDecisions: ["APPROVE", "EDIT", "REJECT"],
    });
    expect(await world.deps.storage.sessions.get(world.authority, session.id)).toMatchObject({ status: "WAITING" });
    const decisions = [{ interruptId, decision: "APPROVE" as const }];
    const { run, interrupts } = await decideInterrupts(world.deps, world.authority, { decisions });
    expect(interrupts[0]).toMatchObject({ decision: "APPROVE", decidedBy: "Ada" });
    expect((await runToEnd(world, run?.id ?? "")).at(-1)?.type).toBe("run.succeeded");
    expect(await toolAnswers(world, session.id)).toEqual(["The mail “Hello” to ada@example.com was sent."]);
    expect(await world.deps.storage.tasks.get(world.authority, task.id)).toMatchObject({ status: "COMPLETED" });
    await expectSound(world, session.id);
    await expect(decideInterrupts(world.deps, world.authority, { decisions })).rejects.toMatchObject({
      code: "ALREADY_DECIDED",
      detail: { decidedBy: "Ada" },
    });
  });

  it("does it with other arguments when they are edited, and says which", async () => {
    await using world = await openFlowWorld(kind);
    const { interruptId, session } = await askForMail(world);
    const args = { to: "bob@example.com", subject: "Hello", body: "Dear Bob" };
    const answer = { interruptId, decision: "EDIT" as const };
    await expect(
      decideInterrupts(world.deps, world.authority, { decisions: [{ ...answer, args: "text" }] }),
    ).rejects.toMatchObject({ code: "INVALID_INPUT", issues: [{ path: "decisions[0].args" }] });
    const { run } = await decideInterrupts(world.deps, world.authority, { decisions: [{ ...answer, args }] });
    const events = await runToEnd(world, run?.id ?? "");
    expect(events.at(-1)?.type).toBe("run.succeeded");
    expect(await toolAnswers(world, session.id)).toEqual(["The mail “Hello” to bob@example.com was sent."]);
    const { payload } = await world.rows.event.findFirstOrThrow({
      where: { sessionId: session.id, type: "interrupt.decided" },
    });
    expect(payload).toMatchObject({ decision: "EDIT", by: "Ada", editedArgumentNames: expect.arrayContaining(["to"]) });
    expect(JSON.stringify(payload)).not.toContain("bob@example.com");
    await expectSound(world, session.id);
  });

  it("does nothing when it is rejected, and the conversation goes on", async () => {
    await using world = await openFlowWorld(kind);
    const { interruptId, session } = await askForMail(world);
    const decisions = [{ interruptId, decision: "REJECT" as const, message: "Not on a Sunday." }];
    const { run } = await decideInterrupts(world.deps, world.authority, { decisions });
    expect((await runToEnd(world, run?.id ?? "")).at(-1)?.type).toBe("run.succeeded");
    expect(await toolAnswers(world, session.id)).toEqual([expect.stringContaining("Not on a Sunday.")]);
    const next = await sendMessage(world.deps, world.authority, { sessionId: session.id, content: "thank you" });
    expect((await runToEnd(world, next.run.id)).at(-1)?.type).toBe("run.succeeded");
    await expectSound(world, session.id);
  });

  it("has one answer, whoever is first", async () => {
    await using world = await openFlowWorld(kind);
    const { interruptId, session } = await askForMail(world);
    const decide = (decision: "APPROVE" | "REJECT") =>
      decideInterrupts(world.deps, world.authority, { decisions: [{ interruptId, decision }] });
    const answers = await Promise.allSettled([decide("APPROVE"), decide("REJECT"), decide("APPROVE")]);
    expect(answers.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    const refused = answers.flatMap((answer) => (answer.status === "rejected" ? [answer.reason] : []));
    for (const reason of refused) expect(reason).toMatchObject({ code: "ALREADY_DECIDED" });
    const won = answers.flatMap((answer) => (answer.status === "fulfilled" ? [answer.value.run?.id ?? ""] : []));
    await runToEnd(world, won[0] ?? "");
    await expectSound(world, session.id);
  });

  it("can be cancelled while it waits, and then asks nobody any more", async () => {
    await using world = await openFlowWorld(kind);
    const { interruptId, session, task } = await askForMail(world);
    await cancelTask(world.deps, world.authority, { taskId: task.id });
    expect(await world.deps.storage.sessions.get(world.authority, session.id)).toMatchObject({ status: "IDLE" });
    const decisions = [{ interruptId, decision: "APPROVE" as const }];
    await expect(decideInterrupts(world.deps, world.authority, { decisions })).rejects.toMatchObject({
      code: "INVALID_INPUT",
    });
    expect(await toolAnswers(world, session.id)).toEqual([]);
    const next = await sendMessage(world.deps, world.authority, { sessionId: session.id, content: "thanks" });
    expect((await runToEnd(world, next.run.id)).at(-1)?.type).toBe("run.succeeded");
    await expectSound(world, session.id);
  });

  it.each(["after it asked", "while it worked"] as const)("is over when other work comes %s", async (when) => {
    await using world = await openFlowWorld(kind);
    const [asked, next] = await askInVain(world, when);
    expect((await runToEnd(world, next.run.id)).at(-1)?.type).toBe("run.succeeded");
    expect(await world.deps.storage.tasks.get(world.authority, asked.task.id)).toMatchObject({ status: "CANCELLED" });
    const { id: interruptId } = await world.rows.interrupt.findFirstOrThrow({ where: { runId: asked.run.id } });
    const late = decideInterrupts(world.deps, world.authority, { decisions: [{ interruptId, decision: "APPROVE" }] });
    await expect(late).rejects.toMatchObject({ issues: [{ message: expect.stringContaining("went on") }] });
    expect((await toolAnswers(world, asked.session.id)).filter((text) => text.includes("was sent"))).toEqual([]);
    await expectSound(world, asked.session.id);
  });

  it("is given up when nobody answers in time, and the conversation goes on", async () => {
    await using world = await openFlowWorld(kind);
    const { interruptId, session, task } = await askForMail(world);
    expect(await expireInterrupts(world.deps, new AbortController().signal)).toBe(0);
    world.advance(world.deps.tunables.interruptTtlMs);
    expect(await expireInterrupts(world.deps, new AbortController().signal)).toBe(1);
    expect(await world.deps.storage.sessions.get(world.authority, session.id)).toMatchObject({ status: "ERROR" });
    expect(await world.deps.storage.tasks.get(world.authority, task.id)).toMatchObject({ status: "FAILED" });
    const types = (await logOf(world, session.id)).map(({ type }) => type);
    expect(types.slice(-2)).toEqual(["interrupt.expired", "task.failed"]);
    const decisions = [{ interruptId, decision: "APPROVE" as const }];
    await expect(decideInterrupts(world.deps, world.authority, { decisions })).rejects.toMatchObject({
      code: "INVALID_INPUT",
    });
    const next = await sendMessage(world.deps, world.authority, { sessionId: session.id, content: "thanks" });
    expect((await runToEnd(world, next.run.id)).at(-1)?.type).toBe("run.succeeded");
    expect((await toolAnswers(world, session.id)).filter((text) => text.includes("was sent"))).toEqual([]);
    await expectSound(world, session.id);
  });

  it("checks edited arguments by the tool's schema", async () => {
    await using world = await openFlowWorld(kind);
    const { interruptId } = await askForMail(world);
    const args = { to: 7, subject: "Hello" };
    const decisions = [{ interruptId, decision: "EDIT" as const, args }];
    await expect(decideInterrupts(world.deps, world.authority, { decisions })).rejects.toMatchObject({
      code: "INVALID_INPUT",
      issues: expect.arrayContaining([
        expect.objectContaining({ path: "decisions[0].args.to" }),
        expect.objectContaining({ path: "decisions[0].args.body", message: "is required" }),
      ]),
    });
  });

  it("survives the worker that asked", async () => {
    await using world = await openFlowWorld(kind);
    const worker = world.work();
    const { interruptId } = await askForMail(world);
    await worker.drain();
    const decisions = [{ interruptId, decision: "APPROVE" as const }];
    const { run } = await decideInterrupts(world.deps, world.authority, { decisions });
    world.work();
    expect((await runToEnd(world, run?.id ?? "")).at(-1)?.type).toBe("run.succeeded");
  });
});
