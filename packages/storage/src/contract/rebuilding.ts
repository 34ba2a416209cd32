import type { NewEvent } from "@wheelhouse/domain";
import { describe, expect, it } from "vitest";
import type { RebuiltMessage } from "../records.ts";
import type { ContractWorld, OpenContractWorld } from "./contract-world.ts";
import { batchOf, claimRun, eventsOf, messageOf, startRun, stepOf, submit, succeed, useWorld } from "./sample-work.ts";

/** A message as a checkpoint has it, with an event that would tell it. */
function fromCheckpoint(world: ContractWorld, more: Partial<RebuiltMessage["write"]>): RebuiltMessage {
  const write = messageOf(world, { createdAt: new Date("2020-01-01T00:00:00Z"), ...more });
  if (write.role === "TOOL") return { write, events: [] };
  const payload = { messageId: write.id, role: write.role, length: write.content.length, recovered: true };
  return { write, events: [{ type: "message.completed", payload, visibility: "END_USER", at: write.createdAt }] };
}

const completed = (world: ContractWorld, messageId: string): NewEvent => ({
  type: "message.completed",
  payload: { messageId, role: "ASSISTANT", length: 2 },
  visibility: "END_USER",
  at: world.clock.now(),
});

/** Making a transcript say what its checkpoint says. */
export function rebuildingContract(openWorld: OpenContractWorld): void {
  describe("rebuilding a transcript", () => {
    const world = useWorld(openWorld);
    const rebuild = async (sessionId: string, messages: RebuiltMessage[], dryRun = false) => {
      const { lastSequence } = await sessionRow(sessionId);
      const input = { sessionId, lastSequence, messages, dryRun, at: world().clock.now() };
      return await world().storage.messages.rebuild(world().authority(), input);
    };
    const rowsOf = (sessionId: string) =>
      world().models.message.findMany({ where: { sessionId }, orderBy: { seq: "asc" } });
    const sessionRow = (id: string) => world().models.session.findUniqueOrThrow({ where: { id } });

    /** A turn at rest: the user's message, an answer with a call, the tool's answer, and the last word. */
    async function conversation() {
      const { session, task, run, claimed } = await startRun(world(), { content: "Weather?" });
      const calls = [{ name: "weather", args: { city: "Tallinn" }, id: "call-1" }];
      const said = [
        messageOf(world(), { content: "Let me see", toolCalls: calls, model: "scripted-1", tokenCount: 7 }),
        messageOf(world(), { content: "Sunny", role: "TOOL", toolCallId: "call-1" }),
        messageOf(world(), { content: "It is sunny" }),
      ];
      const events = said.filter(({ role }) => role === "ASSISTANT").map(({ id }) => completed(world(), id));
      const step = stepOf(world(), { kind: "TOOL", toolCallId: "call-1" });
      await succeed(world(), claimed.fence, batchOf({ messages: said, events, steps: [step] }));
      const rows = await rowsOf(session.id);
      const checkpoint = rows.map(({ id, langgraphMessageId, role, content, toolCalls, toolCallId }) =>
        fromCheckpoint(world(), {
          ...{ id, langgraphMessageId: langgraphMessageId ?? "", role: role as "USER", content, toolCallId },
          ...(toolCalls === null ? {} : { toolCalls }),
        }),
      );
      return { session, task, run, rows, checkpoint };
    }

    it("finds nothing to do where both say the same", async () => {
      const { session, rows, checkpoint } = await conversation();
      expect(await rebuild(session.id, checkpoint)).toEqual({ outcome: "rebuilt", inserted: 0, updated: 0, told: 0 });
      expect(await rowsOf(session.id)).toEqual(rows);
    });

    it("changes what differs, by LangGraph's ids, and keeps place, time and attribution", async () => {
      const { session, rows, checkpoint } = await conversation();
      await world().models.message.updateMany({ where: { sessionId: session.id }, data: { content: "lost" } });
      world().clock.advance(5_000);
      expect(await rebuild(session.id, checkpoint, true)).toMatchObject({ outcome: "rebuilt", updated: 4 });
      expect((await rowsOf(session.id)).map(({ content }) => content)).toEqual(["lost", "lost", "lost", "lost"]);
      expect(await rebuild(session.id, checkpoint)).toMatchObject({ inserted: 0, updated: 4, told: 0 });
      const plain = (all: typeof rows) => all.map(({ updatedAt: _, ...row }) => row);
      expect(plain(await rowsOf(session.id))).toEqual(plain(rows));
      expect(await sessionRow(session.id)).toMatchObject({ firstMessage: "Weather?", lastMessage: "It is sunny" });
    });

    it("puts back what is missing where it was, with the time and the run that the log knows", async () => {
      const { session, task, run, rows, checkpoint } = await conversation();
      const lost = rows.slice(0, 3);
      await world().models.message.deleteMany({ where: { id: { in: lost.map(({ id }) => id) } } });
      expect(await rebuild(session.id, checkpoint)).toEqual({ outcome: "rebuilt", inserted: 3, updated: 0, told: 0 });
      const after = await rowsOf(session.id);
      expect(after.map(({ seq, content }) => [seq, content])).toEqual(rows.map(({ seq, content }) => [seq, content]));
      expect(after[0]).toMatchObject({ id: task.id, taskId: task.id, runId: run.id, createdAt: rows[0]?.createdAt });
      expect(after[2]).toMatchObject({ role: "TOOL", taskId: task.id, runId: run.id });
      expect(await sessionRow(session.id)).toMatchObject({ messageCount: 4, lastMessageSeq: 4 });
      expect(await rebuild(session.id, checkpoint)).toEqual({ outcome: "rebuilt", inserted: 0, updated: 0, told: 0 });
    });

    it("puts what never had a row at the end, and tells it", async () => {
      const { session, checkpoint } = await conversation();
      const fresh = fromCheckpoint(world(), { content: "One more thing" });
      expect(await rebuild(session.id, [...checkpoint, fresh])).toMatchObject({ inserted: 1, told: 1 });
      expect((await rowsOf(session.id)).at(-1)).toMatchObject({ seq: 5, content: "One more thing" });
      expect((await eventsOf(world(), session.id)).at(-1)).toMatchObject({
        type: "message.completed",
        payload: { messageId: fresh.write.id, recovered: true },
        runId: null,
      });
      expect(await sessionRow(session.id)).toMatchObject({
        ...{ messageCount: 5, lastMessageSeq: 5, lastMessage: "One more thing" },
        lastSequence: (await eventsOf(world(), session.id)).length,
      });
    });

    it("removes nothing that the checkpoint does not have", async () => {
      const { session, rows, checkpoint } = await conversation();
      expect(await rebuild(session.id, checkpoint.slice(0, 1))).toMatchObject({ inserted: 0, updated: 0 });
      expect(await rebuild(session.id, [])).toMatchObject({ inserted: 0, updated: 0 });
      expect(await rowsOf(session.id)).toEqual(rows);
    });

    it("leaves a transcript alone in which a run is at work", async () => {
      const { session, checkpoint } = await conversation();
      const next = await submit(world(), { session: { by: "id", id: session.id } });
      await claimRun(world(), next.run.id);
      expect(await rebuild(session.id, checkpoint)).toEqual({ outcome: "busy", activeRunId: next.run.id });
    });

    it("leaves a transcript alone that went on after its checkpoint was read", async () => {
      const { session, checkpoint } = await conversation();
      const { lastSequence } = await sessionRow(session.id);
      const { claimed } = await startRun(world(), { session: { by: "id", id: session.id } });
      await succeed(world(), claimed.fence);
      const late = {
        sessionId: session.id,
        lastSequence,
        messages: checkpoint,
        dryRun: false,
        at: world().clock.now(),
      };
      expect(await world().storage.messages.rebuild(world().authority(), late)).toEqual({ outcome: "changed" });
    });

    it("pages the sessions of a reach, each once", async () => {
      const ids = [(await conversation()).session.id, (await conversation()).session.id];
      const found: string[] = [];
      let after: string | null = null;
      for (;;) {
        const page: { id: string }[] = await world().storage.sessions.page(world().authority(), { after, limit: 2 });
        found.push(...page.map(({ id }) => id));
        after = page.at(-1)?.id ?? null;
        if (page.length < 2) break;
      }
      expect(found).toEqual(expect.arrayContaining(ids));
      expect(new Set(found).size).toBe(found.length);
      expect(found).toEqual([...found].sort());
    });
  });
}
