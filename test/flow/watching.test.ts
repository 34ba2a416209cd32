import { eventCursor, type StoredEvent } from "@wheelhouse/domain";
import { type EventsFrame, readEvents, sendMessage, watchEvents, watchSessions } from "@wheelhouse/runtime";
import { describe, expect, it } from "vitest";
import { type FlowWorld, logOf, openFlowWorld, runToEnd, storageKinds } from "./flow-world.ts";

const send = (world: FlowWorld, content: string, sessionId?: string) =>
  sendMessage(world.deps, world.authority, { ...(sessionId ? { sessionId } : { agent: "echo" }), content });
const sequences = (events: readonly StoredEvent[]) => events.map(({ sequence }) => sequence);

/** Custom events of a run in a worker's hands, so that a test decides when the log grows. */
async function openLog(world: FlowWorld) {
  const { session, run } = await send(world, "wait never");
  const claim = { owner: "test", leaseMs: 600_000, limit: 1, maxRecoveries: 3, at: world.deps.clock.now() };
  const [claimed] = await world.deps.storage.runs.claim(claim);
  if (claimed === undefined) throw new Error("nothing to claim");
  const batch = (count: number) => ({
    events: Array.from({ length: count }, (_, value) => ({
      ...{ type: "custom" as const, visibility: "OPERATOR" as const, runId: run.id },
      ...{ payload: { value }, at: world.deps.clock.now() },
    })),
    ...{ steps: [], messages: [], modelCalls: [] },
  });
  return {
    session,
    run,
    append: (count: number) => world.deps.storage.runs.record(claimed.fence, batch(count)),
    end: () =>
      world.deps.storage.runs.finish(claimed.fence, batch(1), { status: "SUCCEEDED", at: world.deps.clock.now() }),
  };
}

