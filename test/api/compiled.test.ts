import { buildSchema, compiledQueries, type GraphContext, openLiveRoom } from "@wheelhouse/graphql";
import { execute, parse } from "graphql";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openCompiledAnswers } from "../../apps/server/src/http/compiled-answers.ts";
import { type ApiWorld, openApiWorld } from "./api-world.ts";
import { databaseKinds } from "./databases.ts";
import { insertSessions } from "./sample-rows.ts";

const schema = buildSchema();
const queryOf = compiledQueries(schema);

const event = "id sequence type visibility at sessionId runId taskId payload";
const usage =
  "usage { promptTokens completionTokens totalTokens cachedPromptTokens reasoningTokens modelCalls status }";

/** Queries as the backoffice and applications send them, and what is unusual about a selection. */
const plain: Record<string, string> = {
  "a conversation list": `query Conversations($first: Int!, $filter: SessionFilter) {
    sessions(first: $first, filter: $filter) { nodes { ...Row } pageInfo { hasNextPage endCursor } totalCount } }
    fragment Row on Session { __typename id title status agent { id name displayName } firstMessage messageCount ${usage}
      createdAt lastActivityAt tags activeRun { id } lastRun { id status error { code retryable } ${usage} }
      interrupts { id kind actionRequests allowedDecisions run { id } } messages(last: 3) { edges { cursor node { content run { id } } } } }`,
  "a run in detail": `query ($run: ID!) { run(id: $run) { id status attempt queuedAt startedAt manifest manifestDigest input output
    agent { id name } parentRun { id } task { id status input runs { id attempt status } }
    session { id tags scope eventCursor agent { id name } } interrupts { id decision decidedBy }
    steps(first: 5) { nodes { id name kind parentStepId modelCalls { id promptTokens } } pageInfo { endCursor } totalCountIsExact }
    modelCalls(first: 1) { totalCount nodes { id startedAt stepId } } } }`,
  "pages of events": `query ($session: ID!, $run: ID!, $after: Cursor) {
    session(id: $session) { id events(first: 4) { events { ${event} } endCursor caughtUp terminal } }
    behind: session(id: $session) { events(first: 4, after: $after) { events { sequence } caughtUp } }
    run(id: $run) { events(first: 500, types: ["custom"]) { events { ...Said __typename } terminal } } }
    fragment Said on Event { sequence ... on LogEvent { payload } }`,
  "lists below lists": `{ sessions(first: 4, orderBy: CREATED_ASC) { nodes { chatHistory(limit: 2) { content } tasks { nodes { agent { name }
    runs { id } currentRun { id } } } runs(last: 1) { nodes { id steps(first: 1) { nodes { seq } } events(first: 1) { events { id } } } } } } }`,
  "the other lists": `{ agents { nodes { id graph { nodes { id } edges { source label } } inputSchema source } } agent(name: "echo") { id }
    tasks(first: 2) { nodes { id session { id } } } interrupts(first: 3) { totalCount nodes { id run { id } } } modelCalls(first: 2) { nodes { model } }
    runs(first: 2, filter: { statuses: [INTERRUPTED], agents: ["echo"] }) { nodes { id } } }`,
  "merged, renamed and missing": `query ($run: ID!) { a: run(id: $run) { session { id } session { renamed: title } ...Twice ...Twice }
    none: session(id: "Session_01900000-0000-7000-8000-000000000000") { id } viewer { __typename } }
    fragment Twice on Run { status ... on Node { id } }`,
};

const needsExecution: Record<string, string> = {
  "a directive": "query ($no: Boolean = true) { sessions { nodes { id title @skip(if: $no) } } }",
  "several types": '{ node(id: "Session_01900000-0000-7000-8000-000000000000") { id } }',
  introspection: "{ __schema { queryType { name } } }",
  "a mutation": 'mutation { cancelTask(input: { taskId: "x" }) { __typename } }',
  "a subscription": "subscription { sessionsLive { removed } }",
  "what is not valid": "{ sessions { nodes { nothing } } }",
  "what is no document": "{ sessions",
};

