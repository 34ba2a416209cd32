import { describe, expect, it } from "vitest";
import type { ForkRequest } from "../records.ts";
import type { OpenContractWorld } from "./contract-world.ts";
import { recount } from "./recount.ts";
import {
  claimRun,
  emptyBatch,
  endEverything,
  messageOf,
  newSession,
  startRun,
  succeed,
  typesOf,
  useWorld,
  workOf,
} from "./sample-work.ts";

/** Copies of conversations appear at once or not at all. */
export function forkingContract(openWorld: OpenContractWorld): void {
  describe("forking", () => {
    const world = useWorld(openWorld);
    const announced = async () => {
      const { session: source, claimed } = await startRun(world());
      await succeed(world(), claimed.fence);
      const forkId = world().newId();
      const session = newSession(world());
      const at = world().clock.now();
      const input = { sourceId: source.id, forkId, threadId: session.threadId, at };
      expect((await world().storage.sessions.announceFork(world().authority(), input))?.threadId).toBe(source.threadId);
      const kept = [messageOf(world(), { role: "USER", content: "Hello" }), messageOf(world(), { content: "Hi" })];
      const request: ForkRequest = {
        ...{ forkId, sourceId: source.id, checkpointId: "c1", headCheckpoint: "c2", session, messages: kept, at },
        events: kept.map(({ id, content }) => ({
          type: "message.user",
          payload: { messageId: id, role: "USER", text: content },
          visibility: "END_USER",
          at,
        })),
        work: null,
      };
      return { source, request };
    };

    it("makes the session with its transcript, its log and where it stands", async () => {
      const { source, request } = await announced();
      const outcome = await world().storage.sessions.fork(world().authority(), request);
      if (outcome.outcome !== "forked") throw new Error(outcome.outcome);
      const { id } = outcome.session;
      expect(outcome.session).toEqual(await world().storage.sessions.get(world().authority(), id));
      const row = await world().models.session.findUniqueOrThrow({ where: { id } });
      expect(row).toMatchObject({
        ...{ forkedFrom: source.id, forkedCheckpoint: "c1", threadId: request.session.threadId, status: "IDLE" },
        ...{ firstMessage: "Hello", lastMessage: "Hi", externalId: null },
      });
      expect(row).toMatchObject((await recount(world(), id)).columns);
      const head = await world().storage.sessions.head(world().authority(), id);
      expect(head).toEqual({ threadId: request.session.threadId, head: { at: "c2" } });
      expect(await world().models.job.count({ where: { id: request.forkId } })).toBe(0);
    });

    it("begins its first work in the same transaction", async () => {
      const { request } = await announced();
      const work = workOf(world(), { content: "Go on" });
      const outcome = await world().storage.sessions.fork(world().authority(), { ...request, work });
      if (outcome.outcome !== "forked") throw new Error(outcome.outcome);
      expect(outcome.session).toMatchObject({ status: "BUSY", activeRunId: work.run.id });
      expect((await typesOf(world(), outcome.session.id)).slice(2)).toEqual([
        "task.submitted",
        "message.user",
        "run.queued",
      ]);
      expect((await claimRun(world(), work.run.id)).head).toEqual({ at: "c2" });
      const counted = await recount(world(), outcome.session.id);
      expect(counted.gapless).toBe(true);
      expect(counted.columns).toMatchObject({ messageCount: 3, taskCount: 1, lastMessage: "Go on" });
    });

    it("leaves nothing behind when the database refuses in the middle", async () => {
      const { source, request } = await announced();
      const broken = { ...request, messages: [...request.messages, ...request.messages] };
      await expect(world().storage.sessions.fork(world().authority(), broken)).rejects.toThrow();
      expect(await world().models.session.count({ where: { forkedFrom: source.id } })).toBe(0);
      expect(await world().models.job.count({ where: { id: request.forkId } })).toBe(1);
    });

    it("is not finished once it was given up", async () => {
      const { source, request } = await announced();
      world().clock.advance(1_000);
      const sweep = { before: world().clock.now(), limit: 1_000, at: world().clock.now() };
      const given = await world().storage.sessions.abandonForks(sweep);
      expect(given).toContainEqual({ forkId: request.forkId, threadId: request.session.threadId });
      expect(await world().storage.sessions.fork(world().authority(), request)).toEqual({ outcome: "abandoned" });
      expect(await world().models.session.count({ where: { forkedFrom: source.id } })).toBe(0);
      // Whoever died in between is not the last to try.
      expect(await world().storage.sessions.abandonForks(sweep)).toContainEqual(
        expect.objectContaining({ forkId: request.forkId }),
      );
      await world().storage.sessions.forgetFork(request.forkId);
      const left = await world().storage.sessions.abandonForks(sweep);
      expect(left.map(({ forkId }) => forkId)).not.toContain(request.forkId);
    });
  });

  describe("pruning", () => {
    const world = useWorld(openWorld);
    const claimDue = async () => {
      const due = await world().storage.sessions.claimPruning({ before: world().clock.now(), limit: 1_000 });
      return due.map(({ sessionId }) => sessionId);
    };

    it("is due once for every session in which a run ended, and again when it failed", async () => {
      await endEverything(world());
      await claimDue();
      const { session, claimed } = await startRun(world());
      world().clock.advance(10);
      expect(await claimDue()).toEqual([]);
      await succeed(world(), claimed.fence);
      world().clock.advance(10);
      const both = await Promise.all([claimDue(), claimDue()]);
      expect(both.flat()).toEqual([session.id]);
      await world().storage.sessions.postponePruning(session.id, world().clock.now());
      world().clock.advance(10);
      expect(await claimDue()).toEqual([session.id]);
    });

    it("leaves where the last turns began, what runs, and what waits", async () => {
      const first = await startRun(world());
      const by = { session: { by: "id", id: first.session.id } as const };
      const finish = (claimed: (typeof first)["claimed"], checkpointId: string) =>
        world().storage.runs.finish(claimed.fence, emptyBatch, {
          status: "SUCCEEDED",
          checkpointId,
          at: world().clock.now(),
        });
      await finish(first.claimed, "c1");
      world().clock.advance(10);
      const second = await startRun(world(), by);
      await finish(second.claimed, "c2");
      world().clock.advance(10);
      const third = await startRun(world(), by);
      const anchors = await world().storage.sessions.checkpointAnchors(first.session.id, 2);
      expect(anchors?.head).toEqual({ after: { runId: third.run.id, checkpointBefore: "c2" } });
      expect(anchors?.checkpointsBefore.sort()).toEqual(["c1", "c2"]);
      expect(anchors?.runIds).toEqual([third.run.id]);
      expect(anchors?.waitingRunIds).toEqual([]);
      expect(await world().storage.sessions.checkpointAnchors(world().newId(), 2)).toBeNull();
    });
  });
}
