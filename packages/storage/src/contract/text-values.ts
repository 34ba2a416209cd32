import { describe, expect, it } from "vitest";
import type { OpenContractWorld } from "./contract-world.ts";
import {
  batchOf,
  callOf,
  customEvent,
  eventsOf,
  messageOf,
  startRun,
  stepOf,
  submit,
  succeed,
  useWorld,
} from "./sample-work.ts";

const samples = {
  NUL: ["a\0b", "a\uFFFDb"],
  "a lone surrogate": ["a\uD83Db\uDC00", "a\uFFFDb\uFFFD"],
  "an emoji family": ["👩‍👩‍👧‍👦 ok", "👩‍👩‍👧‍👦 ok"],
  "right-to-left text": ["\u200Fשלום עולם مرحبا", "\u200Fשלום עולם مرحبا"],
  "quotes and escapes": ["'\"\\u0000 \\ % _ $1 ?1 {}", "'\"\\u0000 \\ % _ $1 ?1 {}"],
} as const;

/** What people and models write comes back as it was, and what no database stores never fails a run. */
export function textContract(openWorld: OpenContractWorld): void {
  describe("text", () => {
    const world = useWorld(openWorld);

    for (const [name, [written, kept]] of Object.entries(samples))
      it(`keeps ${name} in every field`, async () => {
        const json = { [written]: [written] };
        const keptJson = { [kept]: [kept] };
        const { session, task, run, claimed } = await startRun(world(), {
          session: {
            by: "externalId",
            externalId: `x${written}`,
            create: { id: world().newId(), threadId: world().newId(), title: written, metadata: json },
          },
          content: written,
          input: json,
          idempotencyKey: written,
          fingerprint: written,
        });
        const batch = batchOf({
          events: [customEvent(world(), json)],
          steps: [stepOf(world(), { name: written, inputs: json, output: written, error: written, metadata: json })],
          messages: [messageOf(world(), { content: written, toolCalls: json, model: written })],
          modelCalls: [callOf(world(), { model: written, error: written })],
        });
        await world().storage.runs.record(claimed.fence, batch);
        await world().storage.runs.finish(claimed.fence, batchOf({ events: [customEvent(world(), written)] }), {
          status: "FAILED",
          failure: { code: "MODEL_ERROR", message: written },
          context: json,
          at: world().clock.now(),
        });
        const { models } = world();
        expect(await models.session.findUniqueOrThrow({ where: { id: session.id } })).toMatchObject({
          title: kept,
          metadata: keptJson,
          externalId: `x${kept}`,
        });
        expect(await models.task.findUniqueOrThrow({ where: { id: task.id } })).toMatchObject({
          input: keptJson,
          idempotencyKey: kept,
          statusReason: kept,
        });
        expect(await models.run.findUniqueOrThrow({ where: { id: run.id } })).toMatchObject({
          input: keptJson,
          errorMessage: kept,
          context: keptJson,
        });
        expect(await models.step.findFirstOrThrow({ where: { runId: run.id } })).toMatchObject({
          name: kept,
          inputs: keptJson,
          output: kept,
          error: kept,
        });
        expect(await models.message.findMany({ where: { runId: run.id }, orderBy: { seq: "asc" } })).toMatchObject([
          { content: kept },
          { content: kept, toolCalls: keptJson },
        ]);
        expect(await models.modelCall.findFirstOrThrow({ where: { runId: run.id } })).toMatchObject({
          model: kept,
          error: kept,
        });
        const values = (await eventsOf(world(), session.id))
          .filter((event) => event.type === "custom")
          .map((event) => event.payload.value);
        expect(values).toEqual([keptJson, kept]);
        expect(
          await world().storage.sessions.findByExternalId(world().authority(), "guide", `x${written}`),
        ).toMatchObject({ id: session.id });
      });

    it("stores a message of 2 MB and a result of 5 MB", async () => {
      const long = "ä".repeat(1_000_000);
      const { session, claimed } = await startRun(world(), { content: long });
      const result = "x".repeat(5_000_000);
      await world().storage.runs.record(claimed.fence, batchOf({ steps: [stepOf(world(), { output: { result } })] }));
      expect(await succeed(world(), claimed.fence)).toBe("finished");
      const step = await world().models.step.findFirstOrThrow({ where: { sessionId: session.id } });
      expect(step.output).toEqual({ result });
      const message = await world().models.message.findFirstOrThrow({ where: { sessionId: session.id } });
      expect(message.content === long).toBe(true);
      const row = await world().models.session.findUniqueOrThrow({ where: { id: session.id } });
      expect(row.firstMessage?.length).toBeLessThanOrEqual(500);
    });

    it("takes null for an input", async () => {
      const { task } = await submit(world(), { input: null, content: null });
      expect(await world().storage.tasks.get(world().authority(), task.id)).toMatchObject({ input: null });
    });
  });
}
