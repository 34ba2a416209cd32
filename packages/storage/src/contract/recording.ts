import { describe, expect, it } from "vitest";
import type { OpenContractWorld } from "./contract-world.ts";
import {
  batchOf,
  callOf,
  customEvent,
  eventsOf,
  messageOf,
  rangeTo,
  startRun,
  stepOf,
  succeed,
  useWorld,
  workOf,
} from "./sample-work.ts";

/** Appending batches: order, gaplessness, isolation of a bad batch, what a batch does to rows and summaries. */
export function recordingContract(openWorld: OpenContractWorld): void {
  describe("recording", () => {
    const world = useWorld(openWorld);

    it("keeps sequences gapless under 100 concurrent appends to one session", async () => {
      const { session, claimed } = await startRun(world());
      const answers = await Promise.all(
        rangeTo(100).map((n) =>
          world().storage.runs.record(
            claimed.fence,
            batchOf({ events: [customEvent(world(), n), customEvent(world(), n)] }),
          ),
        ),
      );
      const events = await eventsOf(world(), session.id);
      expect(events.map((event) => event.sequence)).toEqual(rangeTo(204));
      expect(events.slice(4).map((event) => event.payload.value)).toEqual(rangeTo(100).flatMap((n) => [n, n]));
      expect(answers).toEqual(rangeTo(100).map((n) => ({ outcome: "recorded", lastSequence: 4 + 2 * n })));
    });

    it("keeps sequences gapless under 100 concurrent appends over mixed sessions", async () => {
      const runs: Awaited<ReturnType<typeof startRun>>[] = [];
      for (const _ of rangeTo(10)) runs.push(await startRun(world()));
      await Promise.all(
        rangeTo(100).map((n) => {
          const run = runs[n % 10];
          if (run === undefined) throw new Error("There are ten runs");
          const events = rangeTo(1 + (n % 3)).map(() => customEvent(world(), n));
          return world().storage.runs.record(run.claimed.fence, batchOf({ events }));
        }),
      );
      for (const { session } of runs) {
        const sequences = (await eventsOf(world(), session.id)).map((event) => event.sequence);
        expect(sequences).toEqual(rangeTo(sequences.length));
      }
    });

    it("keeps them gapless while others submit to the same session", async () => {
      const { session, claimed } = await startRun(world());
      const by = { by: "id", id: session.id } as const;
      const { storage } = world();
      await Promise.all([
        ...rangeTo(20).map(() => storage.runs.record(claimed.fence, batchOf({ events: [customEvent(world())] }))),
        ...rangeTo(20).map(() =>
          storage.tasks.submit(world().authority(), workOf(world(), { session: by, policy: "ENQUEUE" })),
        ),
        ...rangeTo(20).map(() => storage.runs.record(claimed.fence, batchOf({ messages: [messageOf(world())] }))),
      ]);
      const sequences = (await eventsOf(world(), session.id)).map((event) => event.sequence);
      expect(sequences).toEqual(rangeTo(4 + 20 + 60));
      const messages = await world().models.message.findMany({
        where: { sessionId: session.id },
        orderBy: { seq: "asc" },
      });
      expect(messages.map((message) => message.seq)).toEqual(rangeTo(41));
      const row = await world().models.session.findUniqueOrThrow({ where: { id: session.id } });
      expect(row).toMatchObject({ lastMessageSeq: 41, messageCount: 41, lastSequence: 84 });
    });

    it("fails a bad batch alone, whole, and not the others of its flush", async () => {
      const good = await startRun(world());
      const bad = await startRun(world());
      const step = stepOf(world());
      await world().storage.runs.record(bad.claimed.fence, batchOf({ steps: [step] }));
      const clash = batchOf({ events: [customEvent(world())], steps: [stepOf(world(), { seq: step.seq })] });
      const fine = batchOf({ events: [customEvent(world())] });
      const results = await Promise.allSettled([
        world().storage.runs.record(good.claimed.fence, fine),
        world().storage.runs.record(bad.claimed.fence, clash),
        world().storage.runs.record(good.claimed.fence, fine),
        world().storage.runs.record(bad.claimed.fence, fine),
      ]);
      expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled", "fulfilled"]);
      expect(await eventsOf(world(), good.session.id)).toHaveLength(6);
      const sequences = (await eventsOf(world(), bad.session.id)).map((event) => event.sequence);
      expect(sequences).toEqual(rangeTo(5));
      const row = await world().models.session.findUniqueOrThrow({ where: { id: bad.session.id } });
      expect(row.stepCount).toBe(1);
    });

    it("refuses an event that its schema refuses, before anything is written", async () => {
      const { session, claimed } = await startRun(world());
      const wrong = { ...customEvent(world()), type: "message.delta" as const, payload: JSON.parse("{}") };
      await expect(
        world().storage.runs.record(claimed.fence, batchOf({ events: [customEvent(world()), wrong] })),
      ).rejects.toThrow();
      expect(await eventsOf(world(), session.id)).toHaveLength(4);
    });

    it("writes a step when it starts and completes it when it ends, also within one batch", async () => {
      const { session, claimed } = await startRun(world());
      const running = { status: "RUNNING", finishedAt: null, durationMs: null } as const;
      const a = stepOf(world(), { ...running, seq: 1, inputs: { a: 1 }, metadata: { node: "a" } });
      const b = stepOf(world(), { ...running, seq: 2, inputs: { b: 1 } });
      const ended = {
        status: "COMPLETED",
        finishedAt: world().clock.now(),
        durationMs: 7,
        output: [1],
        inputs: undefined,
      } as const;
      await world().storage.runs.record(claimed.fence, batchOf({ steps: [a, b, { ...b, ...ended }] }));
      await world().storage.runs.record(claimed.fence, batchOf({ steps: [{ ...a, ...ended, metadata: undefined }] }));
      const steps = await world().models.step.findMany({ where: { sessionId: session.id }, orderBy: { seq: "asc" } });
      expect(steps).toMatchObject([
        { status: "COMPLETED", inputs: { a: 1 }, output: [1], durationMs: 7, metadata: { node: "a" } },
        { status: "COMPLETED", inputs: { b: 1 }, output: [1], durationMs: 7, metadata: {} },
      ]);
    });

    it("takes messages with one LangGraph id for one message, in order of their first appearance", async () => {
      const { session, run, claimed } = await startRun(world());
      const first = messageOf(world(), { content: "draft" });
      const second = messageOf(world(), { content: "second" });
      await world().storage.runs.record(claimed.fence, batchOf({ messages: [first] }));
      const rewritten = { ...first, id: world().newId(), content: "final", tokenCount: 9 };
      await world().storage.runs.record(claimed.fence, batchOf({ messages: [second, rewritten] }));
      const messages = await world().models.message.findMany({
        where: { sessionId: session.id },
        orderBy: { seq: "asc" },
      });
      expect(messages).toMatchObject([
        { seq: 1, role: "USER" },
        { seq: 2, id: first.id, content: "final", tokenCount: 9, runId: run.id },
        { seq: 3, id: second.id },
      ]);
      const row = await world().models.session.findUniqueOrThrow({ where: { id: session.id } });
      expect(row).toMatchObject({ messageCount: 3, lastMessage: "second" });
    });

    it("counts calls and tokens as they were reported, and says how complete they are", async () => {
      const { session, run, claimed } = await startRun(world());
      const unknown = callOf(world(), { promptTokens: null, completionTokens: null, totalTokens: null });
      await world().storage.runs.record(
        claimed.fence,
        batchOf({ modelCalls: [callOf(world(), { cachedPromptTokens: 4 })] }),
      );
      await succeed(world(), claimed.fence, batchOf({ modelCalls: [unknown] }));
      const counted = {
        modelCallCount: 2,
        promptTokens: 10,
        totalTokens: 15,
        cachedPromptTokens: 4,
        usageStatus: "PARTIAL",
      };
      expect(await world().models.session.findUniqueOrThrow({ where: { id: session.id } })).toMatchObject(counted);
      expect(await world().models.run.findUniqueOrThrow({ where: { id: run.id } })).toMatchObject({
        ...counted,
        reasoningTokens: null,
      });
      const usage = (await eventsOf(world(), session.id)).find((event) => event.type === "usage.recorded");
      expect(usage?.payload).toMatchObject({
        status: "PARTIAL",
        byModel: [{ model: "scripted-1", modelCalls: 2, totalTokens: 15 }],
      });
    });

    it("remembers when the run was first seen to do something", async () => {
      const { run, claimed } = await startRun(world());
      const delta = () => ({
        type: "message.delta" as const,
        payload: { messageId: "m", role: "ASSISTANT" as const, text: "x", index: 0 },
        visibility: "END_USER" as const,
        at: world().clock.now(),
      });
      await world().storage.runs.record(claimed.fence, batchOf({ events: [customEvent(world())] }));
      world().clock.advance(1_000);
      const at = world().clock.now();
      await world().storage.runs.record(claimed.fence, batchOf({ events: [delta()] }));
      world().clock.advance(1_000);
      await world().storage.runs.record({ ...claimed.fence }, batchOf({ events: [delta()] }));
      expect((await world().models.run.findUniqueOrThrow({ where: { id: run.id } })).firstEventAt).toEqual(at);
    });
  });
}
