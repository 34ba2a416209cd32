import type { Authority } from "@wheelhouse/domain";
import { describe, expect, it } from "vitest";
import type { FeedEvent, FeedFilter, FeedPlace } from "../records.ts";
import type { ContractWorld, OpenContractWorld } from "./contract-world.ts";
import {
  batchOf,
  customEvent,
  eventsOf,
  rangeTo,
  registerGuide,
  startRun,
  submit,
  succeed,
  useWorld,
} from "./sample-work.ts";

/**
 * Everything behind a place, in pages of `limit`. On PostgreSQL somebody else's open transaction, of any database of the
 * server, may hold back what is committed: then it waits.
 */
export async function readFeedToEnd(
  world: Pick<ContractWorld, "storage" | "authority">,
  input: { after?: FeedPlace | null; limit?: number; scan?: number; filter?: FeedFilter; as?: Authority } = {},
): Promise<{ events: FeedEvent[]; end: FeedPlace | null; pages: { after: FeedPlace; seen: number }[] }> {
  const { limit = 3, scan = 5, filter = {}, as = world.authority() } = input;
  const events: FeedEvent[] = [];
  const pages: { after: FeedPlace; seen: number }[] = [];
  let after = input.after ?? null;
  for (;;) {
    const page = await world.storage.events.readFeed(as, { after, limit, scan, filter });
    events.push(...page.events);
    after = page.scannedTo;
    pages.push({ after, seen: events.length });
    if (page.caughtUp && !page.heldBack) return { events, end: after, pages };
    if (page.caughtUp) await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Behind everything that is committed now. */
export async function feedEndOf(world: Pick<ContractWorld, "storage" | "authority">): Promise<FeedPlace> {
  const { end } = await readFeedToEnd(world, { after: await world.storage.events.feedEnd(), limit: 500, scan: 500 });
  return end ?? world.storage.events.feedEnd();
}

const idsOf = (events: readonly { id: string }[]) => events.map(({ id }) => id);

/** The feed of a project: every session's events in one order that only grows. */
export function feedContract(openWorld: OpenContractWorld): void {
  describe("the feed of a project", () => {
    const world = useWorld(openWorld);

    /** Three sessions, their events in turn. */
    async function history() {
      const runs: Awaited<ReturnType<typeof startRun>>[] = [];
      for (const _ of rangeTo(3)) runs.push(await startRun(world()));
      for (const n of rangeTo(4))
        for (const { claimed } of runs)
          await world().storage.runs.record(claimed.fence, batchOf({ events: [customEvent(world(), n)] }));
      for (const { claimed } of runs) await succeed(world(), claimed.fence);
      return runs;
    }

    it("has every event of every session once, a session's in order, from any page on", async () => {
      const start = await feedEndOf(world());
      const runs = await history();
      const { events, pages } = await readFeedToEnd(world(), { after: start });
      const logs = await Promise.all(runs.map(({ session }) => eventsOf(world(), session.id)));
      expect(idsOf(events).sort()).toEqual(idsOf(logs.flat()).sort());
      for (const [i, { session }] of runs.entries())
        expect(idsOf(events.filter((event) => event.sessionId === session.id))).toEqual(idsOf(logs[i] ?? []));
      const positions = events.map((event) => event.position);
      expect(positions).toEqual(positions.toSorted((a, b) => a - b));
      for (const { after, seen } of pages) {
        const rest = await readFeedToEnd(world(), { after, limit: 100, scan: 100 });
        expect(idsOf(rest.events)).toEqual(idsOf(events).slice(seen));
      }
    });

    it("begins with the first event of the project and ends where it says", async () => {
      await submit(world());
      const all = await readFeedToEnd(world());
      expect(all.events.at(0)?.sequence).toBe(1);
      expect((await readFeedToEnd(world(), { after: await feedEndOf(world()) })).events).toEqual([]);
      const { session } = await submit(world());
      const news = await readFeedToEnd(world(), { after: all.end });
      // Whoever has read everything is no less far than who begins with the end, or they could not share a reader.
      const { position } = await world().storage.events.feedEnd();
      expect((await readFeedToEnd(world(), { after: all.end })).end?.position).toBeGreaterThanOrEqual(position);
      expect(news.events.map((event) => event.sessionId)).toEqual(news.events.map(() => session.id));
      expect(news.events.map((event) => event.type)).toEqual(["task.submitted", "message.user", "run.queued"]);
    });

    it("gives every event of a flush and of a transition a place, of both at once too", async () => {
      const { session, claimed } = await startRun(world());
      await world().storage.runs.record(
        claimed.fence,
        batchOf({ events: [customEvent(world()), customEvent(world())] }),
      );
      await succeed(world(), claimed.fence, batchOf({ events: [customEvent(world())] }));
      const rows = await world().models.event.findMany({
        where: { sessionId: session.id },
        orderBy: { sequence: "asc" },
      });
      const positions = rows.map((row) => Number(row.position));
      expect(positions.every((position) => position > 0)).toBe(true);
      expect(positions).toEqual(positions.toSorted((a, b) => a - b));
    });

    it("filters by type, visibility, agent and session, and looks no further than it is told", async () => {
      await registerGuide(world(), world().projectId, "other");
      const after = await feedEndOf(world());
      const mine = await startRun(world());
      const other = await startRun(world(), { agentName: "other" });
      const hidden = { ...customEvent(world()), visibility: "INTERNAL" as const };
      await world().storage.runs.record(mine.claimed.fence, batchOf({ events: [hidden, customEvent(world())] }));
      const read = (filter: FeedFilter, as?: Authority) =>
        readFeedToEnd(world(), { after, filter, ...(as === undefined ? {} : { as }) });
      expect((await read({ types: ["run.queued"] })).events).toHaveLength(2);
      expect((await read({ types: [] })).events).toEqual([]);
      expect((await read({ visibilities: ["INTERNAL"] })).events.map(({ type }) => type)).toEqual(["custom"]);
      expect((await read({}, world().authority({ visibilities: ["END_USER"] }))).events).toHaveLength(9);
      const ofOther = (await read({ agents: ["other"] })).events;
      expect(ofOther.map(({ sessionId, agentName }) => [sessionId, agentName])).toEqual(
        rangeTo(4).map(() => [other.session.id, "other"]),
      );
      expect((await read({ sessionId: mine.session.id })).events).toHaveLength(6);
      const short = await world().storage.events.readFeed(world().authority(), {
        after,
        ...{ limit: 10, scan: 2, filter: { types: ["nothing"] } },
      });
      expect(short).toMatchObject({ events: [], caughtUp: false });
      expect(short.scannedTo.sequence).toBe(2);
    });

    it("shows to an exact caller their own scope, and to nobody another project", async () => {
      const own = world().authority({ reach: "EXACT", scope: { project: "acme", user: "u-7" } });
      const after = await feedEndOf(world());
      const { session } = await submit(world(), {}, own);
      await submit(world());
      const { events } = await readFeedToEnd(world(), { after, as: own });
      expect(new Set(events.map(({ sessionId }) => sessionId))).toEqual(new Set([session.id]));
      expect(events).toHaveLength(3);
      const stranger = world().authority({ projectId: world().otherProjectId, scope: { project: "globex" } });
      expect((await readFeedToEnd(world(), { after, as: stranger })).events).toEqual([]);
    });

    it("knows a place that it never gave", async () => {
      const end = await feedEndOf(world());
      const read = (position: number) =>
        world().storage.events.readFeed(world().authority(), {
          ...{ after: { position, sessionId: "", sequence: 0 }, limit: 10, scan: 10 },
        });
      expect(await read(end.position)).toMatchObject({ ahead: false });
      expect(await read(end.position + 1_000_000)).toMatchObject({ ahead: true, events: [] });
    });
  });
}
