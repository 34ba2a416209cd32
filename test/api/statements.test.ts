import SqliteHandle from "better-sqlite3";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type ApiWorld, openApiWorld } from "./api-world.ts";
import { databaseKinds } from "./databases.ts";
import { insertSessions } from "./sample-rows.ts";

/** SQL statements from now on, whoever sends them: the recognition of the caller counts too. */
function countStatements(kind: "sqlite" | "postgres"): { texts: string[]; stop: () => void } {
  const texts: string[] = [];
  if (kind === "sqlite") {
    // Statements are prepared once and executed often: count executions.
    const statement = Object.getPrototypeOf(new SqliteHandle(":memory:").prepare("SELECT 1"));
    const spies = (["all", "get", "run", "iterate"] as const).map((name) => {
      const original = statement[name];
      return vi.spyOn(statement, name).mockImplementation(function (this: { source: string }, ...args: unknown[]) {
        texts.push(this.source);
        return Reflect.apply(original, this, args);
      });
    });
    const stop = () => {
      for (const spy of spies) spy.mockRestore();
    };
    return { texts, stop };
  }
  const original = pg.Client.prototype.query;
  const spy = vi.spyOn(pg.Client.prototype, "query").mockImplementation(function (this: never, ...args: unknown[]) {
    const [first] = args;
    const text = typeof first === "string" ? first : String(Reflect.get(Object(first), "text"));
    texts.push(text);
    return Reflect.apply(original, this, args);
  });
  return { texts, stop: () => spy.mockRestore() };
}

const pageOfList = `{ sessions(first: 50) { nodes {
  id externalId title status firstMessage lastMessage messageCount runCount lastActivityAt usage { totalTokens }
  agent { name displayName } lastRun { id status durationMs error { code } } } pageInfo { hasNextPage endCursor } } }`;

/** Every list of the schema below a list of sessions, and every list at the root with what hangs below it. */
const deepQueries: Record<string, string> = {
  sessions: `{ sessions(first: 100) { totalCount nodes { agent { name } activeRun { id } lastRun { id task { id } } tags
    interrupts { id run { id } session { id } } pending: interrupts(pendingOnly: true) { id }
    messages(first: 2) { totalCount nodes { content run { status } } } newest: messages(last: 1) { nodes { content } }
    chatHistory(limit: 2, maxChars: 7) { content run { id } }
    tasks(first: 2) { totalCount nodes { agent { name } currentRun { id } runs { id steps(first: 1) { nodes { name } } } } }
    runs(first: 2) { totalCount nodes { agent { name } parentRun { id } task { id } interrupts { id }
      steps(first: 2) { totalCount nodes { name modelCalls { model } } }
      modelCalls(first: 2) { totalCount nodes { model } } events(first: 2) { events { type } caughtUp } } }
    events(first: 2) { events { type } endCursor caughtUp } } } }`,
  tasks: `{ tasks(first: 100) { totalCount nodes { session { id agent { name } } agent { name } currentRun { id }
    runs { id interrupts { id } steps(first: 1) { nodes { modelCalls { id } } } } } } }`,
  runs: `{ runs(first: 100) { totalCount nodes { session { title } task { status } agent { name } parentRun { id }
    steps { nodes { modelCalls { id } } } modelCalls { totalCount } interrupts { id } events { events { id } } } } }`,
  interrupts: `{ interrupts(first: 100) { totalCount nodes { run { task { id } } session { agent { name } } } } }`,
  modelCalls: `{ modelCalls(first: 100) { totalCount nodes { model runId } } }`,
  schedules: `{ schedules(first: 100) { totalCount nodes { name nextTimes lastTask { status session { title } } } } }`,
  webhooks: `{ webhooks(first: 100) { totalCount nodes { url events } } }`,
  webhookDeliveries: `{ webhookDeliveries(first: 100) { totalCount nodes { webhook { url } task { session { title } } } } }`,
  agents: `{ agents(first: 100) { totalCount nodes { name mode hidden graph { nodes { id } } configEntity { id revision } } } }`,
};

describe.each(databaseKinds)("statements on %s", (kind) => {
  let world: ApiWorld;
  let key: string;
  beforeAll(async () => {
    // What the process looks for by itself would be counted.
    world = await openApiWorld({ kind, tunables: { claimPollMs: 3_600_000, duePollMs: 3_600_000 } });
    key = await world.makeKey();
    await insertSessions(world.server.installation, 10);
    await defineAgents(["defined-1"]);
  });
  afterAll(async () => {
    await world[Symbol.asyncDispose]();
  });

  async function defineAgents(names: readonly string[]): Promise<void> {
    const document = `mutation($name: String!, $definition: JSON!) {
      upsertConfigEntity(input: { kind: AGENT, name: $name, definition: $definition }) { __typename } }`;
    const definition = { model: { provider: "scripted", model: "guide" } };
    for (const name of names)
      expect(await world.ask(key, document, { name, definition })).toMatchObject({
        data: { upsertConfigEntity: { __typename: "ConfigSaved" } },
      });
  }

  type Looked = { texts: string[]; answer: Awaited<ReturnType<ApiWorld["ask"]>> };

  /** What a query costs by itself: the least of some looks, as the process renews its leases meanwhile. */
  async function statementsOf(query: string): Promise<Looked> {
    await world.ask(key, query);
    const looks = [await lookAt(query), await lookAt(query), await lookAt(query)] as const;
    return looks.reduce((least, look) => (look.texts.length < least.texts.length ? look : least));
  }

  async function lookAt(query: string): Promise<Looked> {
    const counter = countStatements(kind);
    try {
      const answer = await world.ask(key, query);
      expect(answer.errors).toBeUndefined();
      return { texts: counter.texts, answer };
    } finally {
      counter.stop();
    }
  }

  it("do not grow with the rows of any list, and a page of 50 sessions costs one besides the caller's", async () => {
    const few = new Map<string, string[]>();
    for (const [name, query] of Object.entries(deepQueries)) few.set(name, (await statementsOf(query)).texts);
    await insertSessions(world.server.installation, 40);
    await defineAgents(["defined-2", "defined-3", "defined-4"]);
    for (const [name, query] of Object.entries(deepQueries)) {
      const { texts } = await statementsOf(query);
      expect(texts.length, `${name}:\n${texts.join("\n")}`).toBe(few.get(name)?.length);
    }
    const { texts, answer } = await statementsOf(pageOfList);
    expect(answer.data.sessions.nodes).toHaveLength(50);
    expect(answer.data.sessions.nodes[0]).toMatchObject({
      agent: { name: "echo" },
      lastRun: { status: "INTERRUPTED" },
    });
    expect(texts.length, texts.join("\n")).toBeLessThanOrEqual(2);
  });

  it("read only what was asked for", async () => {
    const { texts } = await statementsOf("{ runs(first: 10) { nodes { status } } }");
    const [runs, ...others] = texts.filter((text) => !text.includes("api_keys"));
    expect(others).toEqual([]);
    expect(runs).not.toMatch(/manifest|input|output|context/);
  });
});
