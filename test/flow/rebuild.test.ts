import { cancelTask, decideInterrupts, expireInterrupts, rebuildMessages, sendMessage } from "@wheelhouse/runtime";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { expectSound, type FlowWorld, openFlowWorld, runToEnd, storageKinds, untilEvent } from "./flow-world.ts";
import { killable } from "./killable.ts";

type Turn = "talk" | "approve" | "edit" | "reject" | "cancelWaiting" | "expire";
const turns: readonly Turn[] = ["talk", "approve", "edit", "reject", "cancelWaiting", "expire"];

const mail = 'Please send an email to ada@example.com with the subject "Hello"';

/** One turn of a conversation with an agent that asks before it sends mails. */
async function take(world: FlowWorld, sessionId: string, turn: Turn): Promise<void> {
  const content = turn === "talk" ? "hello" : mail;
  const { run, task } = await sendMessage(world.deps, world.authority, { sessionId, content });
  await runToEnd(world, run.id);
  if (turn === "talk") return;
  if (turn === "cancelWaiting") {
    await cancelTask(world.deps, world.authority, { taskId: task.id });
    return;
  }
  if (turn === "expire") {
    world.advance(world.deps.tunables.interruptTtlMs);
    expect(await expireInterrupts(world.deps, new AbortController().signal)).toBe(1);
    return;
  }
  const { id: interruptId } = await world.rows.interrupt.findFirstOrThrow({ where: { runId: run.id } });
  const answer = {
    approve: { decision: "APPROVE" as const },
    edit: { decision: "EDIT" as const, args: { to: "bob@example.com", subject: "Hello", body: "Dear Bob" } },
    reject: { decision: "REJECT" as const, message: "Not today." },
  }[turn];
  const decided = await decideInterrupts(world.deps, world.authority, { decisions: [{ interruptId, ...answer }] });
  await runToEnd(world, decided.run?.id ?? "");
}

const rebuilt = async (world: FlowWorld, input: { sessionId?: string; dryRun?: boolean } = {}) => {
  const all = [];
  for await (const each of rebuildMessages(world.deps, world.authority, input)) all.push(each);
  return all;
};

const rowsOf = (world: FlowWorld, sessionId: string) =>
  world.rows.message.findMany({ where: { sessionId }, orderBy: { seq: "asc" } });

type Rows = Awaited<ReturnType<typeof rowsOf>>;

/** That a rebuild brought everything back: each row with what it promises to keep, and the conversation in its order. */
function expectBack(rows: Rows, before: Rows): void {
  const told = (all: Rows) => all.filter(({ role }) => role !== "TOOL");
  const promised = ({ updatedAt: _, createdAt: __, parentId: ___, seq: ____, ...kept }: Rows[number]) => kept;
  expect(told(rows).map(promised)).toEqual(told(before).map(promised));
  for (const [i, { createdAt }] of told(rows).entries())
    expect(Math.abs(createdAt.getTime() - (told(before)[i]?.createdAt.getTime() ?? 0))).toBeLessThan(10_000);
  // Of tools' answers that no tool gave, nobody noted the run; and the log does not tell where they were.
  const answers = (all: Rows) =>
    all
      .filter(({ role }) => role === "TOOL")
      .map((row) => ({ ...promised(row), runId: null, taskId: null }))
      .sort((a, b) => (a.id < b.id ? -1 : 1));
  expect(answers(rows)).toEqual(answers(before));
}

/** Takes rows away and spoils others, of those that the checkpoint has. */
async function damage(world: FlowWorld, sessionId: string, every: number): Promise<number> {
  const { threadId } = await world.rows.session.findUniqueOrThrow({ where: { id: sessionId } });
  const run = await world.rows.run.findFirstOrThrow({ where: { sessionId }, orderBy: { createdAt: "desc" } });
  const record = await world.deps.storage.runs.get(world.authority, run.id);
  if (record === null) throw new Error("the run is gone");
  const checkpointId = (await world.deps.graphs.lastCheckpoint(threadId, run.id)) ?? "";
  const held = await world.deps.graphs.threadMessages(record.manifest, threadId, checkpointId);
  const ids = held.map(({ langgraphMessageId }) => langgraphMessageId);
  const lost = ids.filter((_, i) => i % every === 0);
  const spoilt = ids.filter((_, i) => i % every === 1);
  const among = (list: string[]) => ({ sessionId, langgraphMessageId: { in: list } });
  await world.rows.message.deleteMany({ where: among(lost) });
  await world.rows.message.updateMany({ where: among(spoilt), data: { content: "spoilt" } });
  return lost.length;
}

describe.each(storageKinds)("rebuilding transcripts on %s", { timeout: 120_000 }, (kind) => {
  it("gives what the log tells, whatever happened in the conversation and to its rows", async () => {
    await using world = await openFlowWorld(kind);
    world.work();
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...turns), { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 2, max: 3 }),
        async (conversation, every) => {
          const first = await sendMessage(world.deps, world.authority, { agent: "clerk", content: "hello" });
          const sessionId = first.session.id;
          await runToEnd(world, first.run.id);
          for (const turn of conversation) await take(world, sessionId, turn);
          await expectSound(world, sessionId);
          const nothing = { sessionId, outcome: "rebuilt", inserted: 0, updated: 0, told: 0 };
          expect(await rebuilt(world, { sessionId })).toEqual([nothing]);
          const before = await rowsOf(world, sessionId);
          const lost = await damage(world, sessionId, every);
          const [dry] = await rebuilt(world, { sessionId, dryRun: true });
          expect(dry).toMatchObject({ outcome: "rebuilt", inserted: lost, told: 0 });
          expect(await rebuilt(world, { sessionId })).toEqual([dry]);
          expectBack(await rowsOf(world, sessionId), before);
          await expectSound(world, sessionId);
          expect(await rebuilt(world, { sessionId })).toEqual([nothing]);
        },
      ),
      { numRuns: 4, seed: 20_261_130 },
    );
  });

  it("gives what the log tells after a recovery, and passes over a conversation at work", async () => {
    await using world = await openFlowWorld(kind);
    const first = killable(world);
    world.work(first.deps);
    const { run, session } = await sendMessage(world.deps, world.authority, { agent: "stages", content: "go" });
    await world.gates.reached("second");
    await untilEvent(world, session.id, ({ type, payload }) => type === "step.started" && payload.name === "second");
    expect(await rebuilt(world)).toEqual([{ sessionId: session.id, outcome: "busy", activeRunId: run.id }]);
    first.kill();
    world.gates.open("second");
    await world.expireLeases();
    world.work();
    expect((await runToEnd(world, run.id)).at(-1)?.type).toBe("run.succeeded");
    const before = await rowsOf(world, session.id);
    expect(await rebuilt(world)).toMatchObject([{ outcome: "rebuilt", inserted: 0, updated: 0, told: 0 }]);
    await damage(world, session.id, 2);
    expect(await rebuilt(world)).toMatchObject([{ outcome: "rebuilt", inserted: 2 }]);
    expectBack(await rowsOf(world, session.id), before);
    await expectSound(world, session.id);
  });
});
