import type { TypedDocumentNode } from "@graphql-typed-document-node/core";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { WebSocket } from "ws";
import { document, type LogPage, type LogServer, refusal, startLogServer } from "../test/log-server.ts";
import { type ClientOptions, createClient, type WheelhouseClient } from "./create-client.ts";
import type { WatchState } from "./follow.ts";

const sessionEvents = document(`
  subscription Log($after: String) {
    log: sessionEvents(sessionId: "s", after: $after) { events { sequence text } endCursor caughtUp terminal }
  }
`) as TypedDocumentNode<{ log: LogPage }, { after?: string | null }>;

const counter = document(`subscription Counter { counter }`) as TypedDocumentNode<
  { counter: number },
  Record<string, never>
>;

const upTo = (count: number): string[] => Array.from({ length: count }, (_, index) => String(index + 1));

/** Waits for what must come, on a machine of any speed. */
const eventually = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: 20_000, interval: 5 });

/** Patience enough for a busy machine; what is not under test must not happen. */
const timings = { keepAliveMs: 60_000, pongMs: 60_000, connectMs: 60_000, lingerMs: 10, maxBackoffMs: 20 };

let server: LogServer;
let clients: WheelhouseClient[];

beforeEach(async () => {
  // graphql-ws's server complains on the console about the sockets that the tests destroy under it.
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  server = await startLogServer();
  clients = [];
});

afterEach(async () => {
  vi.restoreAllMocks();
  for (const client of clients) await client.close();
  await server[Symbol.asyncDispose]();
});

function clientOf(options: Partial<ClientOptions> = {}): WheelhouseClient {
  const client = createClient({ url: server.url, webSocket: WebSocket, timings, ...options });
  clients.push(client);
  return client;
}

/** Follows the log in the background and notes what it brings. */
function follow(
  client: WheelhouseClient,
  more: { after?: string; stopAt?: number; onPage?: (page: LogPage) => void } = {},
) {
  const controller = new AbortController();
  const states: WatchState[] = [];
  const resyncs: (string | null)[] = [];
  const texts: string[] = [];
  const ended = (async () => {
    const pages = client.watch(
      sessionEvents,
      { after: more.after ?? null },
      {
        signal: controller.signal,
        onState: (state) => states.push(state),
        onResync: (cursor) => void resyncs.push(cursor),
      },
    );
    for await (const page of pages) {
      more.onPage?.(page);
      texts.push(...page.events.map((event) => event.text));
      if (more.stopAt !== undefined && texts.length >= more.stopAt) return;
    }
  })();
  ended.catch(() => undefined);
  return { states, resyncs, texts, ended, abort: () => controller.abort() };
}

