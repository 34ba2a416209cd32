import { encodeCursor } from "@wheelhouse/domain";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ApiWorld, openApiWorld } from "./api-world.ts";
import { databaseKinds } from "./databases.ts";

const send = `mutation ($input: SendMessageInput!) { sendMessage(input: $input) { __typename
  ... on SubmitTaskSuccess { session { id } task { id } run { id } cursor }
  ... on Refusal { code message retryable } ... on Invalid { issues { path message } } } }`;
const submit = send.replace("SendMessageInput", "SubmitTaskInput").replace("sendMessage(", "submitTask(");
const nobody = "Session_01900000-0000-7000-8000-000000000000";

describe.each(databaseKinds)("bad input on %s", (kind) => {
  let world: ApiWorld;
  let key: string;
  beforeAll(async () => {
    world = await openApiWorld({ kind });
    key = await world.makeKey();
  });
  afterAll(async () => {
    await world[Symbol.asyncDispose]();
  });

  const say = async (input: object, document = send) => {
    const { data, errors } = await world.ask(key, document, { input });
    expect(errors).toBeUndefined();
    return data.sendMessage ?? data.submitTask;
  };
  const codeOf = async (query: string, variables: object = {}): Promise<string> => {
    const { errors } = await world.ask(key, query, variables);
    return errors?.[0]?.extensions.code;
  };
  const countTasks = async (): Promise<number> =>
    (await world.ask(key, "{ tasks { totalCount } }")).data.tasks.totalCount;

  it("is refused with a code, a field and words a person understands, and writes nothing", async () => {
    const before = await countTasks();
    expect(await say({ agent: "nobody", content: "hello" })).toMatchObject({
      __typename: "NotFound",
      code: "AGENT_NOT_FOUND",
    });
    expect(await say({ agent: "echo", content: "" })).toMatchObject({
      __typename: "Invalid",
      issues: [{ path: "content" }],
    });
    expect(await say({ agent: "echo", content: " \n\t " })).toMatchObject({ __typename: "Invalid" });
    expect(await say({ content: "to whom?" })).toMatchObject({ __typename: "Invalid", issues: [{ path: "agent" }] });
    expect(await say({ agent: "echo", content: "é".repeat(520_000) })).toMatchObject({
      __typename: "Invalid",
      issues: [{ path: "content" }],
    });
    expect(await say({ sessionId: nobody, content: "hello" })).toMatchObject({
      __typename: "NotFound",
      code: "NOT_FOUND",
    });
    expect(await say({ sessionId: nobody.replace("Session", "Task"), content: "hello" })).toMatchObject({
      __typename: "Invalid",
      code: "INVALID_ID",
      issues: [{ path: "sessionId" }],
    });
    expect(await say({ sessionId: "nonsense", content: "hello" })).toMatchObject({ code: "INVALID_ID" });
    expect(await say({ agent: "typed", input: { messages: [{ role: "user", content: "hi" }] } }, submit)).toMatchObject(
      {
        __typename: "Invalid",
        code: "INVALID_INPUT",
        issues: [{ path: expect.stringContaining("input") }],
      },
    );
    expect(await say({ agent: "typed", input: "a text" }, submit)).toMatchObject({ __typename: "Invalid" });
    expect(await countTasks()).toBe(before);
  });

  it("keeps NUL and lone surrogates out of the rows and the message in", async () => {
    const done = await say({ agent: "echo", content: "a\u0000b\ud800c 👩‍💻" });
    expect(done.__typename).toBe("SubmitTaskSuccess");
    expect(await world.ended(key, done.run.id)).toBe("SUCCEEDED");
    const { data } = await world.ask(
      key,
      "query ($id: ID) { session(id: $id) { firstMessage messages { nodes { content } } } }",
      {
        id: done.session.id,
      },
    );
    expect(data.session.messages.nodes[0].content).toBe("a\ufffdb\ufffdc 👩‍💻");
    expect(data.session.firstMessage).toBe("a\ufffdb\ufffdc 👩‍💻");
  });

  it("refuses cursors that are malformed, of another list, or of another order", async () => {
    const page =
      "query ($after: Cursor, $orderBy: SessionOrder) { sessions(after: $after, orderBy: $orderBy) { nodes { id } } }";
    for (const after of ["", "nonsense", "é", encodeCursor("sessions:LAST_ACTIVITY_DESC", ["no date", "x"])])
      expect(await codeOf(page, { after }), after).toBe("INVALID_CURSOR");
    expect(await codeOf(page, { after: encodeCursor("runs:CREATED_DESC", ["2026-01-01T00:00:00.000Z", "x"]) })).toBe(
      "INVALID_CURSOR",
    );
    const good = encodeCursor("sessions:LAST_ACTIVITY_DESC", ["2026-01-01T00:00:00.000Z", "x"]);
    expect(await codeOf(page, { after: good })).toBeUndefined();
    expect(await codeOf(page, { after: good, orderBy: "CREATED_DESC" })).toBe("INVALID_CURSOR");
    const { session, run } = await say({ agent: "echo", content: "one" });
    const other = await say({ agent: "echo", content: "two" });
    const events = `query ($id: ID, $after: Cursor) { session(id: $id) { events(after: $after) { endCursor } } }`;
    expect(await codeOf(events, { id: session.id, after: other.cursor })).toBe("INVALID_CURSOR");
    const stream = await world.server.graphql.fetch("http://localhost/graphql", {
      method: "POST",
      headers: { "content-type": "application/json", accept: "text/event-stream", authorization: `Bearer ${key}` },
      body: JSON.stringify({
        query: `subscription { runEvents(runId: "${run.id}", after: "${other.cursor}") { caughtUp } }`,
      }),
    });
    expect(await stream.text()).toContain("INVALID_CURSOR");
  });

  it("refuses page sizes, mixed directions, ids of another type, and queries that are too much", async () => {
    expect(await codeOf("{ sessions(first: 101) { nodes { id } } }")).toBe("INVALID_INPUT");
    expect(await codeOf("{ sessions(first: -1) { nodes { id } } }")).toBe("INVALID_INPUT");
    expect(await codeOf("{ sessions(first: 1, last: 1) { nodes { id } } }")).toBe("INVALID_INPUT");
    expect(await codeOf(`{ run(id: "${nobody}") { id } }`)).toBe("INVALID_ID");
    expect(await codeOf(`{ node(id: "Robot_01900000-0000-7000-8000-000000000000") { id } }`)).toBe("INVALID_ID");
    expect(await codeOf('{ sessions(filter: { activeAfter: "2026-01-01T00:00:00" }) { nodes { id } } }')).toBe(
      "INVALID_INPUT",
    );
    expect(await codeOf('{ sessions(filter: { text: "a\\u0000b" }) { nodes { id } } }')).toBe("INVALID_INPUT");
    const deep = `{ runs { nodes { ${"parentRun { ".repeat(11)} id ${"}".repeat(11)} } } }`;
    expect(await codeOf(deep)).toBe("QUERY_TOO_DEEP");
    const long = `{ ${Array.from({ length: 800 }, (_, i) => `a${i}: __typename`).join(" ")} }`;
    expect((await world.ask(key, long)).errors?.[0]?.message).toMatch(/token/i);
  });

  it("answers a foreign scope like an id that never existed", async () => {
    const mine = await world.makeKey({ reach: "EXACT" });
    const { data } = await world.ask(mine, send, { input: { agent: "echo", content: "mine" } });
    const { session, task, run } = data.sendMessage;
    expect(await world.ended(mine, run.id)).toBe("SUCCEEDED");
    const rows = await world.ask(
      mine,
      `query ($id: ID) { session(id: $id) { messages { nodes { id } } runs { nodes { steps { nodes { id } } modelCalls { nodes { id } } } } } }`,
      { id: session.id },
    );
    const [ofRun] = rows.data.session.runs.nodes;
    const ids = [
      session.id,
      task.id,
      run.id,
      rows.data.session.messages.nodes[0].id,
      ofRun.steps.nodes[0].id,
      ofRun.modelCalls.nodes[0].id,
    ];
    const foreign = await world.makeKey({ reach: "EXACT", scope: { user: "u-2" } });
    const nodes = "query ($ids: [ID!]!) { nodes(ids: $ids) { id } }";
    expect((await world.ask(mine, nodes, { ids })).data.nodes.map((node: { id: string } | null) => node?.id)).toEqual(
      ids,
    );
    expect((await world.ask(foreign, nodes, { ids })).data.nodes).toEqual(ids.map(() => null));
    const { data: nothing } = await world.ask(
      foreign,
      `query ($s: ID!, $t: ID!, $r: ID!) { session(id: $s) { id } task(id: $t) { id } run(id: $r) { id }
        sessions { totalCount } runs { totalCount } tasks { totalCount } interrupts { totalCount } modelCalls { totalCount } }`,
      { s: session.id, t: task.id, r: run.id },
    );
    const none = { totalCount: 0 };
    expect(nothing).toEqual({
      session: null,
      task: null,
      run: null,
      sessions: none,
      runs: none,
      tasks: none,
      interrupts: none,
      modelCalls: none,
    });
    const refused = await world.ask(foreign, send, { input: { sessionId: session.id, content: "hello" } });
    expect(refused.data.sendMessage).toMatchObject({ __typename: "NotFound", message: "Session not found" });
    const cancelled = await world.ask(
      foreign,
      `mutation { cancelTask(input: { taskId: "${task.id}" }) { __typename } }`,
    );
    expect(cancelled.data.cancelTask.__typename).toBe("NotFound");
  });

  it("tells a busy session, a second idempotency key, a late cancellation and a second decision apart", async () => {
    const first = await say({ agent: "stuck", content: "work", idempotencyKey: "k-1" });
    expect(await say({ sessionId: first.session.id, content: "more" })).toMatchObject({
      __typename: "Busy",
      retryable: true,
    });
    expect(await say({ agent: "stuck", content: "other", idempotencyKey: "k-1" })).toMatchObject({
      __typename: "IdempotencyConflict",
    });
    const again = await world.ask(key, send.replace("cursor }", "cursor reused }"), {
      input: { agent: "stuck", content: "work", idempotencyKey: "k-1" },
    });
    expect(again.data.sendMessage).toMatchObject({ reused: true, task: { id: first.task.id } });
    const cancel = `mutation { cancelTask(input: { taskId: "${first.task.id}" }) { __typename
      ... on CancelTaskSuccess { task { status } } ... on NotCancellable { final: task { status } } } }`;
    expect((await world.ask(key, cancel)).data.cancelTask).toEqual({
      __typename: "CancelTaskSuccess",
      task: { status: "CANCELLED" },
    });
    expect((await world.ask(key, cancel)).data.cancelTask).toEqual({
      __typename: "NotCancellable",
      final: { status: "CANCELLED" },
    });
    // The session takes the next message.
    expect(await say({ sessionId: first.session.id, content: "next" })).toMatchObject({
      __typename: "SubmitTaskSuccess",
    });

    const asked = await say({ agent: "cashier", content: "Charge 5" });
    expect(await world.ended(key, asked.run.id)).toBe("INTERRUPTED");
    const waiting = await world.ask(
      key,
      "{ interrupts(filter: { pendingOnly: true }) { nodes { id kind allowedDecisions session { status } } } }",
    );
    const [interrupt] = waiting.data.interrupts.nodes;
    expect(interrupt).toMatchObject({ kind: "TOOL_APPROVAL", session: { status: "WAITING" } });
    const decide = `mutation { decideInterrupts(input: { decisions: [{ interruptId: "${interrupt.id}", decision: APPROVE }] }) { __typename
      ... on DecideInterruptsSuccess { interrupts { decision decidedBy } run { id } }
      ... on AlreadyDecided { interrupt { decision } message } } }`;
    const decided = (await world.ask(key, decide)).data.decideInterrupts;
    expect(decided).toMatchObject({ __typename: "DecideInterruptsSuccess", interrupts: [{ decision: "APPROVE" }] });
    expect((await world.ask(key, decide)).data.decideInterrupts).toMatchObject({
      __typename: "AlreadyDecided",
      interrupt: { decision: "APPROVE" },
    });
    expect(await world.ended(key, decided.run.id)).toBe("SUCCEEDED");
  });

  it("refuses writing to a key that may only read", async () => {
    const reader = await world.makeKey({ permissions: ["read"] });
    const { data } = await world.ask(reader, send, { input: { agent: "echo", content: "hello" } });
    expect(data.sendMessage).toMatchObject({ __typename: "Forbidden", code: "FORBIDDEN" });
  });
});
