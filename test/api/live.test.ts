import { connect as connectSocket } from "node:net";
import type { Fence } from "@wheelhouse/storage";
import { createClient as createSocketClient } from "graphql-ws";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { type ApiWorld, openApiWorld, type Parsed } from "./api-world.ts";
import { databaseKinds } from "./databases.ts";
import { type Connect, overPlainHttp, overSse, overWebSocket, StreamRefused, transports } from "./transports.ts";

interface Event {
  id: string;
  sequence: number;
  sessionId: string;
  type: string;
}
interface Page {
  events: Event[];
  endCursor: string;
  caughtUp: boolean;
  terminal: boolean;
}

const fields = "events { id sequence sessionId type payload } endCursor caughtUp terminal";
const projectDocument = `subscription ($filter: EventFilter, $after: Cursor, $fromNow: Boolean) {
  projectEvents(filter: $filter, after: $after, fromNow: $fromNow) { ${fields} } }`;
const sessionDocument = `subscription ($sessionId: ID!, $after: Cursor) {
  sessionEvents(sessionId: $sessionId, after: $after) { ${fields} } }`;

/** Whom a stream without an end is left by. */
const firstOf = async <Value>(stream: AsyncIterable<Value>): Promise<Value> => {
  for await (const value of stream) return value;
  throw new Error("the stream was empty");
};