describe("watch", () => {
  it("brings what was there and what comes, and says where it stands", async () => {
    server.append(120);
    const reader = follow(clientOf(), { stopAt: 123 });
    await eventually(() => expect(reader.states.at(-1)).toBe("live"));
    server.append(1);
    server.append(2);
    await reader.ended;
    expect(reader.texts).toEqual(upTo(123));
    expect(reader.states).toEqual(["connecting", "catching-up", "live", "closed"]);
  });

  it("begins behind the cursor it is given", async () => {
    server.append(10);
    const reader = follow(clientOf(), { after: "7", stopAt: 3 });
    await reader.ended;
    expect(reader.texts).toEqual(["8", "9", "10"]);
  });

  it("ends by itself after the terminal page", async () => {
    server.append(3);
    server.finish();
    const reader = follow(clientOf());
    await reader.ended;
    expect(reader.texts).toEqual(upTo(3));
    expect(reader.states.at(-1)).toBe("closed");
    expect(server.seen.subscriptions).toEqual([null]);
  });

  it("resumes behind the last page after all sockets were destroyed", async () => {
    server.append(10);
    const reader = follow(clientOf(), { stopAt: 20 });
    await eventually(() => expect(reader.texts).toHaveLength(10));
    server.cutSockets();
    server.append(10);
    await reader.ended;
    expect(reader.texts).toEqual(upTo(20));
    expect(server.seen.subscriptions).toEqual([null, "10"]);
    expect(reader.states).toEqual([
      "connecting",
      "catching-up",
      "live",
      "reconnecting",
      "catching-up",
      "live",
      "closed",
    ]);
  });

  it("loses and repeats nothing, whatever happens to the connections", { timeout: 60_000 }, async () => {
    const incident = fc.record({
      kind: fc.constantFrom("cut", "close-1000", "close-1012", "close-4500", "resync", "internal", "burst", "burst"),
      // Otherwise it comes while the readers are somewhere in the middle, or not even connected.
      whenLive: fc.boolean(),
      events: fc.integer({ min: 1, max: 60 }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(incident, { minLength: 1, maxLength: 20 }),
        fc.nat(3),
        fc.integer({ min: 1, max: 40 }),
        async (incidents, overlap, pageSize) => {
          await using own = await startLogServer();
          own.settings.overlap = overlap;
          own.settings.pageSize = pageSize;
          own.append(100);
          const patience = { ...timings, maxBackoffMs: 2 };
          await using client = createClient({ url: own.url, webSocket: WebSocket, timings: patience });
          const readers = [follow(client), follow(client)];
          const caughtUp = () =>
            eventually(() =>
              expect(readers.map((reader) => reader.texts.at(-1))).toEqual(readers.map(() => String(own.length()))),
            );
          for (const { kind, whenLive, events } of incidents) {
            if (whenLive) await caughtUp();
            if (kind === "cut") own.cutSockets();
            else if (kind === "resync") own.refusals.push(refusal("RESYNC", { cursor: "0" }));
            else if (kind === "internal") own.refusals.push(refusal("INTERNAL_ERROR"));
            else if (kind !== "burst") own.closeWebSockets(Number(kind.slice("close-".length)));
            own.append(events);
            await new Promise((resolve) => setImmediate(resolve));
          }
          await caughtUp();
          for (const reader of readers) expect(reader.texts).toEqual(upTo(own.length()));
          for (const reader of readers) reader.abort();
          await Promise.all(readers.map((reader) => reader.ended));
        },
      ),
      { numRuns: 25, seed: 20_261 },
    );
  });

  it("notices a connection that stays open and says nothing any more", async () => {
    server.append(5);
    const reader = follow(clientOf({ timings: { ...timings, keepAliveMs: 50, pongMs: 500 } }), { stopAt: 6 });
    await eventually(() => expect(reader.states.at(-1)).toBe("live"));
    server.freezeSockets();
    server.append(1);
    await reader.ended;
    expect(reader.texts).toEqual(upTo(6));
    expect(server.seen.connections).toBeGreaterThan(1);
  });

  it("goes on trying while there is no server", async () => {
    server.append(2);
    server.settings.refuseConnections = 6;
    const reader = follow(clientOf(), { stopAt: 2 });
    await reader.ended;
    expect(reader.texts).toEqual(upTo(2));
    expect(reader.states).toEqual(["connecting", "reconnecting", "catching-up", "live", "closed"]);
  });

  it("does not wait out the back-off when it is told that now is a good moment", async () => {
    server.append(1);
    const client = clientOf({ timings: { ...timings, maxBackoffMs: 3_600_000 } });
    server.settings.refuseConnections = 5;
    const reader = follow(client, { stopAt: 1 });
    await eventually(() => {
      client.reconnectNow();
      expect(reader.texts).toEqual(["1"]);
    });
    await reader.ended;
  });

  it("wakes up with the browser's network and visibility", async () => {
    server.append(1);
    const listeners = new Map<string, () => void>();
    const fake = {
      visibilityState: "visible",
      addEventListener: (type: string, listener: () => void) => listeners.set(type, listener),
      removeEventListener: (type: string) => listeners.delete(type),
    };
    vi.stubGlobal("addEventListener", fake.addEventListener);
    vi.stubGlobal("removeEventListener", fake.removeEventListener);
    vi.stubGlobal("document", fake);
    try {
      const client = clientOf({ timings: { ...timings, maxBackoffMs: 3_600_000 } });
      server.settings.refuseConnections = 5;
      const reader = follow(client, { stopAt: 1 });
      await eventually(() => {
        listeners.get("online")?.();
        listeners.get("visibilitychange")?.();
        expect(reader.texts).toEqual(["1"]);
      });
      await client.close();
      expect(listeners.size).toBe(0);
    } finally {
      vi.unstubAllGlobals();
    }
  });

  it("goes on from the cursor that RESYNC names and repeats nothing", async () => {
    server.append(30);
    const reader = follow(clientOf(), { stopAt: 31 });
    await eventually(() => expect(reader.texts).toHaveLength(30));
    server.refusals.push(refusal("RESYNC", { cursor: "12" }));
    server.append(1);
    await reader.ended;
    expect(reader.texts).toEqual(upTo(31));
    expect(reader.resyncs).toEqual(["12"]);
    expect(server.seen.subscriptions).toEqual([null, "12"]);
  });

  it("reads a log again that was set back behind what was read", async () => {
    server.append(5);
    const reader = follow(clientOf(), { stopAt: 11 });
    await eventually(() => expect(reader.texts).toHaveLength(5));
    server.refusals.push(refusal("RESYNC", { cursor: "0", reason: "SET_BACK" }));
    server.append(1);
    await reader.ended;
    expect(reader.texts).toEqual([...upTo(5), ...upTo(6)]);
  });

  it.each(["NOT_FOUND", "FORBIDDEN", "UNAUTHENTICATED", "INVALID_CURSOR"])(
    "ends with the error %s and asks no more",
    async (code) => {
      server.refusals.push(refusal(code));
      const reader = follow(clientOf());
      await expect(reader.ended).rejects.toMatchObject({ name: "GraphQLRequestError", code });
      expect(reader.states.at(-1)).toBe("closed");
      expect(server.seen.subscriptions).toHaveLength(1);
    },
  );

  it("ends with the validation error of a document that the server does not understand", async () => {
    const wrong = document(
      `subscription Wrong($after: String) { nothing(after: $after) { endCursor } }`,
    ) as TypedDocumentNode<{ nothing: LogPage }, { after?: string | null }>;
    await expect(clientOf().watch(wrong).next()).rejects.toMatchObject({
      name: "GraphQLRequestError",
      code: "UNKNOWN",
    });
  });

  it.each([
    [4401, "UNAUTHENTICATED"],
    [4403, "FORBIDDEN"],
  ])("ends when the server closes the connection with %i", async (closeCode, code) => {
    server.settings.closeCode = closeCode;
    const reader = follow(clientOf());
    await expect(reader.ended).rejects.toMatchObject({ code, message: "as told" });
    expect(server.seen.connections).toBe(1);
  });

  it("tries again when the server fails by itself", async () => {
    server.append(1);
    server.refusals.push(refusal("INTERNAL_ERROR"), refusal("ANYTHING", { retryable: true }));
    const reader = follow(clientOf(), { stopAt: 1 });
    await reader.ended;
    expect(server.seen.subscriptions).toEqual([null, null, null]);
  });

  it("stops when the signal aborts, also while it waits, and leaves nothing behind", async () => {
    server.append(1);
    const reader = follow(clientOf());
    await eventually(() => expect(reader.states.at(-1)).toBe("live"));
    reader.abort();
    await reader.ended;
    expect(reader.states.at(-1)).toBe("closed");
    await server.idle();
  });

  it("stops when the iterator is returned while it waits", async () => {
    const pages = clientOf().watch(sessionEvents, {});
    await pages.next();
    const next = pages.next();
    await pages.return?.();
    await expect(next).resolves.toEqual({ done: true, value: undefined });
  });

  it("yields nothing when the signal was aborted before", async () => {
    const pages = clientOf().watch(sessionEvents, {}, { signal: AbortSignal.abort() });
    await expect(pages.next()).resolves.toEqual({ done: true, value: undefined });
    expect(server.seen.connections).toBe(0);
  });

  it("stops every reader when the client is closed", async () => {
    const client = clientOf();
    const readers = [follow(client), follow(client)];
    await eventually(() => expect(readers.map((reader) => reader.states.at(-1))).toEqual(["live", "live"]));
    await client.close();
    await Promise.all(readers.map((reader) => reader.ended));
    await server.idle();
  });

  it("serves hundreds of readers without a warning of a leak, and stops them all", async () => {
    const warned = vi.fn();
    process.on("warning", warned);
    const client = clientOf();
    const readers = Array.from({ length: 200 }, () => follow(client));
    await eventually(() => expect(readers.every(({ states }) => states.at(-1) === "live")).toBe(true));
    await client.close();
    await Promise.all(readers.map(({ ended }) => ended));
    process.off("warning", warned);
    expect(warned).not.toHaveBeenCalled();
  });

  it("carries all readers of a client over one socket, and two clients do not disturb each other", async () => {
    server.append(3);
    const [tab, other] = [clientOf(), clientOf()];
    const readers = [follow(tab), follow(tab), follow(tab), follow(other)];
    await eventually(() => expect(readers.map((reader) => reader.texts.length)).toEqual([3, 3, 3, 3]));
    expect(server.seen.connections).toBe(2);
    await tab.close();
    server.append(1);
    await eventually(() => expect(readers[3]?.texts).toEqual(upTo(4)));
  });

  it("lets a slow reader wait without piling up the log, and loses nothing", async () => {
    server.settings.pageSize = 1;
    server.append(2_000);
    const client = clientOf();
    const pages = client.watch(sessionEvents, {});
    const texts = [(await pages.next()).value.events[0].text];
    await server.idle();
    while (texts.length < 2_000)
      texts.push(...(await pages.next()).value.events.map((event: { text: string }) => event.text));
    await pages.return?.();
    expect(texts).toEqual(upTo(2_000));
    expect(server.seen.subscriptions.length).toBeGreaterThan(1);
  });

  it("sends the key, the project and the headers when it connects", async () => {
    const client = clientOf({ apiKey: "wh_1", project: "blue", headers: async () => ({ "x-trace": "t" }) });
    await client.watch(sessionEvents, {}).next();
    expect(server.seen.params).toEqual([
      { authorization: "Bearer wh_1", "x-wheelhouse-project": "blue", "x-trace": "t" },
    ]);
  });

  it("refuses a document that cannot be resumed", () => {
    const endless = document(`subscription Log { sessionEvents(sessionId: "s") { endCursor } }`) as TypedDocumentNode<
      { sessionEvents: LogPage },
      Record<string, never>
    >;
    expect(() => clientOf().watch(endless)).toThrow("$after");
  });
});

describe("subscribe", () => {
  it("marks the first value of every subscription", async () => {
    const values = clientOf().subscribe(counter);
    expect((await values.next()).value).toEqual({ value: 1, first: true });
    server.tick();
    expect((await values.next()).value).toEqual({ value: 2, first: false });
    server.cutSockets();
    expect((await values.next()).value).toEqual({ value: 1, first: true });
    await values.return?.();
  });
});
