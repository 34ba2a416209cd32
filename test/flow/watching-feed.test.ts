import { feedCursor, type StoredEvent } from "@wheelhouse/domain";
import {
  type EventsFrame,
  type LiveStream,
  readEvents,
  sendMessage,
  watchEvents,
  watchFeed,
} from "@wheelhouse/runtime";
import type { Storage } from "@wheelhouse/storage";
import { describe, expect, it, vi } from "vitest";
import { type FlowWorld, logOf, openFlowWorld, runToEnd, storageKinds } from "./flow-world.ts";

const send = (world: FlowWorld, content: string, sessionId?: string, authority = world.authority) =>
  sendMessage(world.deps, authority, { ...(sessionId ? { sessionId } : { agent: "echo" }), content });

/** A run in a worker's hands, so that a test decides when its log grows. */
async function openLog(world: FlowWorld, authority = world.authority) {
  const { session, run } = await send(world, "wait never", undefined, authority);
  const claim = { owner: "test", leaseMs: 600_000, limit: 100, maxRecoveries: 3, at: world.deps.clock.now() };
  const claimed = (await world.deps.storage.runs.claim(claim)).find((each) => each.run.id === run.id);
  if (claimed === undefined) throw new Error("nothing to claim");
  const append = (count: number) =>
    world.deps.storage.runs.record(claimed.fence, {
      events: Array.from({ length: count }, (_, value) => ({
        ...{ type: "custom" as const, visibility: "END_USER" as const, runId: run.id },
        ...{ payload: { value }, at: world.deps.clock.now() },
      })),
      ...{ steps: [], messages: [], modelCalls: [] },
    });
  return { session, run, append };
}

/** Reads until everything that these sessions' logs hold was seen, and leaves. */
async function readUntil(stream: LiveStream<EventsFrame>, expected: readonly string[], seen: StoredEvent[] = []) {
  const frames: EventsFrame[] = [];
  const wanted = new Set(expected);
  for (const event of seen) wanted.delete(event.id);
  if (wanted.size > 0)
    for await (const frame of stream) {
      frames.push(frame);
      for (const event of frame.events) {
        seen.push(event);
        wanted.delete(event.id);
      }
      if (wanted.size === 0) break;
    }
  return { frames, seen };
}

const idsOf = (events: readonly { id: string }[]) => events.map(({ id }) => id);