describe.each(storageKinds)("watching on %s", { timeout: 120_000 }, (kind) => {
  it("reads the backlog in pages, then the tail, without a seam, from any cursor", async () => {
    await using world = await openFlowWorld(kind, { eventPage: 10 });
    const log = await openLog(world);
    await log.append(25);
    const stream = await watchEvents(world.deps, world.authority, { sessionId: log.session.id });
    const frames: EventsFrame[] = [];
    const reading = (async () => {
      for await (const frame of stream) frames.push(frame);
    })();
    await expect.poll(() => frames.at(-1)?.caughtUp).toBe(true);
    expect(frames.every(({ events }) => events.length <= 10)).toBe(true);
    await log.append(3);
    await log.append(12);
    await log.end();
    const all = await logOf(world, log.session.id);
    await expect.poll(() => frames.flatMap(({ events }) => events).length).toBe(all.length);
    await stream.return?.();
    await reading;
    expect(sequences(frames.flatMap(({ events }) => events))).toEqual(sequences(all));
    expect(frames.some(({ terminal }) => terminal)).toBe(false);
    for (const { endCursor } of frames) {
      const rest = await watchEvents(world.deps, world.authority, { runId: log.run.id, after: endCursor });
      const seen: StoredEvent[] = [];
      for await (const frame of rest) seen.push(...frame.events);
      const page = await readEvents(world.deps, world.authority, {
        ...{ sessionId: log.session.id, runId: log.run.id, after: endCursor, first: 500 },
      });
      expect(seen).toEqual(page.events);
    }
  });

  it("ends a run's stream, also when the run is long over or the cursor lies behind its end", async () => {
    await using world = await openFlowWorld(kind);
    world.work();
    const first = await send(world, "one");
    await runToEnd(world, first.run.id);
    const second = await send(world, "two", first.session.id);
    await runToEnd(world, second.run.id);
    const end = (await logOf(world, first.session.id)).length;
    for (const after of [null, eventCursor(first.session.id, end)]) {
      const frames: EventsFrame[] = [];
      for await (const frame of await watchEvents(world.deps, world.authority, { runId: first.run.id, after }))
        frames.push(frame);
      expect(frames.at(-1)).toMatchObject({ terminal: true, caughtUp: true });
      if (after !== null) expect(frames).toMatchObject([{ events: [], endCursor: after }]);
    }
  });

  it("sends back a reader who knows more than the log, or less than it keeps", async () => {
    await using world = await openFlowWorld(kind);
    const log = await openLog(world);
    await log.append(5);
    const sessionId = log.session.id;
    const all = await logOf(world, sessionId);
    const refusalOf = async (after: string, input: { sessionId: string } | { runId: string } = { sessionId }) => {
      const stream = await watchEvents(world.deps, world.authority, { ...input, after });
      return stream.next().catch((error: unknown) => error);
    };
    const beginning = { code: "RESYNC", detail: { cursor: eventCursor(sessionId, 0) } };
    expect(await refusalOf(eventCursor(sessionId, all.length + 1))).toMatchObject(beginning);
    expect(await refusalOf(eventCursor(sessionId, 10_000), { runId: log.run.id })).toMatchObject(beginning);
    await world.rows.event.deleteMany({ where: { sessionId, sequence: { lte: 4 } } });
    const oldest = { code: "RESYNC", detail: { cursor: eventCursor(sessionId, 4) } };
    expect(await refusalOf(eventCursor(sessionId, 2))).toMatchObject(oldest);
    // From the oldest event on, and without a cursor, everything that is kept can be told.
    for (const after of [eventCursor(sessionId, 4), null]) {
      const stream = await watchEvents(world.deps, world.authority, { sessionId, after });
      expect(sequences((await stream.next()).value.events)).toEqual(sequences(all.slice(4)));
      await stream.return?.();
    }
  });

  it("ends a run's stream when its session is deleted behind it, in the tail and in the backlog", async () => {
    await using world = await openFlowWorld(kind, { eventPage: 4, tailPollMs: 50 });
    const log = await openLog(world);
    await log.append(20);
    const follow = (input: { sessionId: string } | { runId: string }) =>
      watchEvents(world.deps, world.authority, input);
    const tail = await follow({ runId: log.run.id });
    let last = await tail.next();
    while (!last.value.caughtUp) last = await tail.next();
    const waiting = tail.next();
    const backlog = await follow({ runId: log.run.id });
    await backlog.next();
    const ofSession = await follow({ sessionId: log.session.id });
    await ofSession.next();
    await world.rows.session.delete({ where: { id: log.session.id } });
    for (const end of [await waiting, await backlog.next()])
      expect(end.value).toMatchObject({ events: [], terminal: true, caughtUp: true });
    expect((await tail.next()).done).toBe(true);
    await expect(ofSession.next()).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  it("answers at once when there is nothing yet, and stays open", async () => {
    await using world = await openFlowWorld(kind);
    const log = await openLog(world);
    const after = eventCursor(log.session.id, (await logOf(world, log.session.id)).length);
    const stream = await watchEvents(world.deps, world.authority, { sessionId: log.session.id, after });
    expect((await stream.next()).value).toMatchObject({
      events: [],
      caughtUp: true,
      terminal: false,
      endCursor: after,
    });
    const next = stream.next();
    await log.append(1);
    expect((await next).value.events).toHaveLength(1);
    await stream.return?.();
  });

  it("shares one reader among the viewers of a session, and lets it go with the last", async () => {
    await using world = await openFlowWorld(kind);
    const log = await openLog(world);
    const viewers = await Promise.all(
      Array.from({ length: 20 }, () => watchEvents(world.deps, world.authority, { sessionId: log.session.id })),
    );
    await Promise.all(viewers.map((viewer) => viewer.next()));
    const waiting = viewers.map((viewer) => viewer.next());
    await expect.poll(() => world.deps.tails.size).toBe(1);
    await log.append(2);
    for (const { value } of await Promise.all(waiting)) expect(value.events).toHaveLength(2);
    const last = viewers.pop();
    // They leave in the middle of a wait.
    const abandoned = viewers.map((viewer) => viewer.next());
    await Promise.all(viewers.map((viewer) => viewer.return?.()));
    for (const result of await Promise.all(abandoned)) expect(result.done).toBe(true);
    expect(world.deps.tails.size).toBe(1);
    await last?.return?.();
    expect(world.deps.tails.size).toBe(0);
  });

  it("sends a slow reader back to its cursor and forgets nothing", async () => {
    await using world = await openFlowWorld(kind, { maxBufferedEvents: 20 });
    const log = await openLog(world);
    const stream = await watchEvents(world.deps, world.authority, { sessionId: log.session.id });
    const first = await stream.next();
    const pulled = stream.next();
    await log.append(1);
    const second = await pulled;
    await log.append(30);
    const all = await logOf(world, log.session.id);
    // Another viewer tells when the shared reader has delivered.
    const witness = await watchEvents(world.deps, world.authority, { sessionId: log.session.id });
    let seen = 0;
    for await (const frame of witness) {
      seen += frame.events.length;
      if (seen >= all.length) break;
    }
    await expect
      .poll(async () => {
        const refusal = await stream.next().then(
          () => null,
          (error: unknown) => error,
        );
        return refusal;
      })
      .toMatchObject({ code: "RESYNC", detail: { cursor: second.value.endCursor } });
    const resumed = await readEvents(world.deps, world.authority, {
      ...{ sessionId: log.session.id, after: second.value.endCursor, first: 500 },
    });
    const got = [...first.value.events, ...second.value.events, ...resumed.events];
    expect(sequences(got)).toEqual(sequences(all));
  });

  it("shows to each what they may see, and nothing to strangers", async () => {
    await using world = await openFlowWorld(kind);
    world.work();
    const { run, session } = await send(world, "hello");
    await runToEnd(world, run.id);
    const user = world.as({ visibilities: ["END_USER"] });
    const shown = await runToEnd(world, run.id, user);
    expect(new Set(shown.map(({ visibility }) => visibility))).toEqual(new Set(["END_USER"]));
    expect(shown.map(({ type }) => type)).toEqual(expect.arrayContaining(["message.delta", "run.succeeded"]));
    const scope = { project: "flow", user: "someone-else" };
    const stranger = world.as({ reach: "EXACT", scope });
    for (const input of [{ sessionId: session.id }, { runId: run.id }, { sessionId: "no-such" }])
      await expect(watchEvents(world.deps, stranger, input)).rejects.toMatchObject({ code: "NOT_FOUND" });
    const foreign = eventCursor("another-session", 1);
    for (const after of ["garbage", foreign])
      await expect(watchEvents(world.deps, world.authority, { sessionId: session.id, after })).rejects.toMatchObject({
        code: "INVALID_CURSOR",
      });
  });

  it("says when a list of sessions should be read again", async () => {
    await using world = await openFlowWorld(kind, { listDebounceMs: 10 });
    const stream = watchSessions(world.deps, world.authority);
    expect((await stream.next()).value).toEqual({ sessionIds: [] });
    const next = stream.next();
    const { session } = await send(world, "hello");
    expect((await next).value.sessionIds).toContain(session.id);
    const idle = stream.next();
    await stream.return?.();
    expect(await idle).toMatchObject({ done: true });
  });
});
