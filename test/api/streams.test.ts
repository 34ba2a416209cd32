import { createClient as createSocketClient } from "graphql-ws";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { type ApiWorld, openApiWorld } from "./api-world.ts";
import { databaseKinds } from "./databases.ts";
import { transports } from "./transports.ts";

const document = `subscription ($runId: ID!, $after: Cursor) { runEvents(runId: $runId, after: $after) {
  events { sequence type payload } endCursor caughtUp terminal } }`;

interface Page {
  events: { sequence: number; type: string; payload: { text?: string } }[];
  endCursor: string;
  caughtUp: boolean;
  terminal: boolean;
}

describe.each(databaseKinds)("streams on %s", (kind) => {
  let world: ApiWorld;
  let key: string;
  beforeAll(async () => {
    world = await openApiWorld({ kind });
    key = await world.makeKey();
  });
  afterAll(async () => {
    await world[Symbol.asyncDispose]();
  });

  const begin = async (
    agent: string,
  ): Promise<{ runId: string; cursor: string; sessionId: string; taskId: string }> => {
    const { data } = await world.ask(
      key,
      `mutation { sendMessage(input: { agent: "${agent}", content: "go" }) { ... on SubmitTaskSuccess {
        session { id } task { id } run { id } cursor } } }`,
    );
    const { session, task, run, cursor } = data.sendMessage;
    return { runId: run.id, cursor, sessionId: session.id, taskId: task.id };
  };

  it.each(transports)(
    "%s follows a run, loses its connection in the middle, and misses nothing",
    async (_, connect) => {
      const { runId, cursor } = await begin("slow");
      const sequences: number[] = [];
      let text = "";
      let after = cursor;
      let terminal = false;
      for (let connections = 0; !terminal; connections++) {
        expect(connections).toBeLessThan(10);
        let pages = 0;
        for await (const page of connect<Page>(world, key, { query: document, variables: { runId, after } })) {
          after = page.endCursor;
          terminal = page.terminal;
          for (const event of page.events) {
            sequences.push(event.sequence);
            if (event.type === "message.delta") text += event.payload.text ?? "";
          }
          pages += 1;
          // The first two connections are cut while the answer is still coming.
          if (connections < 2 && pages >= 3 && !terminal) break;
        }
      }
      // The session's first event, that the task was submitted, is older than the run.
      expect(sequences).toEqual(sequences.map((_sequence, i) => i + 2));
      expect(text).toBe(Array.from({ length: 120 }, (_word, i) => `word${i} `).join(""));
    },
  );

  it("a run that has ended is told again from any cursor, with a terminal page", async () => {
    const { runId, cursor } = await begin("echo");
    expect(await world.ended(key, runId)).toBe("SUCCEEDED");
    for (const [, connect] of transports) {
      const pages: Page[] = [];
      for await (const page of connect<Page>(world, key, { query: document, variables: { runId, after: cursor } }))
        pages.push(page);
      expect(pages.at(-1)?.terminal).toBe(true);
      expect(pages.flatMap(({ events }) => events).at(-1)?.type).toMatch(/^(task\.completed|run\.succeeded)$/);
    }
  });

  it("a live list enters every row, then tells what changed", async () => {
    const patches: { upserted: { title: string | null; status: string }[]; removed: string[] }[] = [];
    const client = createSocketClient({
      url: `${world.server.url.replace("http", "ws")}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: { authorization: `Bearer ${key}` },
    });
    const query = `subscription { sessionsLive(first: 5, filter: { text: "Patched" }) { upserted { title status } removed } }`;
    let changed: string | null = null;
    try {
      for await (const { data } of client.iterate<{ sessionsLive: (typeof patches)[number] }>({ query })) {
        if (data == null) throw new Error("no data");
        patches.push(data.sessionsLive);
        if (changed === null) {
          const made = await world.ask(
            key,
            'mutation { createSession(input: { agent: "echo", title: "Patched once" }) { ... on Session { id } } }',
          );
          changed = made.data.createSession.id;
        } else if (data.sessionsLive.removed.length === 0)
          await world.ask(
            key,
            `mutation { updateSession(input: { sessionId: "${changed}", title: "Other" }) { __typename } }`,
          );
        else break;
      }
    } finally {
      client.terminate();
    }
    expect(patches[0]).toEqual({ upserted: [], removed: [] });
    expect(patches[1]?.upserted).toEqual([{ title: "Patched once", status: "IDLE" }]);
    expect(patches.at(-1)).toEqual({ upserted: [], removed: [changed] });
  });

  it("an unknown run, and no credentials, are errors of the stream", async () => {
    const runId = "Run_01900000-0000-7000-8000-000000000000";
    for (const [, connect] of transports)
      await expect(
        connect(world, key, { query: document, variables: { runId, after: "" } })
          [Symbol.asyncIterator]()
          .next(),
      ).rejects.toThrow();
    const socket = new WebSocket(`${world.server.url.replace("http", "ws")}/graphql`, "graphql-transport-ws");
    const closed = new Promise<number>((resolve) => socket.on("close", resolve));
    socket.on("open", () => socket.send(JSON.stringify({ type: "connection_init" })));
    expect(await closed).toBe(4401);
  });
});
