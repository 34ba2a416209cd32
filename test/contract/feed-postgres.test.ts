import { setTimeout as sleep } from "node:timers/promises";
import type { FeedEvent, FeedPlace, Fence } from "@wheelhouse/storage";
import { applyMigrations, openStorage } from "@wheelhouse/storage/prisma";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { feedEndOf, readFeedToEnd } from "../../packages/storage/src/contract/feeding.ts";
import {
  batchOf,
  customEvent,
  eventsOf,
  rangeTo,
  registerGuide,
  startRun,
} from "../../packages/storage/src/contract/sample-work.ts";
import { appendStatement } from "../../packages/storage/src/prisma/append-postgres.ts";
import { freshDatabase } from "../worlds/fresh-database.ts";
import { openWorld, type World } from "../worlds/open-world.ts";

/** The same pseudo-random numbers in every run. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

describe("the feed under transactions that commit late", () => {
  let world: World;
  let raw: pg.Pool;
  beforeAll(async () => {
    world = await openWorld("postgres");
    await registerGuide(world, world.projectId);
    raw = new pg.Pool({ connectionString: world.url, max: 20 });
  });
  afterAll(async () => {
    await raw.end();
    await world[Symbol.asyncDispose]();
  });

  /** The product's own append, in a transaction that a test opens, holds up and ends. */
  async function transaction() {
    const client = await raw.connect();
    await client.query("BEGIN");
    // From here on its id is older than that of every transaction that begins later.
    await client.query("SELECT pg_current_xact_id()");
    const done = (last: string) => async () => {
      await client.query(last);
      client.release();
    };
    return {
      append: async (fences: readonly Fence[]) => {
        const groups = fences.map((fence) => ({
          ...{ sessionId: fence.sessionId, runId: fence.runId, fence: `${fence.runId}:${fence.generation}` },
          ...{ at: world.clock.now(), firstEventAt: null, steps: [], messages: [], modelCalls: [] },
          events: [
            {
              ...{ id: world.newId(), run_id: fence.runId, task_id: null, step_id: null, type: "custom" },
              ...{ visibility: "END_USER", payload: {}, trace_id: null, span_id: null, at: world.clock.now() },
            },
          ],
        }));
        const { sql, params } = appendStatement(groups, "2026-06-01T12:00:00.000");
        const { rowCount } = await client.query(sql, params);
        expect(rowCount).toBe(fences.length);
      },
      commit: done("COMMIT"),
      rollback: done("ROLLBACK"),
    };
  }

  const fencesOf = async (count: number): Promise<Fence[]> => {
    const fences: Fence[] = [];
    for (const _ of rangeTo(count)) fences.push((await startRun(world)).claimed.fence);
    return fences;
  };
  const of = (fences: readonly Fence[], i: number): Fence => {
    const fence = fences[i % fences.length];
    if (fence === undefined) throw new Error("There is no run");
    return fence;
  };
  const record = (fence: Fence) => world.storage.runs.record(fence, batchOf({ events: [customEvent(world)] }));

  it("holds back what younger transactions committed until the older one has ended, and says so", async () => {
    const fences = await fencesOf(2);
    const after = await feedEndOf(world);
    const read = () => world.storage.events.readFeed(world.authority(), { after, limit: 100, scan: 100 });
    const late = await transaction();
    await late.append([of(fences, 0)]);
    await record(of(fences, 1));
    expect(await read()).toMatchObject({ events: [], caughtUp: true, heldBack: true });
    await late.commit();
    await readFeedToEnd(world, { after });
    const page = await read();
    expect(page).toMatchObject({ caughtUp: true });
    expect(page.events.map(({ sessionId }) => sessionId)).toEqual(fences.map(({ sessionId }) => sessionId));
    const gone = await transaction();
    await gone.append([of(fences, 0)]);
    await gone.rollback();
    expect((await readFeedToEnd(world, { after })).events).toHaveLength(2);
  });

  it("keeps a session's order when an older transaction waited for a younger one", async () => {
    const [first, second] = await fencesOf(2);
    if (first === undefined || second === undefined) throw new Error("There are two runs");
    const after = await feedEndOf(world);
    const old = await transaction();
    const between = await transaction();
    await between.append([second]);
    const young = await transaction();
    await young.append([first]);
    await young.commit();
    // Its id is smaller than that of the transaction whose event comes before its own.
    await old.append([first]);
    await old.commit();
    // One that began between the two is still open: what lies below it must not be a later event of the session.
    const early = await world.storage.events.readFeed(world.authority(), { after, limit: 100, scan: 100 });
    await between.commit();
    const rest = await readFeedToEnd(world, { after: early.scannedTo });
    const sequences = [...early.events, ...rest.events].filter((event) => event.sessionId === first.sessionId);
    const log = await eventsOf(world, first.sessionId);
    expect(sequences.map(({ sequence }) => sequence)).toEqual(log.slice(-2).map(({ sequence }) => sequence));
  });

  it.each([1, 2, 3])(
    "skips nothing and repeats nothing for three readers, whatever the order of commits (%i)",
    async (seed) => {
      const random = randomFrom(seed);
      const pause = () => sleep(random() * 8);
      const fences = await fencesOf(6);
      const after = await feedEndOf(world);
      let writing = true;
      const reader = async (limit: number): Promise<FeedEvent[]> => {
        const seen: FeedEvent[] = [];
        let place: FeedPlace = after;
        for (;;) {
          const last = !writing;
          const page = await world.storage.events.readFeed(world.authority(), { after: place, limit, scan: limit * 2 });
          seen.push(...page.events);
          place = page.scannedTo;
          if (page.caughtUp && !page.heldBack && last) return seen;
          if (page.caughtUp) await pause();
        }
      };
      const writer = async (n: number): Promise<void> => {
        for (const round of rangeTo(12)) {
          const work = await transaction();
          await pause();
          // Sorted, as the product locks sessions, so that nobody waits in a circle.
          const some = fences.filter(() => random() < 0.4);
          await work.append(
            (some.length > 0 ? some : [of(fences, n)]).toSorted((a, b) => (a.sessionId < b.sessionId ? -1 : 1)),
          );
          await pause();
          await (round % 5 === 0 ? work.rollback() : work.commit());
        }
      };
      const product = async (): Promise<void> => {
        for (const n of rangeTo(40)) {
          await record(of(fences, n));
          await pause();
        }
      };
      const reading = [2, 7, 50].map(reader);
      await Promise.all([...rangeTo(6).map(writer), product()]);
      writing = false;
      const logs = new Map<string, string[]>();
      for (const { sessionId } of fences)
        logs.set(
          sessionId,
          (await eventsOf(world, sessionId)).filter(({ type }) => type === "custom").map(({ id }) => id),
        );
      for (const seen of await Promise.all(reading)) {
        for (const [sessionId, ids] of logs)
          expect(seen.filter((event) => event.sessionId === sessionId).map(({ id }) => id)).toEqual(ids);
        expect(seen).toHaveLength([...logs.values()].flat().length);
      }
    },
  );

  it("finds its pages by the index", async () => {
    const { rows } = await raw.query(
      `EXPLAIN SELECT id FROM events e WHERE e.project_id = 'p' AND e.position >= 5 AND e.position < 1000000
        ORDER BY position, session_id, sequence LIMIT 500`,
    );
    expect(rows.map((row) => String(row["QUERY PLAN"])).join("\n")).toContain("events_project_id_position_idx");
  });
});

