import {
  clearForks,
  forkSession,
  listCheckpoints,
  pruneCheckpoints,
  type RuntimeDeps,
  readState,
  sendMessage,
} from "@wheelhouse/runtime";
import Sqlite from "better-sqlite3";
import pg from "pg";
import { describe, expect, it } from "vitest";
import { expectSound, type FlowWorld, openFlowWorld, runToEnd, storageKinds } from "./flow-world.ts";

const noSignal = new AbortController().signal;

async function converse(world: FlowWorld, texts: readonly string[], sessionId?: string) {
  let last = await sendMessage(world.deps, world.authority, {
    ...(sessionId === undefined ? { agent: "react" } : { sessionId }),
    content: texts[0] ?? "",
  });
  await runToEnd(world, last.run.id);
  for (const content of texts.slice(1)) {
    last = await sendMessage(world.deps, world.authority, { sessionId: last.session.id, content });
    await runToEnd(world, last.run.id);
  }
  return last;
}

const transcript = async (world: FlowWorld, sessionId: string) =>
  (await world.rows.message.findMany({ where: { sessionId }, orderBy: { seq: "asc" } })).map(
    ({ role, content }) => `${role} ${content}`,
  );

const allCheckpoints = async (world: FlowWorld, sessionId: string) =>
  (await listCheckpoints(world.deps, world.authority, { sessionId, first: 1_000 })).checkpoints.map(
    ({ checkpoint }) => checkpoint,
  );

/** The checkpoint at the end of the n-th turn, from 1. */
async function endOfTurn(world: FlowWorld, sessionId: string, turn: number): Promise<string> {
  const ends = (await allCheckpoints(world, sessionId)).filter(({ next }) => next?.length === 0).reverse();
  const end = ends[turn - 1];
  if (end === undefined) throw new Error(`There is no turn ${turn}`);
  return end.id;
}

/** Rows that the graphs' store holds, by table. */
async function storedRows({ graphOptions }: FlowWorld): Promise<Record<string, number>> {
  const { persistence } = graphOptions;
  if (persistence.kind === "sqlite") {
    const db = new Sqlite(persistence.file, { readonly: true });
    const count = (table: string) => Number(db.prepare(`SELECT count(*) FROM ${table}`).pluck().get());
    const counted = { checkpoints: count("checkpoints"), writes: count("writes") };
    db.close();
    return counted;
  }
  if (persistence.kind === "memory") return {};
  const client = new pg.Client({ connectionString: persistence.url });
  await client.connect();
  const count = async (table: string) => {
    const { rows } = await client.query<{ n: string }>(`SELECT count(*) AS n FROM langgraph.${table}`);
    return Number(rows[0]?.n);
  };
  const counted = {
    checkpoints: await count("checkpoints"),
    writes: await count("checkpoint_writes"),
    blobs: await count("checkpoint_blobs"),
  };
  await client.end();
  return counted;
}

/** A process that dies at this call. */
function dyingAt(deps: RuntimeDeps, call: "copyThread" | "fork"): RuntimeDeps {
  const die = async (): Promise<never> => {
    throw new Error("killed");
  };
  // Nor does it clear anything away.
  const graphs = { ...deps.graphs, deleteThread: die };
  if (call === "copyThread") return { ...deps, graphs: { ...graphs, copyThread: die } };
  const sessions = { ...deps.storage.sessions, fork: die };
  return { ...deps, graphs, storage: { ...deps.storage, sessions } };
}

