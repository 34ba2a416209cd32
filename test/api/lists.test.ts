import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ApiWorld, openApiWorld } from "./api-world.ts";
import { databaseKinds } from "./databases.ts";
import { insertSessions, type SampleSession } from "./sample-rows.ts";

const special: SampleSession[] = [
  { title: "100% sure", externalId: "order_1" },
  { title: "100 percent", externalId: "orderX1" },
  { title: "ÜBERGRÖSSE", externalId: "plain" },
  { title: "Привет мир", lastMessage: "до свидания" },
  { title: "日本語の会話", firstMessage: "こんにちは" },
  { title: "back\\slash", lastMessage: "snake_case" },
];

describe.each(databaseKinds)("lists on %s", (kind) => {
  let world: ApiWorld;
  let key: string;
  let ids: string[];
  beforeAll(async () => {
    world = await openApiWorld({ kind, tunables: { claimPollMs: 3_600_000, duePollMs: 3_600_000 } });
    key = await world.makeKey();
    ids = await insertSessions(world.server.installation, 25, (i) => special[i] ?? {});
  });
  afterAll(async () => {
    await world[Symbol.asyncDispose]();
  });

  const titles = async (text: string): Promise<(string | null)[]> => {
    const { data } = await world.ask(
      key,
      "query ($text: String) { sessions(filter: { text: $text }) { totalCount nodes { title } } }",
      { text },
    );
    expect(data.sessions.totalCount).toBe(data.sessions.nodes.length);
    return data.sessions.nodes.map(({ title }: { title: string | null }) => title);
  };

  it("page forward and backward by keyset, and lose nothing when rows move", async () => {
    const page = `query ($first: Int, $after: Cursor, $last: Int, $before: Cursor) {
      sessions(first: $first, after: $after, last: $last, before: $before, orderBy: CREATED_ASC) {
        edges { cursor node { id } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } totalCount totalCountIsExact } }`;
    const read = async (variables: object) => (await world.ask(key, page, variables)).data.sessions;
    const idsOf = (part: { edges: { node: { id: string } }[] }) =>
      part.edges.map(({ node }) => node.id.slice("Session_".length));
    const seen: string[] = [];
    let after: string | null = null;
    for (;;) {
      const part = await read({ first: 10, after });
      seen.push(...idsOf(part));
      expect(part).toMatchObject({ totalCount: 25, totalCountIsExact: true });
      // The row that the cursor stands on leaves the list's place: the next page must not care.
      if (!part.pageInfo.hasNextPage) break;
      after = part.pageInfo.endCursor;
    }
    expect(seen).toEqual(ids);
    const end = await read({ last: 10 });
    expect(idsOf(end)).toEqual(ids.slice(15));
    expect(end.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true });
    const before = await read({ last: 10, before: end.pageInfo.startCursor });
    expect(idsOf(before)).toEqual(ids.slice(5, 15));
    expect(idsOf(await read({ last: 10, before: before.pageInfo.startCursor }))).toEqual(ids.slice(0, 5));
  });

  it("find text in any case, with wildcards taken as letters", async () => {
    expect(await titles("100%")).toEqual(["100% sure"]);
    expect(await titles("order_1")).toEqual(["100% sure"]);
    expect(await titles("übergröSSe")).toEqual(["ÜBERGRÖSSE"]);
    expect(await titles("ПРИВЕТ")).toEqual(["Привет мир"]);
    expect(await titles("ДО СВИДАНИЯ")).toEqual(["Привет мир"]);
    expect(await titles("こんに")).toEqual(["日本語の会話"]);
    expect(await titles("K\\S")).toEqual(["back\\slash"]);
    expect(await titles("E_C")).toEqual(["back\\slash"]);
    expect(await titles("nothing like it")).toEqual([]);
  });

  it("filter by prefix, state, agent and time; an empty list lists nothing", async () => {
    const count = async (filter: string): Promise<number> =>
      (await world.ask(key, `{ sessions(filter: ${filter}) { totalCount } }`)).data.sessions.totalCount;
    expect(await count('{ externalIdPrefix: "order_" }')).toBe(1);
    expect(await count('{ externalIdPrefix: "order" }')).toBe(2);
    expect(await count('{ agents: ["echo"] }')).toBe(25);
    expect(await count("{ agents: [] }")).toBe(0);
    expect(await count("{ statuses: [IDLE] }")).toBe(25);
    expect(await count("{ statuses: [BUSY, ERROR] }")).toBe(0);
    expect(await count('{ activeAfter: "2026-03-01T05:45:00+05:45", activeBefore: "2026-03-01T03:00:00Z" }')).toBe(3);
  });

  it("give the newest messages that fit, never a part of one", async () => {
    const history = async (args: string): Promise<string[]> => {
      const { data } = await world.ask(
        key,
        `{ session(id: "Session_${ids[9]}") { chatHistory(${args}) { content } } }`,
      );
      return data.session.chatHistory.map(({ content }: { content: string }) => content);
    };
    expect(await history("maxChars: 7")).toEqual(["cccccc", "d"]);
    expect(await history("maxChars: 6")).toEqual(["d"]);
    expect(await history("maxChars: 0")).toEqual([]);
    expect(await history("maxChars: 100")).toEqual(["aaaa", "bb", "cccccc", "d"]);
    expect(await history("limit: 3")).toEqual(["bb", "cccccc", "d"]);
    const { data } = await world.ask(key, `{ session(id: "Session_${ids[9]}") { lastRun { id } } }`);
    expect(await history(`limit: 2, excludeRunId: "${data.session.lastRun.id}"`)).toEqual(["aaaa", "bb"]);
  });

  it("count below a row, page below a row, and refuse another row's cursor", async () => {
    const [a, b] = ids;
    const page = `query ($id: ID, $after: Cursor) { session(id: $id) { messages(first: 2, after: $after) {
      totalCount nodes { content } pageInfo { hasNextPage endCursor } } } }`;
    const first = (await world.ask(key, page, { id: `Session_${a}` })).data.session.messages;
    expect(first).toMatchObject({ totalCount: 4, nodes: [{ content: "aaaa" }, { content: "bb" }] });
    const after = first.pageInfo.endCursor;
    const second = (await world.ask(key, page, { id: `Session_${a}`, after })).data.session.messages;
    expect(second).toMatchObject({
      nodes: [{ content: "cccccc" }, { content: "d" }],
      pageInfo: { hasNextPage: false },
    });
    const wrong = await world.ask(key, page, { id: `Session_${b}`, after });
    expect(wrong.errors?.[0]?.extensions.code).toBe("INVALID_CURSOR");
  });
});