describe.each(storageKinds)("the feed of a project on %s", { timeout: 120_000 }, (kind) => {
  it("brings every session's backlog, then the tail, without a seam, from any cursor", async () => {
    await using world = await openFlowWorld(kind, { eventPage: 4 });
    const logs = [await openLog(world), await openLog(world), await openLog(world)];
    for (const log of logs) await log.append(5);
    const stream = await watchFeed(world.deps, world.authority, {});
    const seen: StoredEvent[] = [];
    let first = await stream.next();
    // Everything may still wait for somebody's open transaction.
    while (first.value.events.length === 0) first = await stream.next();
    seen.push(...first.value.events);
    const appending = (async () => {
      for (let round = 0; round < 10; round++) for (const log of logs) await log.append(1);
    })();
    await appending;
    const all = (await Promise.all(logs.map(({ session }) => logOf(world, session.id)))).flat();
    const { frames } = await readUntil(stream, idsOf(all), seen);
    expect(idsOf(seen).toSorted()).toEqual(idsOf(all).toSorted());
    for (const { session } of logs)
      expect(seen.filter(({ sessionId }) => sessionId === session.id).map(({ sequence }) => sequence)).toEqual(
        all.filter(({ sessionId }) => sessionId === session.id).map(({ sequence }) => sequence),
      );
    for (const cursor of [first.value.endCursor, ...frames.slice(0, 5).map(({ endCursor }) => endCursor)]) {
      const known = cursor === first.value.endCursor ? first.value.events.length : null;
      const rest = await watchFeed(world.deps, world.authority, { after: cursor });
      const before =
        known ??
        seen.length -
          idsOf(frames.slice(frames.findIndex((f) => f.endCursor === cursor) + 1).flatMap((f) => f.events)).length;
      const resumed = await readUntil(rest, idsOf(seen.slice(before)));
      expect(idsOf(resumed.seen)).toEqual(idsOf(seen.slice(before)));
    }
    expect(frames.some(({ terminal }) => terminal)).toBe(false);
  });

  it("begins with what comes when it is told so, and answers at once", async () => {
    await using world = await openFlowWorld(kind);
    const log = await openLog(world);
    const stream = await watchFeed(world.deps, world.authority, { fromNow: true });
    const first = await stream.next();
    expect(first.value).toMatchObject({ caughtUp: true, terminal: false });
    const before = await logOf(world, log.session.id);
    await log.append(2);
    const after = (await logOf(world, log.session.id)).slice(before.length);
    const { seen } = await readUntil(stream, idsOf(after), [...first.value.events]);
    // What was committed a moment before may still have waited for somebody's open transaction.
    expect(idsOf(seen).slice(-2)).toEqual(idsOf(after));
  });

  it("lets who has read everything share the reader of who began with what comes, while nothing comes", async () => {
    await using world = await openFlowWorld(kind);
    const log = await openLog(world);
    await log.append(1);
    const join = world.deps.tails.joinFeed;
    const joined = vi.spyOn(world.deps.tails, "joinFeed").mockImplementation((...args) => {
      // Whoever looks again and again would leave no time to the rest of the process, this test included.
      if (joined.mock.calls.length > 100) throw new Error("A reader looks again and again");
      return join(...args);
    });
    const readers = () => joined.mock.results.filter(({ value }) => value !== null).length;
    await using fromNow = await watchFeed(world.deps, world.authority, { fromNow: true });
    await fromNow.next();
    const news = fromNow.next();
    await expect.poll(readers).toBe(1);
    const known = idsOf(await logOf(world, log.session.id));
    await using everything = await watchFeed(world.deps, world.authority, {});
    for (let seen = 0; seen < known.length; ) seen += (await everything.next()).value.events.length;
    const rest = everything.next();
    await expect.poll(readers).toBe(2);
    await log.append(1);
    const all = idsOf(await logOf(world, log.session.id));
    // What was committed before may still have waited for somebody's open transaction, and then is news, too.
    const read = { news: (await news).value.events, rest: (await rest).value.events };
    await readUntil(fromNow, all.slice(known.length), read.news);
    await readUntil(everything, all.slice(known.length), read.rest);
    expect(idsOf(read.news).at(-1)).toBe(all.at(-1));
    expect(idsOf(read.rest)).toEqual(all.slice(known.length));
  });

  it("shows to each what they may see, in the backlog and in the tail alike", async () => {
    await using world = await openFlowWorld(kind);
    const mine = world.as({ reach: "EXACT", scope: { project: "flow", user: "u-1" }, visibilities: ["END_USER"] });
    const other = world.as({ reach: "EXACT", scope: { project: "flow", user: "u-2" } });
    const logs = { mine: await openLog(world, mine), other: await openLog(world, other) };
    const streams = {
      mine: await watchFeed(world.deps, mine, {}),
      custom: await watchFeed(world.deps, world.authority, { filter: { types: ["custom"] } }),
      ofOther: await watchFeed(world.deps, world.authority, { filter: { sessionId: logs.other.session.id } }),
      nobody: await watchFeed(world.deps, world.authority, { filter: { agents: ["nobody"] } }),
      stranger: await watchFeed(world.deps, world.as({ projectId: "p-unknown" }), {}),
    };
    const quiet = [streams.nobody, streams.stranger];
    for (const stream of quiet) expect((await stream.next()).value.events).toEqual([]);
    const silence = quiet.map((stream) => stream.next());
    for (let round = 0; round < 3; round++) for (const log of Object.values(logs)) await log.append(2);
    const visible = async (sessionId: string, as = world.authority) => {
      const page = await readEvents(world.deps, as, { sessionId, first: 500 });
      return idsOf(page.events);
    };
    const [ofMine, ofOther] = [await visible(logs.mine.session.id, mine), await visible(logs.other.session.id)];
    expect(idsOf((await readUntil(streams.mine, ofMine)).seen)).toEqual(ofMine);
    expect(idsOf((await readUntil(streams.ofOther, ofOther)).seen)).toEqual(ofOther);
    const { seen } = await readUntil(
      streams.custom,
      (await Promise.all(Object.values(logs).map(({ session }) => logOf(world, session.id))))
        .flat()
        .filter(({ type }) => type === "custom")
        .map(({ id }) => id),
    );
    expect(new Set(seen.map(({ type }) => type))).toEqual(new Set(["custom"]));
    expect(seen).toHaveLength(12);
    await Promise.all(quiet.map((stream) => stream.return?.()));
    for (const result of await Promise.all(silence)) expect(result.done).toBe(true);
  });

  it("refuses foreign and broken cursors, and sends back who knows more than there is", async () => {
    await using world = await openFlowWorld(kind);
    await send(world, "hello");
    for (const after of ["garbage", feedCursor("another project", { position: 1, sessionId: "", sequence: 0 })])
      await expect(watchFeed(world.deps, world.authority, { after })).rejects.toMatchObject({ code: "INVALID_CURSOR" });
    const { projectId } = world.authority;
    const ahead = feedCursor(projectId, { position: 10 ** 12, sessionId: "", sequence: 0 });
    const refused = await watchFeed(world.deps, world.authority, { after: ahead });
    const error = await refused.next().catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "RESYNC", detail: { cursor: expect.any(String) } });
    const { cursor } = (error as { detail: { cursor: string } }).detail;
    const resumed = await watchFeed(world.deps, world.authority, { after: cursor });
    expect((await resumed.next()).value).toMatchObject({ caughtUp: true });
    await resumed.return?.();
  });

  it("sends a slow reader back to its cursor, lets its reader go, and forgets nothing", async () => {
    await using world = await openFlowWorld(kind, { maxBufferedEvents: 20 });
    const log = await openLog(world);
    const stream = await watchFeed(world.deps, world.authority, {});
    const first = await stream.next();
    const pulled = stream.next();
    await log.append(1);
    const second = await pulled;
    await log.append(30);
    // Nobody takes them: the stream gives up its place at the shared reader by itself.
    await expect.poll(() => world.deps.tails.size).toBe(0);
    const refusal = await stream.next().catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: "RESYNC", detail: { cursor: second.value.endCursor } });
    const resumed = await watchFeed(world.deps, world.authority, { after: second.value.endCursor });
    const all = await logOf(world, log.session.id);
    const seen = [...first.value.events, ...second.value.events];
    await readUntil(resumed, idsOf(all), seen);
    expect(idsOf(seen)).toEqual(idsOf(all));
  });

  it("has one reader for all of its viewers, whose number costs no statement", async () => {
    await using world = await openFlowWorld(kind, { tailPollMs: 60_000 });
    const log = await openLog(world);
    let appended = 0;
    const cost = async (viewers: number, open: () => Promise<LiveStream<EventsFrame>>): Promise<number> => {
      const streams = await Promise.all(Array.from({ length: viewers }, open));
      for (const stream of streams) {
        // What was committed a moment ago may still wait for somebody's open transaction.
        for (let seen = 0, caughtUp = false; seen < appended || !caughtUp; ) {
          const { value } = await stream.next();
          seen += value.events.filter(({ type }: StoredEvent) => type === "custom").length;
          caughtUp = value.caughtUp;
        }
      }
      const waiting = streams.map((stream) => stream.next());
      await expect.poll(() => world.deps.tails.size).toBe(1);
      world.statements.length = 0;
      const { outcome } = await log.append(3);
      appended += 3;
      expect(outcome).toBe("recorded");
      for (const { value } of await Promise.all(waiting)) expect(value.events).toHaveLength(3);
      // Appending and the hint for other processes are the same for everybody.
      const reads = world.statements.filter((sql) => /FROM events e/.test(sql)).length;
      await Promise.all(streams.map((stream) => stream.return?.()));
      await expect.poll(() => world.deps.tails.size).toBe(0);
      return reads;
    };
    const session = () => watchEvents(world.deps, world.authority, { sessionId: log.session.id });
    const feed = () => watchFeed(world.deps, world.authority, { filter: { types: ["custom"] } });
    for (const open of [session, feed]) {
      const one = await cost(1, open);
      // A look of the reader may find nothing, when a wake-up and the end of its rest come one after the other.
      expect(await cost(100, open)).toBeLessThanOrEqual(one + 2);
    }
  });
});

