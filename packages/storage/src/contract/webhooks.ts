import { deliveryAttempts, type WebhookEvent } from "@wheelhouse/domain";
import { describe, expect, it } from "vitest";
import type { ClaimedDelivery, WebhookRecord } from "../webhooks.ts";
import type { ContractWorld, OpenContractWorld } from "./contract-world.ts";
import { claimInput, emptyBatch, rangeTo, startRun, submit, succeed, useWorld } from "./sample-work.ts";

export async function makeWebhook(
  world: ContractWorld,
  events: WebhookEvent[] = ["task.completed"],
  authority = world.authority(),
): Promise<WebhookRecord> {
  const input = { id: world.newId(), url: "https://example.com/hook", events, secretCipher: "sealed" };
  const outcome = await world.storage.webhooks.create(authority, { ...input, at: world.clock.now() });
  if (outcome.outcome !== "created") throw new Error(`The webhook was not made: ${outcome.outcome}`);
  return outcome.webhook;
}

const claiming = (world: ContractWorld, more: { limit?: number; perWebhook?: number; except?: string[] } = {}) => ({
  limit: 100,
  perWebhook: 100,
  except: [],
  leaseMs: 60_000,
  at: world.clock.now(),
  ...more,
});

const rowsOf = (world: ContractWorld, webhookId: string) =>
  world.models.webhookDelivery.findMany({ where: { webhookId }, orderBy: [{ createdAt: "asc" }, { id: "asc" }] });

/** Takes away every webhook, so that a test sees its own deliveries only. */
const forgetAll = (world: ContractWorld) => world.models.webhook.deleteMany();

async function completeTask(world: ContractWorld) {
  const started = await startRun(world);
  await succeed(world, started.claimed.fence);
  return started;
}

async function onlyClaimed(world: ContractWorld): Promise<ClaimedDelivery> {
  const [claimed, ...others] = await world.storage.webhooks.claim(claiming(world));
  if (claimed === undefined || others.length > 0) throw new Error("One delivery was expected");
  return claimed;
}