describe.each(databaseKinds)("live reading on %s", { timeout: 120_000 }, (kind) => {
  let world: ApiWorld;
  let key: string;
  beforeAll(async () => {
    world = await openApiWorld({ kind, tunables: { maxBufferedEvents: 100, eventPage: 50 } });
    key = await world.makeKey();
  });
  afterAll(async () => {
    await world[Symbol.asyncDispose]();
  });

  /** The readers of the test before have been noticed to be gone. */
  const quiet = (): Promise<void> =>
    expect.poll(() => world.server.installation.runtime.tails.size, { timeout: 30_000 }).toBe(0);

  /** A run that does nothing, whose log a test writes. */
  async function openLog(as = key) {
    const { data } = await world.ask(
      as,
      `mutation { sendMessage(input: { agent: "stuck", content: "go" }) { ... on SubmitTaskSuccess {
        session { id } task { id } run { id } cursor } } }`,
    );
    const { session, task, run, cursor } = data.sendMessage;
    const { models, runtime } = world.server.installation;
    const runId = String(run.id).replace("Run_", "");
    // The agent says one word and waits: from then on the log is the test's.
    await expect
      .poll(() => models.event.count({ where: { runId, type: "message.delta" } }), { timeout: 60_000 })
      .toBeGreaterThan(0);
    const row = await models.run.findUniqueOrThrow({ where: { id: runId } });
    const fence: Fence = {
      ...{ runId, sessionId: row.sessionId, owner: row.owner ?? "", generation: row.generation },
    };
    const append = async (count: number, text = "x"): Promise<void> => {
      const { outcome } = await runtime.storage.runs.record(fence, {
        events: Array.from({ length: count }, () => ({
          ...{ type: "custom" as const, visibility: "END_USER" as const, runId, payload: { value: text } },
          at: new Date(),
        })),
        ...{ steps: [], messages: [], modelCalls: [] },
      });
      expect(outcome).toBe("recorded");
    };
    const end = () => world.ask(as, `mutation { cancelTask(input: { taskId: "${task.id}" }) { __typename } }`);
    const log = async (): Promise<string[]> =>
      (
        await models.event.findMany({
          where: { sessionId: row.sessionId, visibility: { not: "INTERNAL" } },
          orderBy: { sequence: "asc" },
          select: { id: true },
        })
      ).map(({ id }) => id);
    return { sessionId: String(session.id), cursor: String(cursor), append, end, log };
  }

  it.each(transports)("%s follows the project, loses its connection, and misses nothing", async (_, connect) => {
    const start = await firstOf(connect<Page>(world, key, { query: projectDocument, variables: { fromNow: true } }));
    const logs = [await openLog(), await openLog()];
    const seen: Event[] = [];
    let after = start.endCursor;
    const ids = new Set<string>();
    const wanted = async () => (await Promise.all(logs.map(({ log }) => log()))).flat();
    for (let connections = 0; connections < 20; connections++) {
      for (const { append } of logs) await append(3);
      let pages = 0;
      const stream = connect<Page>(world, key, { query: projectDocument, variables: { after } });
      for await (const page of stream) {
        after = page.endCursor;
        seen.push(...page.events);
        for (const { id } of page.events) ids.add(id);
        pages += 1;
        // The first connections are cut in the middle, the last one when everything was told.
        if (connections < 2 ? pages >= 2 : (await wanted()).every((id) => ids.has(id))) break;
        if (connections < 2) for (const { append } of logs) await append(1);
      }
      if (connections >= 2) break;
    }
    for (const [i, { sessionId, log, end }] of logs.entries()) {
      const mine = seen.filter((event) => event.sessionId === sessionId);
      expect(
        mine.map(({ id }) => id),
        `log ${i}`,
      ).toEqual(await log());
      await end();
    }
    expect(new Set(seen.map(({ id }) => id)).size).toBe(seen.length);
  });

  it("shows to an exact key the feed of its own scope, and filters", async () => {
    const own = await world.makeKey({ reach: "EXACT", scope: { user: "u-1" } });
    const mine = await openLog(own);
    await mine.append(2);
    const start = await firstOf(
      overWebSocket<Page>(world, key, { query: projectDocument, variables: { fromNow: true } }),
    );
    const other = await openLog();
    await other.append(2);
    await mine.append(1);
    const sessionsOf = async (as: string, filter: object) => {
      const found = new Set<string>();
      const count = { events: 0 };
      const stream = overPlainHttp<Page>(world, as, {
        query: projectDocument,
        variables: { filter, after: start.endCursor },
      });
      for await (const page of stream) {
        for (const { sessionId } of page.events) found.add(sessionId);
        count.events += page.events.length;
        if (page.caughtUp && count.events > 0) break;
      }
      return [...found];
    };
    expect(await sessionsOf(own, {})).toEqual([mine.sessionId]);
    expect(await sessionsOf(key, { types: ["custom"], sessionId: other.sessionId })).toEqual([other.sessionId]);
    await Promise.all([mine.end(), other.end()]);
  });

  it("closes the stream of a socket that does not read with RESYNC, and forgets nothing", async () => {
    const log = await openLog();
    const { tails } = world.server.installation.runtime;
    await quiet();
    const socket = new WebSocket(`${world.server.url.replace("http", "ws")}/graphql`, "graphql-transport-ws");
    const messages: Parsed[] = [];
    socket.on("message", (data) => messages.push(JSON.parse(String(data))));
    await new Promise((resolve) => socket.on("open", resolve));
    socket.send(JSON.stringify({ type: "connection_init", payload: { authorization: `Bearer ${key}` } }));
    await expect.poll(() => messages.some(({ type }) => type === "connection_ack"), { timeout: 30_000 }).toBe(true);
    const payload = { query: sessionDocument, variables: { sessionId: log.sessionId } };
    socket.send(JSON.stringify({ id: "s", type: "subscribe", payload }));
    await expect.poll(() => tails.size, { timeout: 30_000 }).toBe(1);
    socket.pause();
    // More than the socket's buffers and the server's patience hold.
    const text = "x".repeat(30_000);
    for (let round = 0; round < 120 && tails.size > 0; round++) await log.append(10, text);
    expect(tails.size).toBe(0);
    socket.resume();
    await expect
      .poll(() => messages.some(({ type }) => type === "complete" || type === "error"), { timeout: 60_000 })
      .toBe(true);
    const nexts = messages.filter(({ type }) => type === "next").map((message) => message.payload);
    const refusal = nexts.at(-1).errors[0];
    expect(refusal.extensions).toMatchObject({ code: "RESYNC", cursor: expect.any(String) });
    const seen: string[] = nexts.flatMap(({ data }) => (data?.sessionEvents?.events ?? []).map(({ id }: Event) => id));
    socket.terminate();
    await log.end();
    const all = await log.log();
    const resumed = overWebSocket<Page>(world, key, {
      ...{ query: sessionDocument, variables: { sessionId: log.sessionId, after: refusal.extensions.cursor } },
    });
    for await (const page of resumed) {
      seen.push(...page.events.map(({ id }) => id));
      if (seen.length >= all.length) break;
    }
    expect(seen).toEqual(all);
  });

  it("closes the stream of an HTTP reader that does not read with RESYNC, and holds no more than its bounds", async () => {
    const log = await openLog();
    const { tails } = world.server.installation.runtime;
    await quiet();
    const { port } = new URL(world.server.url);
    const socket = connectSocket(Number(port), "127.0.0.1");
    const body = JSON.stringify({ query: sessionDocument, variables: { sessionId: log.sessionId } });
    const head = [
      ...["POST /graphql HTTP/1.1", "host: localhost", "accept: text/event-stream", "content-type: application/json"],
      ...[`authorization: Bearer ${key}`, `content-length: ${body.length}`, "", ""],
    ];
    let received = "";
    socket.on("data", (data) => {
      received += data.toString("latin1");
    });
    socket.write(head.join("\r\n") + body);
    await expect.poll(() => tails.size, { timeout: 30_000 }).toBe(1);
    socket.pause();
    const text = "x".repeat(30_000);
    for (let round = 0; round < 200 && tails.size > 0; round++) await log.append(10, text);
    expect(tails.size).toBe(0);
    socket.resume();
    await expect.poll(() => received.includes('"RESYNC"'), { timeout: 60_000 }).toBe(true);
    expect(received.slice(received.indexOf('"RESYNC"'))).toContain("event: complete");
    socket.destroy();
    await log.end();
  });

  it("tells operators who listens to what, and closes a stream that can be resumed", async () => {
    const log = await openLog();
    const query = `{ admin { replica subscribers { id field target actorKind actorName transport since framesSent
      cursor eventsBehind bufferedEvents waitingBytes } } }`;
    const subscribers = async (): Promise<Parsed[]> => (await world.ask(key, query)).data.admin.subscribers;
    await expect.poll(subscribers, { timeout: 30_000 }).toEqual([]);
    const frames: Page[] = [];
    const reading = (async () => {
      const stream = overWebSocket<Page>(world, key, {
        query: sessionDocument,
        variables: { sessionId: log.sessionId },
      });
      for await (const page of stream) frames.push(page);
    })();
    const refused = reading.catch((error: unknown) => error);
    const feed = overSse<Page>(world, key, { query: projectDocument, variables: { fromNow: true } });
    const reader = feed[Symbol.asyncIterator]();
    await reader.next();
    await expect.poll(async () => (await subscribers()).length, { timeout: 30_000 }).toBe(2);
    await log.append(1);
    await expect.poll(() => frames.at(-1)?.events.at(-1)?.type, { timeout: 30_000 }).toBe("custom");
    const listed = await subscribers();
    const mine = listed.find(({ field }) => field === "sessionEvents");
    expect(mine).toMatchObject({
      ...{ target: log.sessionId, actorKind: "API_KEY", transport: "WEBSOCKET", eventsBehind: 0, bufferedEvents: 0 },
      ...{ cursor: frames.at(-1)?.endCursor, framesSent: frames.length, waitingBytes: 0 },
    });
    expect(listed.find(({ field }) => field === "projectEvents")).toMatchObject({
      target: null,
      transport: "EVENT_STREAM",
    });
    const close = async (as: string, id: string) =>
      (
        await world.ask(as, "mutation ($id: ID!) { closeSubscriber(input: { subscriberId: $id }) { __typename } }", {
          id,
        })
      ).data.closeSubscriber.__typename;
    const outsiders = [
      await world.makeKey({ permissions: ["read"] }),
      await world.makeKey({ reach: "EXACT", scope: { user: "u-1" } }),
    ];
    for (const outsider of outsiders) {
      expect((await world.ask(outsider, query)).errors?.[0]?.extensions.code).toBe("FORBIDDEN");
      expect(await close(outsider, mine.id)).toBe("Forbidden");
    }
    expect(await close(key, "nobody")).toBe("NotFound");
    expect(await close(key, mine.id)).toBe("CloseSubscriberSuccess");
    const error = await refused;
    expect(error).toBeInstanceOf(StreamRefused);
    expect((error as StreamRefused).errors[0]?.extensions).toMatchObject({
      ...{ code: "RESYNC", cursor: frames.at(-1)?.endCursor },
    });
    await reader.return?.(undefined);
    await expect.poll(async () => (await subscribers()).length, { timeout: 30_000 }).toBe(0);
    await log.end();
  });

  it("holds nothing of a thousand readers that came and left, over every transport", async () => {
    const log = await openLog();
    const { runtime } = world.server.installation;
    const listeners = (): unknown => Reflect.get(runtime.storage.wakeUps, "size");
    const timers = (): number => {
      // Not in the types of the oldest Node that is supported.
      const names: unknown = Reflect.apply(Reflect.get(process, "getActiveResourcesInfo"), process, []);
      return Array.isArray(names) ? names.filter((name) => name === "Timeout").length : 0;
    };
    const admin = async (): Promise<number> =>
      (await world.ask(key, "{ admin { subscribers { id } } }")).data.admin.subscribers.length;
    await quiet();
    const before = { tails: 0, listeners: listeners() };
    const timersBefore = timers();
    const subscriptions = [
      { query: sessionDocument, variables: { sessionId: log.sessionId } },
      { query: projectDocument, variables: { fromNow: true } },
      { query: "subscription { sessionsLive(first: 5) { upserted { id } removed } }" },
    ];
    // Four sockets with a hundred streams each, closed one by one and all at once; the rest over HTTP.
    for (let connection = 0; connection < 4; connection++) {
      const client = createSocketClient({
        url: `${world.server.url.replace("http", "ws")}/graphql`,
        webSocketImpl: WebSocket,
        ...{ connectionParams: { authorization: `Bearer ${key}` }, retryAttempts: 0, lazyCloseTimeout: 5_000 },
      });
      const streams = Array.from({ length: 100 }, (_, i) =>
        client.iterate({ ...(subscriptions[i % 3] ?? { query: "" }) }),
      );
      await Promise.all(streams.map((stream) => stream.next()));
      if (connection % 2 === 0) await Promise.all(streams.map((stream) => stream.return?.(undefined)));
      client.terminate();
    }
    const leave = async (connect: Connect, i: number) =>
      firstOf(connect(world, key, { ...(subscriptions[i % 3] ?? { query: "" }) }));
    for (let round = 0; round < 30; round++)
      await Promise.all(Array.from({ length: 20 }, (_, i) => leave(i % 2 === 0 ? overSse : overPlainHttp, i)));
    await expect.poll(admin, { timeout: 60_000 }).toBe(0);
    await expect
      .poll(() => ({ tails: runtime.tails.size, listeners: listeners() }), { timeout: 60_000 })
      .toEqual(before);
    // A few belong to connections that linger and to whoever waits here.
    await expect.poll(timers, { timeout: 60_000 }).toBeLessThan(timersBefore + 20);
    await log.end();
  });
});