/** The storage with its wake-ups lost, doubled or late. */
function withWakeUps(storage: Storage, change: (wake: () => void) => () => void): Storage {
  const { wakeUps } = storage;
  const changed: Storage["wakeUps"] = {
    onSession: (id, wake) => wakeUps.onSession(id, change(wake)),
    onProject: (id, wake) => wakeUps.onProject(id, (session) => change(() => wake(session))()),
    onRunnable: (wake) => wakeUps.onRunnable(wake),
    onCancelled: (wake) => wakeUps.onCancelled(wake),
    onDeliveries: (wake) => wakeUps.onDeliveries(wake),
    onConfig: (projectId, wake) => wakeUps.onConfig(projectId, wake),
  };
  return new Proxy(storage, { get: (target, name) => (name === "wakeUps" ? changed : Reflect.get(target, name)) });
}

describe.each(storageKinds)("wake-ups on %s", { timeout: 120_000 }, (kind) => {
  it.each([
    ["never come", () => () => undefined],
    ["come three times", (wake: () => void) => () => [wake(), wake(), wake()]],
    ["come late", (wake: () => void) => () => setTimeout(wake, 30)],
  ] as const)("that %s lose nothing and repeat nothing", async (_, change) => {
    await using world = await openFlowWorld(
      kind,
      { tailPollMs: 50 },
      { around: (storage) => withWakeUps(storage, change) },
    );
    const log = await openLog(world);
    const streams = [
      await watchEvents(world.deps, world.authority, { sessionId: log.session.id }),
      await watchFeed(world.deps, world.authority, {}),
    ];
    for (let round = 0; round < 5; round++) await log.append(2);
    const early = (await logOf(world, log.session.id)).length;
    const seen = await Promise.all(
      streams.map(async (stream) => {
        const events: StoredEvent[] = [];
        let appended = false;
        for await (const frame of stream) {
          events.push(...frame.events);
          if (events.length >= early && !appended) {
            appended = true;
            await log.append(1);
          }
          if (events.length >= early + 2) break;
        }
        return events;
      }),
    );
    const all = idsOf(await logOf(world, log.session.id));
    for (const events of seen) expect(idsOf(events)).toEqual(all);
  });

  it("are not needed to see the end of a run", async () => {
    await using world = await openFlowWorld(
      kind,
      { tailPollMs: 50 },
      {
        around: (storage) => withWakeUps(storage, () => () => undefined),
      },
    );
    world.work();
    const { run } = await send(world, "hello");
    expect((await runToEnd(world, run.id)).at(-1)?.type).toBe("run.succeeded");
  });
});