it("goes on behind the highest place after the database moved to a server with smaller transaction ids", async () => {
  await using database = await freshDatabase("postgres");
  await applyMigrations({ url: database.url });
  const options = { url: database.url, clock: { now: () => new Date() }, onError: () => undefined };
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  let ids = 0;
  const open = () =>
    openStorage({ ...options, newId: () => `${String(++ids).padStart(8, "0")}-0000-7000-8000-000000000000` });
  const before = await open();
  const project = await before.storage.access.ensureProject({ slug: "acme", name: "Acme", at: new Date() });
  const world = {
    ...{ storage: before.storage, models: before.models, clock: options.clock, projectId: project.id },
  };
  const { agents } = world.storage;
  const agent = await agents.register(project.id, {
    ...{ name: "guide", displayName: "Guide", description: null, source: "CODE", at: new Date() },
    ...{ inputSchema: null, outputSchema: null, graph: null },
  });
  const end = await before.storage.events.feedEnd();
  await before.storage[Symbol.asyncDispose]();
  // What a dump brings along: places of transactions that this server has not counted up to.
  await client.query(
    `INSERT INTO sessions (id, project_id, agent_id, scope, scope_key, thread_id, last_activity_at, created_at, updated_at, last_sequence, feed_position)
     VALUES ('s', $1, $2, '{}', 'k', 't', now(), now(), now(), 1, $3)`,
    [project.id, agent.id, end.position + 5_000_000],
  );
  await client.query(
    `INSERT INTO events (id, project_id, session_id, sequence, position, type, visibility, payload, at, created_at)
     VALUES ('e', $1, 's', 1, $2, 'custom', 'END_USER', '{"value":1}', now(), now())`,
    [project.id, end.position + 5_000_000],
  );
  const after = await open();
  const again = await open();
  const moved = await after.storage.events.feedEnd();
  expect(moved.position).toBeGreaterThan(end.position + 5_000_000);
  const { rows } = await client.query("SELECT position FROM event_feed");
  await again.storage[Symbol.asyncDispose]();
  await (await open()).storage[Symbol.asyncDispose]();
  expect((await client.query("SELECT position FROM event_feed")).rows).toEqual(rows);
  await after.storage[Symbol.asyncDispose]();
  await client.end();
});