describe.each(storageKinds)("time travel on %s", { timeout: 120_000 }, (kind) => {
  it("lists the checkpoints of a conversation, and which of them it went through", async () => {
    await using world = await openFlowWorld(kind);
    world.work();
    const { session } = await converse(world, ["one", "two"]);
    const all = await allCheckpoints(world, session.id);
    expect(all.map(({ step }) => step)).toEqual([4, 3, 2, 1, 0, -1]);
    expect(all.map(({ next }) => next)).toEqual([[], ["agent"], ["__start__"], [], ["agent"], ["__start__"]]);
    expect(all.every(({ inConversation, runId }) => inConversation && runId !== null)).toBe(true);
    expect(all.map(({ parentId }) => parentId)).toEqual([...all.slice(1).map(({ id }) => id), null]);
    const now = Date.now();
    for (const { createdAt } of all) expect(Math.abs(createdAt.getTime() - now)).toBeLessThan(60_000);
    const page = await listCheckpoints(world.deps, world.authority, { sessionId: session.id, first: 4 });
    expect(page.hasNextPage).toBe(true);
    const after = page.checkpoints.at(-1)?.cursor ?? null;
    const rest = await listCheckpoints(world.deps, world.authority, { sessionId: session.id, first: 4, after });
    expect(rest.hasNextPage).toBe(false);
    expect([...page.checkpoints, ...rest.checkpoints].map(({ checkpoint }) => checkpoint.id)).toEqual(
      all.map(({ id }) => id),
    );
    const stranger = world.as({ reach: "EXACT", scope: { project: "flow", user: "else" } });
    const asked = { sessionId: session.id, first: 4 };
    await expect(listCheckpoints(world.deps, stranger, asked)).rejects.toMatchObject({ code: "NOT_FOUND" });
    await expect(readState(world.deps, stranger, asked)).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  it("shows the state at a checkpoint, and now", async () => {
    await using world = await openFlowWorld(kind);
    world.work();
    const { session } = await converse(world, ["one", "two"]);
    const sessionId = session.id;
    const then = await readState(world.deps, world.authority, {
      sessionId,
      checkpointId: await endOfTurn(world, sessionId, 1),
    });
    expect(then?.channels.map(({ name }) => name)).toEqual(["messages"]);
    expect(JSON.parse(then?.channels[0]?.text ?? "").map(({ content }: { content: string }) => content)).toEqual([
      "one",
      "Heard: one",
    ]);
    const now = await readState(world.deps, world.authority, { sessionId });
    expect(now?.checkpoint.next).toEqual([]);
    expect(JSON.parse(now?.channels[0]?.text ?? "")).toHaveLength(4);
    expect(now?.channels[0]?.bytes).toBe(Buffer.byteLength(now?.channels[0]?.text ?? ""));
    expect(await readState(world.deps, world.authority, { sessionId, checkpointId: "no-such" })).toBeNull();
  });

  it("forks a conversation, and both go on by themselves", async () => {
    await using world = await openFlowWorld(kind);
    world.work();
    const { session } = await converse(world, ["one", "two", "three"]);
    const checkpointId = await endOfTurn(world, session.id, 2);
    const input = { messages: [{ role: "user", content: "rather four" }] };
    const fork = await forkSession(world.deps, world.authority, { sessionId: session.id, checkpointId, input });
    expect(fork.session).toMatchObject({ agentName: "react", scope: session.scope });
    expect((await runToEnd(world, fork.run?.id ?? "")).at(-1)?.type).toBe("run.succeeded");
    const begun = ["USER one", "ASSISTANT Heard: one", "USER two", "ASSISTANT Heard: one, two"];
    expect(await transcript(world, fork.session.id)).toEqual([
      ...begun,
      "USER rather four",
      "ASSISTANT Heard: one, two, rather four",
    ]);
    await converse(world, ["four"], session.id);
    expect((await transcript(world, session.id)).at(-1)).toBe("ASSISTANT Heard: one, two, three, four");
    await converse(world, ["five"], fork.session.id);
    expect((await transcript(world, fork.session.id)).at(-1)).toBe("ASSISTANT Heard: one, two, rather four, five");
    const source = await world.rows.message.findMany({ where: { sessionId: session.id } });
    const copy = await world.rows.message.findMany({ where: { sessionId: fork.session.id } });
    const ids = new Set(source.map(({ id }) => id));
    expect(copy.some(({ id }) => ids.has(id))).toBe(false);
    const firstOf = (rows: typeof copy) => rows.find(({ seq }) => seq === 1);
    expect(firstOf(copy)?.createdAt).toEqual(firstOf(source)?.createdAt);
    await expectSound(world, session.id);
    await expectSound(world, fork.session.id);
  });

  it("forks with another state, without a run", async () => {
    await using world = await openFlowWorld(kind);
    world.work();
    const { session } = await converse(world, ["one"]);
    const checkpointId = await endOfTurn(world, session.id, 1);
    const statePatch = { messages: [{ role: "user", content: "by the way" }] };
    const fork = await forkSession(world.deps, world.authority, { sessionId: session.id, checkpointId, statePatch });
    expect(fork.run).toBeNull();
    expect(fork.session.status).toBe("IDLE");
    expect((await transcript(world, fork.session.id)).at(-1)).toBe("USER by the way");
    const [newest] = await allCheckpoints(world, fork.session.id);
    expect(newest).toMatchObject({ source: "update", parentId: checkpointId, inConversation: true });
    await converse(world, ["two"], fork.session.id);
    expect((await transcript(world, fork.session.id)).at(-1)).toBe("ASSISTANT Heard: one, by the way, two");
    await expectSound(world, fork.session.id);
  });

  it("refuses what cannot be forked, and leaves nothing of it", async () => {
    await using world = await openFlowWorld(kind);
    world.work();
    const { session } = await converse(world, ["one"]);
    const checkpointId = await endOfTurn(world, session.id, 1);
    const from = { sessionId: session.id, checkpointId };
    const fork = (more: object, authority = world.authority) =>
      forkSession(world.deps, authority, { ...from, ...more });
    await expect(fork({ checkpointId: "no-such" })).rejects.toMatchObject({ code: "NOT_FOUND" });
    await expect(fork({ sessionId: "no-such" })).rejects.toMatchObject({ code: "NOT_FOUND" });
    const stranger = world.as({ reach: "EXACT", scope: { project: "flow", user: "else" } });
    await expect(fork({}, stranger)).rejects.toMatchObject({ code: "NOT_FOUND" });
    await expect(fork({}, world.as({ role: "VIEWER" }))).rejects.toMatchObject({ code: "FORBIDDEN" });
    await expect(fork({ statePatch: [1] })).rejects.toMatchObject({ issues: [{ path: "statePatch" }] });
    await expect(fork({ agentRevision: 7 })).rejects.toMatchObject({ issues: [{ path: "agentRevision" }] });
    expect(await world.rows.session.count()).toBe(1);
    expect(await world.rows.job.count()).toBe(0);
  });

  it.each(["copyThread", "fork"] as const)("a fork that dies at %s is never seen, and cleared away", async (call) => {
    await using world = await openFlowWorld(kind);
    world.work();
    const { session } = await converse(world, ["one"]);
    const from = { sessionId: session.id, checkpointId: await endOfTurn(world, session.id, 1) };
    const before = await storedRows(world);
    await expect(forkSession(dyingAt(world.deps, call), world.authority, from)).rejects.toThrow("killed");
    expect(await world.rows.session.count()).toBe(1);
    // Not yet: another fork may be under way.
    await clearForks.sweep(world.deps, noSignal);
    expect(await world.rows.job.count()).toBe(1);
    const later = { now: () => new Date(Date.now() + 700_000) };
    await clearForks.sweep({ ...world.deps, clock: later }, noSignal);
    expect(await world.rows.job.count()).toBe(0);
    expect(await storedRows(world)).toEqual(before);
  });

  it("keeps where the last turns began, and the steps of the last one", async () => {
    await using world = await openFlowWorld(kind, { checkpointTurns: 3 });
    world.work();
    const { session } = await converse(world, ["1", "2", "3", "4", "5", "6"]);
    await pruneCheckpoints.sweep(world.deps, noSignal);
    const left = await allCheckpoints(world, session.id);
    expect(left.filter(({ next }) => next?.length === 0)).toHaveLength(4);
    expect(left).toHaveLength(6);
    const checkpointId = await endOfTurn(world, session.id, 1);
    const fork = await forkSession(world.deps, world.authority, { sessionId: session.id, checkpointId });
    await converse(world, ["again"], fork.session.id);
    expect((await transcript(world, fork.session.id)).at(-1)).toBe("ASSISTANT Heard: 1, 2, 3, again");
    await converse(world, ["7", "8", "9"], session.id);
    expect((await transcript(world, session.id)).at(-1)).toMatch(/5, 6, 7, 8, 9$/);
    await pruneCheckpoints.sweep(world.deps, noSignal);
    expect(await allCheckpoints(world, session.id)).toHaveLength(6);
  });

  it("prunes beside a run, which loses nothing", async () => {
    await using world = await openFlowWorld(kind, { checkpointTurns: 1 });
    world.work();
    const { session } = await converse(world, ["1", "2"]);
    const held = await sendMessage(world.deps, world.authority, { sessionId: session.id, content: "hold gate" });
    await world.gates.reached("gate");
    const before = await allCheckpoints(world, session.id);
    await pruneCheckpoints.sweep(world.deps, noSignal);
    const after = await allCheckpoints(world, session.id);
    expect(after.length).toBeLessThan(before.length);
    expect(after.filter(({ runId }) => runId === held.run.id)).toHaveLength(3);
    world.gates.open("gate");
    expect((await runToEnd(world, held.run.id)).at(-1)?.type).toBe("run.succeeded");
    expect((await transcript(world, session.id)).at(-1)).toBe("ASSISTANT Heard: 1, 2, hold gate");
    await expectSound(world, session.id);
  });
});
