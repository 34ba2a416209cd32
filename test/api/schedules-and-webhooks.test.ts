import { deliverWebhooks, fireSchedules } from "@wheelhouse/runtime";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openReceiver } from "../flow/receiver.ts";
import { type ApiWorld, openApiWorld } from "./api-world.ts";
import { databaseKinds } from "./databases.ts";

const never = new AbortController().signal;
const refusal = "... on Refusal { code message } ... on Invalid { issues { path message } }";
const createSchedule = `mutation($input: CreateScheduleInput!) { createSchedule(input: $input) { __typename
  ... on Schedule { id name cron timeZone overlapPolicy sessionPolicy agent scope input enabled nextAt nextTimes(first: 2)
    lastAt lastError lastTask { id } } ${refusal} } }`;
const createWebhook = `mutation($input: CreateWebhookInput!) { createWebhook(input: $input) { __typename
  ... on WebhookSecretSuccess { secret clientMutationId webhook { id url events enabled disabledReason previousSecretUntil } }
  ${refusal} } }`;
const chat = { messages: [{ role: "user", content: "hello" }] };

describe.each(databaseKinds)("schedules and webhooks over the API on %s", (kind) => {
  let world: ApiWorld;
  let key: string;
  beforeAll(async () => {
    world = await openApiWorld({ kind, environment: { WHEELHOUSE_OUTGOING_ALLOW: "127.0.0.1" } });
    key = await world.makeKey();
  });
  afterAll(() => world[Symbol.asyncDispose]());

  async function mutate(query: string, variables: object, by = key) {
    const { data, errors } = await world.ask(by, query, variables);
    expect(errors).toBeUndefined();
    return Object.values<Record<string, never>>(data)[0] ?? {};
  }
  const runtime = () => world.server.installation.runtime;

  it("makes, shows, changes, triggers and deletes a schedule", async () => {
    const input = { name: "report", cron: "0 9 * * MON-FRI", timeZone: "Europe/Berlin", agent: "echo", input: chat };
    const made = await mutate(createSchedule, { input });
    expect(made).toMatchObject({
      ...input,
      __typename: "Schedule",
      overlapPolicy: "SKIP",
      sessionPolicy: "SAME",
      scope: { project: "default" },
      enabled: true,
      ...{ lastAt: null, lastError: null, lastTask: null },
    });
    expect(made.nextTimes).toEqual([made.nextAt, expect.any(String)]);
    const { id } = made;
    const list =
      "{ schedules(first: 10) { totalCount nodes { id name lastTask { id status session { externalId } } } } }";
    expect((await world.ask(key, list)).data.schedules).toMatchObject({
      totalCount: 1,
      nodes: [{ id, lastTask: null }],
    });
    const triggered = await mutate(
      `mutation($id: ID!) { triggerSchedule(input: { scheduleId: $id, idempotencyKey: "t", clientMutationId: "c" }) {
        __typename ... on SubmitTaskSuccess { reused clientMutationId task { id } run { id } } ${refusal} } }`,
      { id },
    );
    expect(triggered).toMatchObject({ __typename: "SubmitTaskSuccess", reused: false, clientMutationId: "c" });
    const { task } = triggered as unknown as { task: { id: string } };
    const after = async () => (await world.ask(key, list)).data.schedules.nodes[0].lastTask;
    const started = { id: task.id, session: { externalId: "schedule:report" } };
    expect(await after()).toMatchObject(started);
    // To its end: webhooks that are made later must not be told of it.
    await expect.poll(after).toMatchObject({ ...started, status: "COMPLETED" });
    const change = { scheduleId: id, cron: "*/5 * * * *", enabled: false };
    const update = `mutation($input: UpdateScheduleInput!) { updateSchedule(input: $input) { __typename
      ... on Schedule { cron enabled nextAt nextTimes timeZone } ${refusal} } }`;
    expect(await mutate(update, { input: change })).toEqual({
      ...{ __typename: "Schedule", cron: "*/5 * * * *", enabled: false, nextAt: null, nextTimes: [] },
      timeZone: "Europe/Berlin",
    });
    const node = `query($id: ID!) { node(id: $id) { __typename ... on Schedule { name } } schedule(id: $id) { name } }`;
    expect((await world.ask(key, node, { id })).data).toEqual({
      node: { __typename: "Schedule", name: "report" },
      schedule: { name: "report" },
    });
    const remove = `mutation($id: ID!) { deleteSchedule(input: { scheduleId: $id }) { __typename
      ... on DeleteScheduleSuccess { deletedId } ${refusal} } }`;
    expect(await mutate(remove, { id })).toEqual({ __typename: "DeleteScheduleSuccess", deletedId: id });
    expect(await mutate(remove, { id })).toMatchObject({ __typename: "NotFound" });
    expect((await world.ask(key, node, { id })).data).toEqual({ node: null, schedule: null });
  });

  it("names every field that is wrong, and foretells times", async () => {
    const input = { name: "", cron: "61 * * * *", timeZone: "Mars/Base", agent: "echo", input: chat };
    const refused = await mutate(createSchedule, { input: { ...input, overlapPolicy: "ALLOW" } });
    expect(refused).toMatchObject({ __typename: "Invalid" });
    const { issues } = refused as unknown as { issues: { path: string }[] };
    expect(issues.map(({ path }) => path)).toEqual(["name", "cron", "timeZone", "overlapPolicy"]);
    expect(
      await mutate(createSchedule, {
        input: { ...input, cron: "* * * * *", name: "x", timeZone: "UTC", agent: "nobody" },
      }),
    ).toMatchObject({
      __typename: "NotFound",
      code: "AGENT_NOT_FOUND",
    });
    const times = await world.ask(key, '{ cronTimes(cron: "0 0 1 1 *", timeZone: "Asia/Kathmandu", first: 1) }');
    expect(times.data.cronTimes).toEqual([expect.stringMatching(/-12-31T18:15:00\.000Z$/)]);
    const wrong = await world.ask(key, '{ cronTimes(cron: "nonsense", timeZone: "UTC") }');
    expect(wrong.errors?.[0]?.extensions).toMatchObject({ code: "INVALID_INPUT", issues: [{ path: "cron" }] });
  });

  it("delivers, shows the secret once, and replays", async () => {
    await using receiver = await openReceiver();
    receiver.answer(400, 204);
    const events = ["TASK_COMPLETED", "TASK_FAILED"];
    const made = await mutate(createWebhook, { input: { url: receiver.url, events, clientMutationId: "c" } });
    expect(made).toMatchObject({
      __typename: "WebhookSecretSuccess",
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
      clientMutationId: "c",
      webhook: { url: receiver.url, events, enabled: true, disabledReason: null, previousSecretUntil: null },
    });
    const { secret, webhook } = made as unknown as { secret: string; webhook: { id: string } };
    const sent = await mutate(
      `mutation($id: ID!) { sendTestWebhook(input: { webhookId: $id }) { __typename
        ... on WebhookDelivery { id event status attempts webhook { id } task { id } } ${refusal} } }`,
      { id: webhook.id },
    );
    expect(sent).toMatchObject({ __typename: "WebhookDelivery", event: "WEBHOOK_TEST", task: null });
    await deliverWebhooks.sweep(runtime(), never);
    await receiver.until(1);
    const log = `query($filter: WebhookDeliveryFilter) { webhookDeliveries(first: 10, filter: $filter) { totalCount
      nodes { id messageId status attempts responseCode error event task { id } webhook { url } } } }`;
    const failed = async () =>
      (await world.ask(key, log, { filter: { statuses: ["FAILED"], webhookId: webhook.id } })).data;
    await expect.poll(failed).toMatchObject({
      webhookDeliveries: { totalCount: 1, nodes: [{ id: sent.id, responseCode: 400, attempts: 1 }] },
    });
    const replay = `mutation($id: ID!) { replayWebhookDelivery(input: { deliveryId: $id }) { __typename
      ... on WebhookDelivery { status } ${refusal} } }`;
    expect(await mutate(replay, { id: sent.id })).toMatchObject({ __typename: "WebhookDelivery" });
    await deliverWebhooks.sweep(runtime(), never);
    await receiver.until(2);
    await expect.poll(failed).toMatchObject({ webhookDeliveries: { totalCount: 0 } });
    const everything = await world.ask(
      key,
      "{ webhooks(first: 10) { nodes { id url events enabled disabledReason previousSecretUntil createdAt updatedAt } } }",
    );
    expect(JSON.stringify([everything, world.logged])).not.toContain(secret.slice(6));
    expect(JSON.stringify(world.logged)).not.toContain("whsec_");
    const rotated = await mutate(
      `mutation($id: ID!) { rotateWebhookSecret(input: { webhookId: $id }) { __typename
        ... on WebhookSecretSuccess { secret webhook { previousSecretUntil } } ${refusal} } }`,
      { id: webhook.id },
    );
    expect(rotated).toMatchObject({ webhook: { previousSecretUntil: expect.any(String) } });
    expect(rotated.secret).not.toBe(secret);
    const remove = `mutation($id: ID!) { deleteWebhook(input: { webhookId: $id }) { __typename ${refusal} } }`;
    expect(await mutate(remove, { id: webhook.id })).toMatchObject({ __typename: "DeleteWebhookSuccess" });
    expect((await world.ask(key, log)).data.webhookDeliveries.totalCount).toBe(0);
  });

  it("refuses addresses that may not be called, naming the field", async () => {
    for (const url of [
      "http://10.0.0.1/",
      "http://192.168.0.1:5432/",
      "https://user:pw@example.com/",
      "file:///etc/passwd",
    ])
      expect(await mutate(createWebhook, { input: { url, events: ["TASK_FAILED"] } }), url).toMatchObject({
        __typename: "Invalid",
        issues: [{ path: "url" }],
      });
  });

  it("has nothing for keys of exact reach, and nothing to change for those that only read", async () => {
    await using receiver = await openReceiver();
    const { webhook } = (await mutate(createWebhook, {
      input: { url: receiver.url, events: ["TASK_FAILED"] },
    })) as unknown as {
      webhook: { id: string };
    };
    const input = { name: "mine", cron: "* * * * *", agent: "echo", input: chat, enabled: false };
    const { id } = await mutate(createSchedule, { input });
    const exact = await world.makeKey({ reach: "EXACT" });
    const lists = "{ schedules { totalCount } webhooks { totalCount } webhookDeliveries { totalCount } }";
    expect((await world.ask(exact, lists)).data).toEqual({
      ...{ schedules: { totalCount: 0 }, webhooks: { totalCount: 0 }, webhookDeliveries: { totalCount: 0 } },
    });
    const nodes = "query($ids: [ID!]!) { nodes(ids: $ids) { id } }";
    expect((await world.ask(exact, nodes, { ids: [id, webhook.id] })).data.nodes).toEqual([null, null]);
    expect(await mutate(createSchedule, { input: { ...input, name: "other" } }, exact)).toMatchObject({
      code: "FORBIDDEN",
    });
    const update = `mutation($id: ID!) { updateWebhook(input: { webhookId: $id, enabled: false }) { __typename ${refusal} } }`;
    expect(await mutate(update, { id: webhook.id }, exact)).toMatchObject({ __typename: "NotFound" });
    const reader = await world.makeKey({ permissions: ["read"] });
    expect((await world.ask(reader, lists)).data.schedules.totalCount).toBe(1);
    expect(await mutate(update, { id: webhook.id }, reader)).toMatchObject({ __typename: "Forbidden" });
    expect(await mutate(createSchedule, { input }, reader)).toMatchObject({ __typename: "Forbidden" });
  });

  it("fires what is due and tells of its end", async () => {
    await using receiver = await openReceiver();
    await mutate(createWebhook, { input: { url: receiver.url, events: ["TASK_COMPLETED"] } });
    const { id } = await mutate(createSchedule, {
      input: {
        name: "due",
        cron: "* * * * *",
        agent: "echo",
        input: chat,
        sessionPolicy: "NEW",
        overlapPolicy: "ALLOW",
      },
    });
    const { models } = world.server.installation;
    await models.schedule.updateMany({ where: { name: "due" }, data: { nextAt: new Date(Date.now() - 60_000) } });
    await fireSchedules.sweep(runtime(), never);
    const last = "query($id: ID!) { schedule(id: $id) { lastError lastTask { id status runs { id } } } }";
    await expect
      .poll(async () => (await world.ask(key, last, { id })).data.schedule)
      .toMatchObject({
        lastError: null,
        lastTask: { id: expect.any(String) },
      });
    const { lastTask } = (await world.ask(key, last, { id })).data.schedule;
    await world.ended(key, lastTask.runs[0].id);
    await deliverWebhooks.sweep(runtime(), never);
    await receiver.until(1);
    expect(JSON.parse(receiver.received[0]?.body ?? "").data.task).toMatchObject({
      id: lastTask.id,
      metadata: { schedule: "due" },
    });
  });
});
