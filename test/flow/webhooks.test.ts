import { deliveryAttempts, deliveryRestsMs, type WebhookEvent } from "@wheelhouse/domain";
import { globalId } from "@wheelhouse/graphql";
import {
  createWebhook,
  deliverWebhooks,
  openSecretBox,
  type RuntimeDeps,
  replayWebhookDelivery,
  resealSecrets,
  rotateWebhookSecret,
  sendMessage,
  sendTestWebhook,
  startPeriodicWork,
  updateWebhook,
} from "@wheelhouse/runtime";
import type { Storage } from "@wheelhouse/storage";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type FlowWorld, openFlowWorld, runToEnd, storageKinds } from "./flow-world.ts";
import { openReceiver, type Receiver } from "./receiver.ts";

const never = new AbortController().signal;

describe.each(storageKinds)("webhooks on %s", (kind) => {
  let world: FlowWorld;
  let receiver: Receiver;
  beforeAll(async () => {
    world = await openFlowWorld(kind);
    world.work();
  });
  afterAll(() => world[Symbol.asyncDispose]());

  /** One webhook and its receiver, for one test. */
  async function hook(events: WebhookEvent[] = ["task.completed"]) {
    await world.rows.webhook.deleteMany();
    receiver = await openReceiver();
    const { webhook, secret } = await createWebhook(world.deps, world.authority, { url: receiver.url, events });
    return { receiver, secret, id: webhook.id, [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose]() };
  }
  const sweep = (deps: RuntimeDeps = world.deps) => deliverWebhooks.sweep(deps, never);
  const delivery = async () => world.rows.webhookDelivery.findFirstOrThrow({ orderBy: { createdAt: "desc" } });
  async function complete(content = "hello") {
    const { task, run } = await sendMessage(world.deps, world.authority, { agent: "echo", content });
    await runToEnd(world, run.id);
    return task;
  }
  /** Storage whose deliveries meet this before they are settled. */
  const settling = (meet: () => Promise<void>): RuntimeDeps => {
    const webhooks: Storage["webhooks"] = {
      ...world.deps.storage.webhooks,
      settle: async (input) => {
        await meet();
        return world.deps.storage.webhooks.settle(input);
      },
    };
    const storage = new Proxy(world.deps.storage, {
      get: (target, name) => (name === "webhooks" ? webhooks : Reflect.get(target, name)),
    });
    return { ...world.deps, storage };
  };

  it("tell right after a task has ended, signed so that Standard Webhooks' own library accepts it", async () => {
    await using own = await hook();
    await using _ = startPeriodicWork(world.deps, [{ ...deliverWebhooks, everyMs: 3_600_000 }]);
    const task = await complete();
    await own.receiver.until(1);
    const [message] = own.receiver.received;
    const headers = Object.fromEntries(Object.entries(message?.headers ?? {}).map(([k, v]) => [k, String(v)]));
    expect(new Webhook(own.secret).verify(message?.body ?? "", headers)).toEqual({
      type: "task.completed",
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
      version: 1,
      data: {
        agent: "echo",
        session: { id: globalId("Session", task.sessionId), externalId: null, scope: { project: "flow" } },
        run: { id: globalId("Run", task.currentRunId ?? "") },
        task: {
          id: globalId("Task", task.id),
          status: "COMPLETED",
          createdAt: expect.any(String),
          metadata: {},
          output: { content: "You said: hello" },
          outputBytes: expect.any(Number),
          outputOmitted: false,
        },
      },
    });
    expect(headers["content-type"]).toBe("application/json; charset=utf-8");
  });

  it("tell of failures with code and reason, and leave out outputs that are too long", async () => {
    await using own = await hook(["task.completed", "task.failed"]);
    const { run } = await sendMessage(world.deps, world.authority, { agent: "echo", content: "fail" });
    await runToEnd(world, run.id);
    await complete("x".repeat(70_000));
    await sweep();
    const told = own.receiver.received.map(({ body }) => JSON.parse(body).data.task);
    expect(told).toContainEqual(expect.objectContaining({ status: "FAILED", code: "GRAPH_ERROR", output: null }));
    expect(told).toContainEqual(expect.objectContaining({ status: "COMPLETED", outputOmitted: true, output: null }));
  });

  it("try again after a rest when the receiver answers 500, under the same id, until it arrives", async () => {
    await using own = await hook();
    own.receiver.answer(500, 204);
    await complete();
    await sweep();
    const after = await delivery();
    expect(after).toMatchObject({ status: "PENDING", attempts: 1, responseCode: 500 });
    expect(after.error).toBe("The receiver answered 500: not today");
    const rest = (after.nextAttemptAt?.getTime() ?? 0) - (after.attemptedAt?.getTime() ?? 0);
    expect(rest).toBeGreaterThanOrEqual(deliveryRestsMs[0]);
    await sweep();
    expect(own.receiver.received).toHaveLength(1);
    world.advance(deliveryRestsMs[0] * 1.2);
    await sweep();
    expect(await delivery()).toMatchObject({ status: "DELIVERED", attempts: 2, responseCode: 204, error: null });
    const ids = own.receiver.received.map(({ headers }) => headers["webhook-id"]);
    expect(ids).toEqual([after.id, after.id]);
  });

  it("are given up after the last attempt, and replayed by hand", async () => {
    await using own = await hook();
    own.receiver.answer(503);
    await complete();
    for (const rest of [...deliveryRestsMs, 0]) {
      await sweep();
      world.advance(rest * 1.2);
    }
    const failed = await delivery();
    expect(failed).toMatchObject({
      status: "FAILED",
      attempts: deliveryAttempts,
      responseCode: 503,
      nextAttemptAt: null,
    });
    await sweep();
    expect(own.receiver.received).toHaveLength(deliveryAttempts);
    own.receiver.answer(503, 200);
    await replayWebhookDelivery(world.deps, world.authority, failed.id);
    await sweep();
    expect(await delivery()).toMatchObject({ id: failed.id, status: "PENDING" });
    world.advance(deliveryRestsMs[0] * 1.2);
    await sweep();
    expect(await delivery()).toMatchObject({ id: failed.id, status: "DELIVERED", attempts: deliveryAttempts + 2 });
    await expect(replayWebhookDelivery(world.deps, world.authority, world.deps.newId())).rejects.toThrow(/not found/);
  });

  it.each([
    [
      "redirects",
      (r: Receiver) => r.answer((s) => void s.writeHead(302, { location: r.url }).end()),
      /302: redirects are not/,
    ],
    ["closes", (r: Receiver) => r.answer((s) => void s.destroy()), /closed before the answer/],
    ["is not there", (r: Receiver) => r[Symbol.asyncDispose](), /connection was refused/],
  ])("try again when the receiver %s", async (_, arrange, error) => {
    await using own = await hook();
    await complete();
    await arrange(own.receiver);
    await sweep();
    expect(await delivery()).toMatchObject({ status: "PENDING", attempts: 1, error: expect.stringMatching(error) });
    expect(own.receiver.received.length).toBeLessThanOrEqual(1);
  });

  it("read no more of a huge answer than they keep", async () => {
    await using own = await hook();
    own.receiver.answer((response) => void response.writeHead(500).end("x".repeat(5_000_000)));
    await complete();
    await sweep();
    const { status, error } = await delivery();
    expect({ status, length: error?.length }).toEqual({ status: "PENDING", length: 227 });
  });

  it("refuse an address that has become private, before anything is sent", async () => {
    await using own = await hook();
    await world.rows.webhook.update({ where: { id: own.id }, data: { url: "http://169.254.169.254/latest" } });
    await complete();
    await sweep();
    expect(await delivery()).toMatchObject({ status: "FAILED", error: expect.stringMatching(/private or reserved/) });
    const metadata = { url: "http://[::ffff:10.0.0.1]/", events: ["task.completed" as const] };
    await expect(createWebhook(world.deps, world.authority, metadata)).rejects.toMatchObject({
      issues: [{ path: "url", message: expect.stringMatching(/private or reserved/) }],
    });
  });

  it("end with 410: the webhook is disabled and says why", async () => {
    await using own = await hook();
    own.receiver.answer(410);
    await complete();
    await sweep();
    expect(await delivery()).toMatchObject({ status: "FAILED", responseCode: 410 });
    const webhook = await world.rows.webhook.findUniqueOrThrow({ where: { id: own.id } });
    expect(webhook).toMatchObject({ enabled: false, disabledReason: expect.stringMatching(/410/) });
    await complete();
    expect(await world.rows.webhookDelivery.count({ where: { webhookId: own.id } })).toBe(1);
  });

  it("arrive again under the same id when the process is killed between sending and writing it down", async () => {
    await using own = await hook();
    await complete();
    let killed = () => {};
    const dead = new Promise<void>((resolve) => {
      killed = resolve;
    });
    const process = new AbortController();
    // It never comes back from its write, and does nothing more.
    const mute = settling(() => {
      process.abort();
      killed();
      return new Promise(() => undefined);
    });
    void deliverWebhooks.sweep(mute, process.signal);
    await dead;
    await sweep();
    expect(own.receiver.received).toHaveLength(1);
    world.advance(60_000);
    await sweep();
    expect(own.receiver.received.map(({ headers }) => headers["webhook-id"])).toEqual(
      [1, 2].map(() => own.receiver.received[0]?.headers["webhook-id"]),
    );
    expect(await delivery()).toMatchObject({ status: "DELIVERED", attempts: 2 });
  });

  it("are sent once each when replicas race", async () => {
    await using own = await hook();
    for (let n = 0; n < 6; n++) await complete();
    await Promise.all([sweep(), sweep({ ...world.deps }), sweep({ ...world.deps })]);
    const ids = own.receiver.received.map(({ headers }) => headers["webhook-id"]);
    expect(ids).toHaveLength(6);
    expect(new Set(ids).size).toBe(6);
  });

  it("to one slow receiver do not hold up another", async () => {
    await using slow = await hook();
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    slow.receiver.answer(async (response) => {
      await held;
      response.writeHead(204).end();
    });
    const quick = await openReceiver();
    for (let n = 0; n < 12; n++) await complete();
    const sweeping = sweep();
    await slow.receiver.until(8);
    await createWebhook(world.deps, world.authority, { url: quick.url, events: ["task.completed"] });
    await complete();
    await quick.until(1);
    expect(slow.receiver.mostAtOnce).toBe(8);
    release();
    await sweeping;
    expect(slow.receiver.received).toHaveLength(13);
    await quick[Symbol.asyncDispose]();
  });

  it("stop with their process and go on at once in the next one", async () => {
    await using own = await hook();
    own.receiver.answer(() => undefined, 204);
    await complete();
    const stop = new AbortController();
    const sweeping = deliverWebhooks.sweep(world.deps, stop.signal);
    await own.receiver.until(1);
    stop.abort();
    await sweeping;
    expect(await delivery()).toMatchObject({ status: "PENDING", error: "The call was stopped" });
    await sweep();
    expect(await delivery()).toMatchObject({ status: "DELIVERED", attempts: 2 });
  });

  it("sign with both secrets while one replaces the other, and keep neither in the clear", async () => {
    await using own = await hook();
    const { secret } = await rotateWebhookSecret(world.deps, world.authority, { webhookId: own.id, overlapHours: 1 });
    const send = async () => {
      await sendTestWebhook(world.deps, world.authority, own.id);
      await sweep();
      const message = own.receiver.received.at(-1);
      return String(message?.headers["webhook-signature"]).split(" ").length;
    };
    expect(await send()).toBe(2);
    const stored = JSON.stringify(await world.rows.webhook.findUniqueOrThrow({ where: { id: own.id } }));
    for (const each of [own.secret, secret]) expect(stored).not.toContain(each.slice(6));
    world.advance(3_600_000);
    expect(await send()).toBe(1);
    expect(JSON.parse(own.receiver.received.at(-1)?.body ?? "")).toMatchObject({ type: "webhook.test", data: {} });
    expect(JSON.stringify(world.logged)).not.toMatch(/whsec_/);
  });

  it("are encrypted anew after a change of the installation's secret", async () => {
    await using own = await hook();
    const previous = "a secret that only tests know, long enough";
    const secrets = openSecretBox({ current: "another secret that only tests know", previous: [previous] });
    const deps = { ...world.deps, secrets };
    await resealSecrets.sweep(deps, never);
    const { secretCipher } = await world.rows.webhook.findUniqueOrThrow({ where: { id: own.id } });
    expect(secrets.isCurrent(secretCipher)).toBe(true);
    await sendTestWebhook(deps, world.authority, own.id);
    await sweep(deps);
    expect(await delivery()).toMatchObject({ status: "DELIVERED" });
  });

  it("refuse callers of one scope, viewers, and inputs that make no sense", async () => {
    await using own = await hook();
    const input = { url: own.receiver.url, events: ["task.completed" as const] };
    const scoped = world.as({ reach: "EXACT" });
    await expect(createWebhook(world.deps, scoped, input)).rejects.toMatchObject({ code: "FORBIDDEN" });
    await expect(createWebhook(world.deps, world.as({ role: "VIEWER" }), input)).rejects.toMatchObject({
      code: "FORBIDDEN",
    });
    const change = { webhookId: own.id, enabled: false };
    await expect(updateWebhook(world.deps, scoped, change)).rejects.toMatchObject({ code: "NOT_FOUND" });
    const wrong = { url: "ftp://example.com", events: [] };
    await expect(createWebhook(world.deps, world.authority, wrong)).rejects.toMatchObject({
      issues: [{ path: "url" }, { path: "events" }],
    });
  });
});