describe.each(databaseKinds)("compiled queries on %s", (kind) => {
  let world: ApiWorld;
  let variables: Record<string, unknown>;
  beforeAll(async () => {
    world = await openApiWorld({ kind, tunables: { claimPollMs: 3_600_000, duePollMs: 3_600_000 } });
    const [session = ""] = await insertSessions(world.server.installation, 12);
    const run = await world.server.installation.models.run.findFirstOrThrow({
      where: { sessionId: session, parentRunId: { not: null } },
    });
    const events = `{ session(id: "Session_${session}") { events(first: 2) { endCursor } } }`;
    const { data } = await world.ask(await world.makeKey(), events);
    const after = data.session.events.endCursor;
    variables = { first: 10, filter: { agents: ["echo"] }, session: `Session_${session}`, run: `Run_${run.id}`, after };
  });
  afterAll(async () => {
    await world[Symbol.asyncDispose]();
  });

  const contextOf = async (reach: "PROJECT" | "EXACT"): Promise<GraphContext> => {
    const { installation } = world.server;
    const { models, rows, runtime, project } = installation;
    const { scopeKey } = await models.session.findFirstOrThrow({ where: { projectId: project.id } });
    return {
      requestId: "r",
      prisma: models,
      rows,
      runtime,
      live: openLiveRoom({ replica: "test", clock: runtime.clock, newId: runtime.newId }),
      transport: { kind: "EVENT_STREAM", waitingBytes: () => null },
      stillAllowed: async () => true,
      caller: {
        authority: {
          projectId: project.id,
          reach,
          scope: { project: project.slug },
          scopeKey,
          role: "OWNER",
          visibilities: ["END_USER"],
          actor: { kind: "SYSTEM", id: "test", name: "test" },
        },
        email: null,
        isAdmin: false,
        projectIds: [project.id],
      },
    };
  };

  it.each(Object.entries(plain))("answer what an execution answers, key by key: %s", async (_, source) => {
    for (const reach of ["PROJECT", "EXACT"] as const) {
      const text = await queryOf(source, null)?.run(await contextOf(reach), variables);
      const executed = await execute({
        schema,
        document: parse(source),
        contextValue: await contextOf(reach),
        variableValues: variables,
      });
      expect(executed.errors).toBeUndefined();
      expect(text).toBe(JSON.stringify(executed.data));
    }
  });

  it("read in SQL what the models would read", async () => {
    const { models, project } = world.server.installation;
    const where = { AND: [{ projectId: project.id }, { OR: [{ title: null }, { title: { not: "Session 3" } }] }] };
    const read = {
      where: { ...where, lastRun: { status: { in: ["INTERRUPTED"] } }, createdAt: { gt: new Date(0) } },
      orderBy: [{ createdAt: "desc" as const }, { id: "asc" as const }],
      take: 7,
      select: {
        id: true,
        scope: true,
        metadata: true,
        lastActivityAt: true,
        externalId: true,
        messageCount: true,
        agent: { select: { name: true, graph: true } },
        lastRun: { select: { input: true, output: true, parentRunId: true, session: { select: { title: true } } } },
      },
    };
    const rows = await models.session.findMany(read);
    expect(rows).toHaveLength(7);
    // A word that SQL of our own does not know, and that changes nothing.
    expect(rows).toEqual(await models.session.findMany({ ...read, skip: 0 }));
    expect(await models.session.findFirst({ ...read, take: undefined })).toEqual(rows[0]);
    expect(await models.session.findMany({ where: { id: { in: [] } }, select: { id: true } })).toEqual([]);
  });

  it("answer over HTTP as the whole server does", async () => {
    const key = await world.makeKey();
    const ask = async (more: object, headers: Record<string, string> = {}) => {
      const answer = await fetch(`http://127.0.0.1:${new URL(world.server.url).port}/graphql`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${key}`, ...headers },
        body: JSON.stringify({ query: "{ sessions(first: 3) { nodes { id title } } }", ...more }),
      });
      const seen = ["content-type", "x-request-id", "content-length", "transfer-encoding"] as const;
      const { "x-request-id": requestId, ...rest } = Object.fromEntries(
        seen.map((name) => [name, answer.headers.get(name)]),
      );
      expect(requestId).not.toBeNull();
      return { status: answer.status, text: await answer.text(), ...rest };
    };
    for (const accept of [
      "*/*",
      "application/json",
      "application/graphql-response+json, application/json",
      "application/json;q=0.9, */*",
    ])
      expect(await ask({}, { accept })).toEqual(await ask({ extensions: {} }, { accept }));
  });

  it("are what a plain request is answered with, and nothing else", async () => {
    const answers = openCompiledAnswers(schema, () => contextOf("PROJECT"));
    const body = { query: "{ runs(first: 0) { nodes { id } } }", variables: null };
    const json = { "content-type": "application/json" };
    const answer = (headers: Record<string, string>, sent: unknown) =>
      answers(new Headers(headers), JSON.stringify(sent));
    expect(await answer(json, body)).toEqual({
      contentType: "application/json; charset=utf-8",
      text: '{"data":{"runs":{"nodes":[]}}}',
    });
    expect(await answer({ "content-type": "text/plain" }, body)).toBeNull();
    expect(await answer({ ...json, accept: "text/event-stream" }, body)).toBeNull();
    expect(await answer(json, [body])).toBeNull();
    expect(await answer(json, { ...body, extensions: {} })).toBeNull();
    expect(await answer(json, { ...body, query: "{ nothing }" })).toBeNull();
  });

  it("leave what goes wrong to an execution, which tells it", async () => {
    const query = queryOf("query ($id: ID!) { run(id: $id) { id } }", null);
    const context = await contextOf("PROJECT");
    await expect(query?.run(context, { id: "not an id" })).rejects.toThrow();
    await expect(query?.run(context, {})).rejects.toThrow();
    await expect(query?.run({ ...context, caller: null }, variables)).rejects.toThrow();
    const { errors } = await world.ask(await world.makeKey(), '{ run(id: "not an id") { id } }');
    expect(errors?.[0]?.extensions.code).toBe("INVALID_ID");
  });
});

describe("a compiled query", () => {
  it.each(Object.entries(needsExecution))("is not made of %s", (_, source) => {
    expect(queryOf(source, null)).toBeNull();
  });

  it("is the operation of that name", () => {
    const both = "query A { agents { totalCount } } query B { runs { totalCount } }";
    expect(queryOf(both, null)).toBeNull();
    expect(queryOf(both, "C")).toBeNull();
    expect(queryOf(both, "B")).not.toBeNull();
    expect(queryOf(both, "B")).toBe(queryOf(both, "B"));
  });
});