/** What webhooks are told, in the transaction that they are told of, and how deliveries are handed out. */
export function webhooksContract(openWorld: OpenContractWorld): void {
  describe("webhooks", () => {
    const world = useWorld(openWorld);

    it("are kept as they were given, and changed in part", async () => {
      const { webhooks } = world().storage;
      const made = await makeWebhook(world(), ["task.failed", "task.completed"]);
      expect(made).toMatchObject({ events: ["task.failed", "task.completed"], enabled: true, disabledReason: null });
      const until = world().clock.now();
      const change = { url: "https://example.com/b", secretCipher: "new", previousSecretCipher: "sealed" };
      const at = world().clock.now();
      const changed = await webhooks.update(world().authority(), made.id, {
        change: { ...change, previousSecretUntil: until },
        at,
      });
      expect(changed).toEqual({ ...made, ...change, previousSecretUntil: until });
      expect(await webhooks.get(world().authority(), made.id)).toEqual(changed);
      const reseal = { id: made.id, from: "new", secretCipher: "newer", previousSecretCipher: null, at };
      expect([await webhooks.reseal(reseal), await webhooks.reseal(reseal)]).toEqual([true, false]);
      expect((await webhooks.secrets()).find(({ id }) => id === made.id)).toMatchObject({ secretCipher: "newer" });
      expect(await webhooks.delete(world().authority(), made.id)).toBe(true);
      expect(await webhooks.get(world().authority(), made.id)).toBeNull();
    });

    it("are as many as a transition may pay for", async () => {
      await forgetAll(world());
      for (const _ of rangeTo(50)) await makeWebhook(world());
      await expect(makeWebhook(world())).rejects.toThrow("tooMany");
      await completeTask(world());
      // Each has a delivery with an id of its own.
      expect(await world().models.webhookDelivery.count()).toBe(50);
      await forgetAll(world());
    });

    it("learn of a task's end in the transaction that ends it: those that listen, in its project, while enabled", async () => {
      await forgetAll(world());
      const heard = await makeWebhook(world(), ["task.failed", "task.completed"]);
      const deaf = await makeWebhook(world(), ["task.cancelled"]);
      const disabled = await makeWebhook(world());
      await world().storage.webhooks.update(world().authority(), disabled.id, {
        change: { enabled: false },
        at: world().clock.now(),
      });
      const elsewhere = world().authority({ projectId: world().otherProjectId, scope: { project: "globex" } });
      const foreign = await makeWebhook(world(), ["task.completed"], elsewhere);
      const { task, run, session } = await completeTask(world());
      for (const { id } of [deaf, disabled, foreign]) expect(await rowsOf(world(), id)).toEqual([]);
      expect(await rowsOf(world(), heard.id)).toMatchObject([
        { taskId: task.id, event: "task.completed", status: "PENDING", attempts: 0, attemptLimit: deliveryAttempts },
      ]);
      expect(await onlyClaimed(world())).toMatchObject({
        attempt: 1,
        event: "task.completed",
        facts: { status: "COMPLETED", at: world().clock.now().toISOString() },
        webhook: heard,
        task: {
          id: task.id,
          status: "COMPLETED",
          output: { ok: true },
          runId: run.id,
          sessionId: session.id,
          externalId: null,
          scope: { project: "acme" },
          agentName: "guide",
        },
      });
      await forgetAll(world());
    });

    it("learn of every way in which a task ends or waits", async () => {
      await forgetAll(world());
      const all = ["task.completed", "task.failed", "task.cancelled", "task.rejected", "task.input_required"] as const;
      const { id } = await makeWebhook(world(), [...all]);
      const { tasks, runs } = world().storage;
      const at = world().clock.now();
      await completeTask(world());
      const failing = await startRun(world());
      const failure = { code: "MODEL_ERROR", message: "no answer" } as const;
      await runs.finish(failing.claimed.fence, emptyBatch, { status: "FAILED", failure, at });
      const waiting = await startRun(world());
      await runs.finish(waiting.claimed.fence, emptyBatch, { status: "INTERRUPTED", at });
      const cancel = { taskId: waiting.task.id, reason: "enough", at };
      await tasks.cancel(world().authority(), cancel);
      const replaced = await startRun(world());
      await submit(world(), { session: { by: "id", id: replaced.session.id }, policy: "INTERRUPT" });
      const lost = await startRun(world());
      await runs.releaseAll();
      await runs.claim(claimInput(world(), { maxRecoveries: 0 }));
      const told = (await rowsOf(world(), id)).map(({ event, taskId }) => `${event} ${taskId}`);
      expect(told).toEqual(
        expect.arrayContaining([
          `task.failed ${failing.task.id}`,
          `task.input_required ${waiting.task.id}`,
          `task.cancelled ${waiting.task.id}`,
          `task.cancelled ${replaced.task.id}`,
          `task.failed ${lost.task.id}`,
        ]),
      );
      const claimed = await world().storage.webhooks.claim(claiming(world()));
      expect(claimed.find(({ task }) => task?.id === failing.task.id)?.facts).toMatchObject({
        status: "FAILED",
        code: "MODEL_ERROR",
        reason: "no answer",
      });
      await forgetAll(world());
    });

    it("cost a transition no statement", async () => {
      if (world().storage.kind !== "postgres") return;
      const count = async () => {
        const { claimed } = await startRun(world());
        world().statements.length = 0;
        await succeed(world(), claimed.fence);
        return world().statements.length;
      };
      await forgetAll(world());
      const without = await count();
      for (const _ of rangeTo(3)) await makeWebhook(world());
      expect(await count()).toBe(without);
      await forgetAll(world());
    });

    it("go with their session when it is deleted, and lose nothing else", async () => {
      const { id } = await makeWebhook(world());
      const { session } = await completeTask(world());
      await world().models.session.delete({ where: { id: session.id } });
      expect(await rowsOf(world(), id)).toEqual([]);
      await forgetAll(world());
    });
  });

  describe("deliveries", () => {
    const world = useWorld(openWorld);
    const webhooks = () => world().storage.webhooks;
    const later = (ms: number) => new Date(world().clock.now().getTime() + ms);

    it("are handed to exactly one of several concurrent claims, in this process and others", async () => {
      await forgetAll(world());
      await makeWebhook(world());
      for (const _ of rangeTo(10)) await completeTask(world());
      const second = (await world().openSecond()) ?? world().storage;
      const claims = await Promise.all([
        ...rangeTo(3).map(() => webhooks().claim(claiming(world(), { limit: 4 }))),
        ...rangeTo(3).map(() => second.webhooks.claim(claiming(world(), { limit: 4 }))),
      ]);
      const rest = await webhooks().claim(claiming(world()));
      const ids = [...claims.flat(), ...rest].map(({ id }) => id);
      expect(ids).toHaveLength(10);
      expect(new Set(ids).size).toBe(10);
      await forgetAll(world());
    });

    it("are due again when a lease has ended, and then the one before writes nothing", async () => {
      await forgetAll(world());
      await makeWebhook(world());
      await completeTask(world());
      const first = await onlyClaimed(world());
      expect(await webhooks().claim(claiming(world()))).toEqual([]);
      world().clock.advance(60_000);
      const second = await onlyClaimed(world());
      expect(second).toMatchObject({ id: first.id, attempt: 2 });
      const ending = { status: "DELIVERED", responseCode: 200 } as const;
      const at = world().clock.now();
      expect(await webhooks().settle({ id: first.id, attempt: first.attempt, ending, at })).toBe(false);
      expect(await webhooks().settle({ id: second.id, attempt: second.attempt, ending, at })).toBe(true);
      expect(await webhooks().settle({ id: second.id, attempt: second.attempt, ending, at })).toBe(false);
      expect(await rowsOf(world(), second.webhook.id)).toMatchObject([
        { status: "DELIVERED", attempts: 2, responseCode: 200, error: null, nextAttemptAt: null, attemptedAt: at },
      ]);
      await forgetAll(world());
    });

    it("are shared between webhooks: so many of one, and none of those that are left out", async () => {
      await forgetAll(world());
      const [a, b] = [await makeWebhook(world()), await makeWebhook(world())];
      for (const _ of rangeTo(3)) await completeTask(world());
      const some = await webhooks().claim(claiming(world(), { perWebhook: 1 }));
      expect(some.map(({ webhook }) => webhook.id).sort()).toEqual([a.id, b.id].sort());
      const others = await webhooks().claim(claiming(world(), { except: [a.id] }));
      expect(new Set(others.map(({ webhook }) => webhook.id))).toEqual(new Set([b.id]));
      await forgetAll(world());
    });

    it("wait for their next attempt, and end when there is none", async () => {
      await forgetAll(world());
      const { id: webhookId } = await makeWebhook(world());
      await completeTask(world());
      const { id, attempt } = await onlyClaimed(world());
      const retry = { status: "RETRY", responseCode: 500, error: "answered 500", nextAttemptAt: later(5_000) } as const;
      expect(await webhooks().settle({ id, attempt, ending: retry, at: world().clock.now() })).toBe(true);
      expect(await rowsOf(world(), webhookId)).toMatchObject([{ status: "PENDING", responseCode: 500 }]);
      expect(await webhooks().claim(claiming(world()))).toEqual([]);
      world().clock.advance(5_000);
      const again = await onlyClaimed(world());
      const failed = { status: "FAILED", responseCode: null, error: "refused" } as const;
      await webhooks().settle({ id, attempt: again.attempt, ending: failed, at: world().clock.now() });
      expect(await rowsOf(world(), webhookId)).toMatchObject([{ status: "FAILED", error: "refused", attempts: 2 }]);
      await forgetAll(world());
    });

    it("are replayed under their id, with attempts of their own", async () => {
      await forgetAll(world());
      const { id: webhookId } = await makeWebhook(world());
      await completeTask(world());
      const { id, attempt } = await onlyClaimed(world());
      const at = world().clock.now();
      expect(await webhooks().replay(world().authority(), id, at)).toBe("notEnded");
      await webhooks().settle({ id, attempt, ending: { status: "DELIVERED", responseCode: 204 }, at });
      expect(await webhooks().replay(world().authority(), id, at)).toBe("queued");
      expect(await onlyClaimed(world())).toMatchObject({ id, attempt: 2, attemptLimit: 1 + deliveryAttempts });
      await webhooks().update(world().authority(), webhookId, { change: { enabled: false }, at });
      expect(await webhooks().replay(world().authority(), id, at)).toBe("disabled");
      expect(await webhooks().replay(world().authority(), world().newId(), at)).toBe("notFound");
      await forgetAll(world());
    });

    it("fail when their webhook is disabled, by a person or by its receiver", async () => {
      await forgetAll(world());
      const [byPerson, byReceiver] = [await makeWebhook(world()), await makeWebhook(world())];
      for (const _ of rangeTo(2)) await completeTask(world());
      const at = world().clock.now();
      await webhooks().update(world().authority(), byPerson.id, { change: { enabled: false }, at });
      const [gone] = await webhooks().claim(claiming(world(), { limit: 1 }));
      if (gone === undefined) throw new Error("A delivery was expected");
      const ending = { status: "GONE", responseCode: 410, error: "wants no more" } as const;
      await webhooks().settle({ id: gone.id, attempt: 1, ending, at });
      for (const { id } of [byPerson, byReceiver])
        expect((await rowsOf(world(), id)).map(({ status }) => status)).toEqual(["FAILED", "FAILED"]);
      expect(await webhooks().get(world().authority(), byReceiver.id)).toMatchObject({
        enabled: false,
        disabledReason: "wants no more",
      });
      await webhooks().update(world().authority(), byReceiver.id, { change: { enabled: true }, at });
      expect(await webhooks().get(world().authority(), byReceiver.id)).toMatchObject({ disabledReason: null });
      await forgetAll(world());
    });

    it("can be tried by hand, once, also while the webhook is disabled", async () => {
      await forgetAll(world());
      const { id } = await makeWebhook(world());
      const at = world().clock.now();
      await webhooks().update(world().authority(), id, { change: { enabled: false }, at });
      const deliveryId = world().newId();
      expect(await webhooks().sendTest(world().authority(), id, { deliveryId, at })).toBe(deliveryId);
      expect(await onlyClaimed(world())).toMatchObject({
        ...{ id: deliveryId, event: "webhook.test", attempt: 1, attemptLimit: 1, task: null },
      });
      await forgetAll(world());
    });

    it("are pruned when they are old and ended", async () => {
      await forgetAll(world());
      const { id: webhookId } = await makeWebhook(world());
      for (const _ of rangeTo(3)) await completeTask(world());
      const [ended] = await webhooks().claim(claiming(world(), { limit: 1 }));
      if (ended === undefined) throw new Error("A delivery was expected");
      const ending = { status: "DELIVERED", responseCode: 200 } as const;
      await webhooks().settle({ id: ended.id, attempt: 1, ending, at: world().clock.now() });
      expect(await webhooks().prune({ before: world().clock.now(), limit: 10 })).toBe(0);
      expect(await webhooks().prune({ before: later(1), limit: 10 })).toBe(1);
      expect(await rowsOf(world(), webhookId)).toHaveLength(2);
      await forgetAll(world());
    });

    it("wake whoever delivers: every end of a task, every try and every replay", async () => {
      const { id } = await makeWebhook(world());
      let heard = 0;
      const stop = world().storage.wakeUps.onDeliveries(() => heard++);
      await completeTask(world());
      expect(heard).toBe(1);
      const deliveryId = world().newId();
      await webhooks().sendTest(world().authority(), id, { deliveryId, at: world().clock.now() });
      expect(heard).toBe(2);
      await startRun(world());
      expect(heard).toBe(2);
      stop();
      await completeTask(world());
      expect(heard).toBe(2);
      await forgetAll(world());
    });
  });
}
