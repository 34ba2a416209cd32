import { describe, expect, it } from "vitest";
import type { OpenContractWorld } from "./contract-world.ts";
import { batchOf, eventsOf, messageOf, startRun, useWorld } from "./sample-work.ts";

/** Taking what a run said out of the transcript again. */
export function takingBackContract(openWorld: OpenContractWorld): void {
  describe("taking messages back", () => {
    const world = useWorld(openWorld);

    async function spoken() {
      const { session, task, claimed } = await startRun(world(), { content: "Hello" });
      const said = [
        messageOf(world(), { content: "One" }),
        messageOf(world(), { content: "Looked up", role: "TOOL", toolCallId: "call-1" }),
        messageOf(world(), { content: "Two" }),
      ];
      await world().storage.runs.record(claimed.fence, batchOf({ messages: said }));
      const takeBack = (ids: readonly string[], fence = claimed.fence) =>
        world().storage.runs.takeBack(fence, {
          ...{ langgraphMessageIds: ids, reason: "interrupted", at: world().clock.now() },
        });
      return { session, task, claimed, said, ids: said.map(({ langgraphMessageId }) => langgraphMessageId), takeBack };
    }

    it("removes their rows, tells it, and shows the conversation without them", async () => {
      const { session, said, ids, takeBack, claimed } = await spoken();
      const ends = await world().storage.runs.openEnds(claimed.fence);
      expect(ends.ownMessageIds).toEqual(ids);
      expect(await takeBack(ids.slice(1))).toBe("takenBack");
      const rows = await world().models.message.findMany({ where: { sessionId: session.id }, orderBy: { seq: "asc" } });
      expect(rows.map(({ content }) => content)).toEqual(["Hello", "One"]);
      const events = (await eventsOf(world(), session.id)).filter(({ type }) => type === "message.discarded");
      // Tools' answers were never told.
      expect(events.map(({ payload }) => payload.messageId)).toEqual([said[2]?.id]);
      expect(events[0]).toMatchObject({ runId: claimed.fence.runId, payload: { reason: "interrupted" } });
      expect(await world().models.session.findUniqueOrThrow({ where: { id: session.id } })).toMatchObject({
        ...{ messageCount: 2, firstMessage: "Hello", lastMessage: "One" },
      });
      // The next message has a place that nobody had.
      await world().storage.runs.record(
        claimed.fence,
        batchOf({ messages: [messageOf(world(), { content: "Three" })] }),
      );
      const last = await world().models.message.findFirstOrThrow({
        where: { sessionId: session.id, content: "Three" },
      });
      expect(last.seq).toBe(5);
    });

    it("leaves the user's message, and what other runs said", async () => {
      const { session, task, takeBack } = await spoken();
      const other = await spoken();
      await takeBack([task.id, ...other.ids]);
      expect(await world().models.message.count({ where: { sessionId: session.id } })).toBe(4);
      expect(await world().models.message.count({ where: { sessionId: other.session.id } })).toBe(4);
    });

    it("is refused to an owner that lost the run", async () => {
      const { session, ids, takeBack, claimed } = await spoken();
      expect(await takeBack(ids, { ...claimed.fence, generation: claimed.fence.generation + 1 })).toBe("fenced");
      expect(await world().models.message.count({ where: { sessionId: session.id } })).toBe(4);
    });
  });
}
