import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ApiWorld, openApiWorld } from "./api-world.ts";
import { databaseKinds } from "./databases.ts";

const send = `mutation ($input: SendMessageInput!) { sendMessage(input: $input) {
  __typename ... on SubmitTaskSuccess { session { id } task { id } run { id } } ... on Refusal { code message } } }`;
const checkpoints = `query ($id: ID!, $first: Int, $after: Cursor) { session(id: $id) { checkpoints(first: $first, after: $after) {
  totalCount nodes { id parentId step source next createdAt inConversation run { id } } pageInfo { hasNextPage endCursor } } } }`;
const fork = `mutation ($input: ForkSessionInput!) { forkSession(input: $input) { __typename
  ... on ForkSessionSuccess { clientMutationId task { id } run { id } session { id forkedFrom { id } forkedCheckpoint
    messages { nodes { role content } } } }
  ... on Refusal { code message } } }`;

describe.each(databaseKinds)("time travel through the API on %s", (kind) => {
  let world: ApiWorld;
  let key: string;
  let sessionId: string;
  const runs: string[] = [];
  const say = async (content: string, more: object = { sessionId }) => {
    const { data } = await world.ask(key, send, { input: { content, ...more } });
    expect(data.sendMessage.__typename).toBe("SubmitTaskSuccess");
    await world.ended(key, data.sendMessage.run.id);
    return data.sendMessage;
  };
  beforeAll(async () => {
    world = await openApiWorld({ kind });
    key = await world.makeKey();
    const first = await say("What can you do?", { agent: "echo" });
    sessionId = first.session.id;
    runs.push(first.run.id, (await say("And what else?")).run.id);
  });
  afterAll(async () => {
    await world[Symbol.asyncDispose]();
  });

  it("lists checkpoints by pages and reads the state at one, piece by piece", async () => {
    const { data, errors } = await world.ask(key, checkpoints, { id: sessionId, first: 2 });
    expect(errors).toBeUndefined();
    const page = data.session.checkpoints;
    expect(page.nodes[0]).toMatchObject({ next: [], inConversation: true, run: { id: runs[1] }, source: "loop" });
    expect(page.pageInfo.hasNextPage).toBe(true);
    expect(page.totalCount).toBeGreaterThan(2);
    const rest = await world.ask(key, checkpoints, { id: sessionId, after: page.pageInfo.endCursor });
    expect(rest.data.session.checkpoints.nodes).toHaveLength(page.totalCount - 2);
    const state = await world.ask(
      key,
      `query ($id: ID!, $at: ID) { session(id: $id) { state(checkpointId: $at) { channelCount checkpoint { id inConversation }
        channels(names: ["messages"]) { name bytes value preview text(offset: 1, length: 10) { text nextOffset } } } } }`,
      { id: sessionId, at: page.nodes[0].id },
    );
    const { channelCount, channels, checkpoint } = state.data.session.state;
    expect(channelCount).toBeGreaterThanOrEqual(1);
    expect(checkpoint).toEqual({ id: page.nodes[0].id, inConversation: null });
    const [messages] = channels;
    expect(messages.preview.length).toBeLessThanOrEqual(2_048);
    expect(messages.text).toEqual({ text: messages.preview.slice(1, 11), nextOffset: 11 });
    expect(messages.bytes).toBeGreaterThanOrEqual(messages.preview.length);
    const none = `query ($id: ID!) { session(id: $id) { state(checkpointId: "no-such") { channelCount } } }`;
    expect((await world.ask(key, none, { id: sessionId })).data.session.state).toBeNull();
  });

  it("forks a session at a checkpoint and works on in it", async () => {
    const { data } = await world.ask(key, checkpoints, { id: sessionId });
    const ends = data.session.checkpoints.nodes.filter(({ next }: { next: string[] }) => next.length === 0);
    const checkpointId = ends.at(-1).id;
    const input = { sessionId, checkpointId, input: { messages: [{ role: "user", content: "Hello" }] } };
    const { data: forked } = await world.ask(key, fork, { input: { ...input, clientMutationId: "m-1" } });
    expect(forked.forkSession).toMatchObject({
      __typename: "ForkSessionSuccess",
      clientMutationId: "m-1",
      session: { forkedFrom: { id: sessionId }, forkedCheckpoint: checkpointId },
    });
    const { nodes } = forked.forkSession.session.messages;
    expect(nodes.map(({ role }: { role: string }) => role)).toEqual(["USER", "ASSISTANT", "USER"]);
    expect(nodes[0].content).toBe("What can you do?");
    expect(await world.ended(key, forked.forkSession.run.id)).toBe("SUCCEEDED");
    const missing = await world.ask(key, fork, { input: { ...input, checkpointId: "no-such" } });
    expect(missing.data.forkSession).toMatchObject({ __typename: "NotFound", code: "NOT_FOUND" });
    const reader = await world.makeKey({ permissions: ["read"] });
    expect((await world.ask(reader, fork, { input })).data.forkSession).toMatchObject({ __typename: "Forbidden" });
    const stranger = await world.makeKey({ reach: "EXACT", scope: { user: "u-9" } });
    expect((await world.ask(stranger, fork, { input })).data.forkSession).toMatchObject({ __typename: "NotFound" });
  });

  it("refuses to retry what did not fail", async () => {
    const retry = `mutation ($id: ID!) { retryTask(input: { taskId: $id }) { __typename ... on Refusal { code }
      ... on NotRetryable { task { id status } } ... on SubmitTaskSuccess { run { id attempt parentRun { id } } } } }`;
    const { data } = await world.ask(key, `query ($id: ID!) { session(id: $id) { tasks { nodes { id } } } }`, {
      id: sessionId,
    });
    const [task] = data.session.tasks.nodes;
    expect((await world.ask(key, retry, { id: task.id })).data.retryTask).toEqual({
      __typename: "NotRetryable",
      code: "NOT_RETRYABLE",
      task: { id: task.id, status: "COMPLETED" },
    });
    const none = "Task_00000000-0000-7000-8000-000000000000";
    expect((await world.ask(key, retry, { id: none })).data.retryTask.__typename).toBe("NotFound");
  });

  it("compares two runs that the caller may see", async () => {
    const compare = `query ($a: ID!, $b: ID!) { compareRuns(a: $a, b: $b) { isComplete a { id } b { id usage { totalTokens } }
      steps { sameInputs sameOutput a { inputs output totalTokens step { name kind durationMs } } b { step { name kind } } }
      messages { sameContent a { role content } b { role content } }
      manifestDifferences { path a b } } }`;
    const { data, errors } = await world.ask(key, compare, { a: runs[0], b: runs[1] });
    expect(errors).toBeUndefined();
    const { steps, messages, manifestDifferences, isComplete } = data.compareRuns;
    expect(isComplete).toBe(true);
    expect(manifestDifferences).toEqual([]);
    expect(steps.length).toBeGreaterThan(0);
    for (const { a, b } of steps) if (a && b) expect(a.step).toMatchObject(b.step);
    expect(messages[0]).toMatchObject({ sameContent: false, a: { role: "USER", content: "What can you do?" } });
    const stranger = await world.makeKey({ reach: "EXACT", scope: { user: "u-9" } });
    const unseen = await world.ask(stranger, compare, { a: runs[0], b: runs[1] });
    expect(unseen.errors?.[0]?.extensions.code).toBe("NOT_FOUND");
    const itself = await world.ask(key, compare, { a: runs[0], b: runs[0] });
    expect(itself.errors?.[0]?.extensions.code).toBe("INVALID_INPUT");
  });
});
