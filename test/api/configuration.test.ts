import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ApiWorld, openApiWorld, type Parsed } from "./api-world.ts";
import { databaseKinds } from "./databases.ts";
import { overSse, overWebSocket } from "./transports.ts";

const refusal = `... on Refusal { code message retryable } ... on ConfigInvalid { issues { path message } }
  ... on ConfigConflict { current { revision definition } conflictDiff: diff }`;
const saved = `... on ConfigSaved { clientMutationId diff impactComplete impact { agent scope before after }
  change { operation revision position } entity { id kind name scope definition revision digest source enabled pinnedLabel
    labels { label revision } } }`;
const upsertDocument = `mutation($input: UpsertConfigEntityInput!) { upsertConfigEntity(input: $input) { __typename ${saved} ${refusal} } }`;
const model = { provider: "scripted", model: "guide" };
const http = { type: "http", description: "Finds an order", url: "https://example.com/orders" };

describe.each(databaseKinds)("configuration over the API on %s", { timeout: 60_000 }, (kind) => {
  let world: ApiWorld;
  let key: string;
  beforeAll(async () => {
    world = await openApiWorld({
      kind,
      environment: { WHEELHOUSE_SCOPE_KEYS: "project,user", WHEELHOUSE_OUTGOING_ALLOW: "127.0.0.1" },
    });
    key = await world.makeKey();
  });
  afterAll(() => world[Symbol.asyncDispose]());

  async function ask(query: string, variables: object = {}, by = key): Promise<Parsed> {
    const { data, errors } = await world.ask(by, query, variables);
    expect(errors).toBeUndefined();
    return Object.values(data)[0];
  }
  const upsert = (input: object, by = key) => ask(upsertDocument, { input: { kind: "AGENT", ...input } }, by);
  const send = async (agent: string, by = key) => {
    const document = `mutation($agent: String!) { sendMessage(input: { agent: $agent, content: "hello" }) { __typename
      ... on SubmitTaskSuccess { run { id manifest agent { name source } } } ... on Refusal { code } } }`;
    return ask(document, { agent }, by);
  };

  it("defines an agent, shows it among the others, runs it, and keeps its history", async () => {
    const made = await upsert({ name: "poet", definition: { model, systemPrompt: "one" }, clientMutationId: "c" });
    expect(made).toMatchObject({
      ...{ __typename: "ConfigSaved", clientMutationId: "c", impactComplete: true },
      change: { operation: "CREATED", revision: 1 },
      entity: { name: "poet", source: "API", revision: 1, enabled: true, scope: { project: "default" }, labels: [] },
    });
    const first = await send("poet");
    expect(first.run).toMatchObject({ manifest: { revision: 1 }, agent: { name: "poet", source: "API" } });
    const patch = `mutation($input: PatchConfigEntityInput!) { patchConfigEntity(input: $input) { __typename ${saved} ${refusal} } }`;
    const input = {
      kind: "AGENT",
      name: "poet",
      patch: { systemPrompt: "two" },
      reason: "better",
      expectedRevision: 1,
    };
    expect(await ask(patch, { input })).toMatchObject({
      diff: [{ path: "$.systemPrompt", before: "one", after: "two" }],
      impact: [{ agent: "poet", scope: { project: "default" } }],
    });
    expect((await send("poet")).run.manifest).toMatchObject({ revision: 2, definition: { systemPrompt: "two" } });
    const run = `query($id: ID!) { run(id: $id) { manifest } }`;
    expect((await ask(run, { id: first.run.id })).manifest.definition.systemPrompt).toBe("one");
    const agents = await ask("{ agents(first: 50) { nodes { name source } } }");
    expect(agents.nodes).toContainEqual({ name: "poet", source: "API" });
    const { id } = made.entity;
    const history = `query($id: ID!) { node(id: $id) { id ... on ConfigEntity { name revisions(first: 1) { totalCount pageInfo { hasNextPage endCursor }
      nodes { revision definition reason enabled author createdAt digest } } } } }`;
    expect(await ask(history, { id })).toMatchObject({
      ...{ id, name: "poet" },
      revisions: { totalCount: 2, pageInfo: { hasNextPage: true }, nodes: [{ revision: 2, reason: "better" }] },
    });
    const restore = `mutation { restoreConfigRevision(input: { kind: AGENT, name: "poet", revision: 1 }) { __typename ${saved} ${refusal} } }`;
    expect(await ask(restore)).toMatchObject({ entity: { revision: 3, digest: made.entity.digest } });
  });

  it("refuses with the member of the union that says why", async () => {
    await upsert({ name: "taken", definition: { model } });
    expect(await upsert({ name: "taken", definition: { model, hidden: true }, expectedRevision: 9 })).toMatchObject({
      ...{ __typename: "ConfigConflict", code: "CONFIG_CONFLICT", retryable: true, current: { revision: 1 } },
      conflictDiff: [{ path: "$.hidden", after: true }],
    });
    expect(await upsert({ name: "new", definition: { model, tools: ["rocket"], colour: 1 } })).toMatchObject({
      ...{ __typename: "ConfigInvalid", code: "CONFIG_INVALID", issues: [{ path: "" }] },
    });
    expect(await upsert({ name: "echo", definition: { model } })).toMatchObject({
      ...{ __typename: "FileManaged", code: "FILE_MANAGED" },
    });
    expect(await upsert({ name: "x", definition: { model }, expectedRevision: 1 })).toMatchObject({
      __typename: "NotFound",
    });
    const reader = await world.makeKey({ permissions: ["read"] });
    expect(await upsert({ name: "y", definition: { model } }, reader)).toMatchObject({ __typename: "Forbidden" });
    const scoped = { name: "z", definition: { model }, scope: { project: "default", planet: "mars" } };
    expect(await upsert(scoped)).toMatchObject({ issues: [{ path: "scope.planet" }] });
  });

  it("lists files, code and what was written, page by page, and finds each by its id", async () => {
    const names = ["skill-a", "skill-b", "skill-c"];
    for (const name of names) await upsert({ kind: "SKILL", name, definition: { description: "d", body: "b" } });
    const list = `query($after: Cursor, $kind: ConfigKind, $text: String) { configEntities(first: 2, after: $after, kind: $kind, text: $text) {
      totalCount pageInfo { hasNextPage endCursor } nodes { id kind name source revision place updatedAt } } }`;
    const all: Parsed[] = [];
    for (let after: string | null = null; ; ) {
      const page: Parsed = await ask(list, { after });
      all.push(...page.nodes);
      after = page.pageInfo.endCursor;
      if (!page.pageInfo.hasNextPage) {
        expect(page.totalCount).toBe(all.length);
        break;
      }
    }
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    expect(new Set(all.map(({ source }) => source))).toContain("CODE");
    expect(all.filter((one) => one.kind === "SKILL").map(({ name }) => name)).toEqual(names);
    expect((await ask(list, { kind: "SKILL", text: "L-B" })).nodes).toMatchObject([{ name: "skill-b" }]);
    const nodes = await ask("query($ids: [ID!]!) { nodes(ids: $ids) { id } }", { ids: all.map(({ id }) => id) });
    expect(nodes).toEqual(all.map(({ id }) => ({ id })));
    const entity = `query($name: String!, $scope: JSON) { configEntity(kind: AGENT, name: $name, scope: $scope) { source revision revisions { nodes { revision } } } }`;
    expect(await ask(entity, { name: "echo" })).toMatchObject({
      source: "CODE",
      revisions: { nodes: [{ revision: 1 }] },
    });
    expect(await ask(entity, { name: "echo", scope: { project: "default", user: "u" } })).toBeNull();
    expect(await ask(entity, { name: "nobody" })).toBeNull();
  });

  it("shows to a caller of an exact scope what applies to it, and nothing else", async () => {
    const own = await world.makeKey({ reach: "EXACT", scope: { user: "u-1" } });
    const other = await world.makeKey({ reach: "EXACT", scope: { user: "u-2" } });
    const made = await upsert({ kind: "TOOL", name: "mine", definition: http }, own);
    expect(made).toMatchObject({ entity: { scope: { project: "default", user: "u-1" } } });
    const node = "query($id: ID!) { node(id: $id) { id } }";
    expect(await ask(node, { id: made.entity.id }, own)).not.toBeNull();
    expect(await ask(node, { id: made.entity.id }, other)).toBeNull();
    const list = `{ configEntities(kind: TOOL, text: "mine") { totalCount nodes { name } } }`;
    expect(await ask(list, {}, own)).toEqual({ totalCount: 1, nodes: [{ name: "mine" }] });
    expect(await ask(list, {}, other)).toEqual({ totalCount: 0, nodes: [] });
    const resolve = `{ resolveConfig(kind: TOOL, name: "mine") { name } }`;
    expect(await ask(resolve, {}, other)).toBeNull();
    const explain = `query($scope: JSON) { explainResolution(kind: TOOL, name: "mine", scope: $scope) { verdict won reason entity { name } } }`;
    const scope = { project: "default", user: "u-1" };
    expect(await ask(explain, { scope })).toMatchObject([{ verdict: "WON", won: true }]);
    expect(await ask(explain, { scope }, other)).toEqual([]);
  });

  it("shows the definition behind an agent to whoever may read it, and who the agent is for", async () => {
    const own = await world.makeKey({ reach: "EXACT", scope: { user: "u-3" } });
    const made = await upsert({ name: "worker", definition: { model, mode: "SUBAGENT", hidden: true } });
    await upsert({ name: "private", definition: { model } }, own);
    const shown = `query($name: String!) { agent(name: $name) { mode hidden configEntity { id name revision scope } } }`;
    const worker = {
      mode: "SUBAGENT",
      hidden: true,
      configEntity: { id: made.entity.id, name: "worker", revision: 1 },
    };
    expect(await ask(shown, { name: "worker" })).toMatchObject(worker);
    expect(await ask(shown, { name: "worker" }, own)).toMatchObject(worker);
    expect(await ask(shown, { name: "private" }, own)).toMatchObject({
      ...{ mode: "ALL", hidden: false },
      configEntity: { scope: { project: "default", user: "u-3" } },
    });
    expect(await ask(shown, { name: "echo" })).toEqual({ mode: "ALL", hidden: false, configEntity: null });
    const other = await world.makeKey({ reach: "EXACT", scope: { user: "u-4" } });
    expect(await ask(shown, { name: "private" }, other)).toBeNull();
    const all = await ask("{ agents(first: 100) { nodes { name configEntity { name } } } }", {}, own);
    for (const { name, configEntity } of all.nodes) expect(configEntity?.name ?? name).toBe(name);
    expect(all.nodes).toContainEqual({ name: "private", configEntity: { name: "private" } });
  });

  it("says of an MCP server what runs have seen of it, to operators also why, and nothing of its address but the host", async () => {
    const url = "http://127.0.0.1:9/mcp/some-path?team=blue";
    await upsert({ kind: "MCP_SERVER", name: "away", definition: { url, required: false } });
    await upsert({ name: "reaching", definition: { model, mcpServers: ["away"] } });
    const shown = `{ configEntity(kind: MCP_SERVER, name: "away") { mcpReadiness {
      name host required ready toolCount reason observedAt freshUntil } } }`;
    const unseen = { name: "away", host: "127.0.0.1:9", required: false, ready: null, toolCount: null };
    expect(await ask(shown)).toEqual({
      mcpReadiness: { ...unseen, reason: null, observedAt: null, freshUntil: null },
    });
    const { run } = await send("reaching");
    expect(await world.ended(key, run.id)).toBe("SUCCEEDED");
    const { mcpReadiness: seen } = await ask(shown);
    expect(seen).toMatchObject({ ...unseen, ready: false, reason: expect.stringMatching(/.+/) });
    expect(Date.parse(seen.freshUntil)).toBeGreaterThan(Date.parse(seen.observedAt));
    expect(JSON.stringify(seen)).not.toContain("some-path");
    // Another scope has not used it yet, and an end user's key is not told why it fails.
    const own = await world.makeKey({ reach: "EXACT", scope: { user: "u-9" } });
    const shared = shown.replace("MCP_SERVER,", `MCP_SERVER, scope: { project: "default" },`);
    expect(await ask(shared, {}, own)).toMatchObject({ mcpReadiness: { ready: null, observedAt: null } });
    const { run: theirs } = await send("reaching", own);
    expect(await world.ended(own, theirs.id)).toBe("SUCCEEDED");
    expect(await ask(shared, {}, own)).toMatchObject({ mcpReadiness: { ready: false, reason: null } });
    expect(await ask(`{ configEntity(kind: AGENT, name: "reaching") { mcpReadiness { ready } } }`)).toEqual({
      mcpReadiness: null,
    });
  });

  it("takes labels, pins, sets of changes and deletions", async () => {
    await upsert({ name: "pinned", definition: { model, systemPrompt: "one" } });
    const label = `mutation { setConfigLabel(input: { kind: AGENT, name: "pinned", label: "production", revision: 1 }) { __typename ${saved} ${refusal} } }`;
    expect(await ask(label)).toMatchObject({ entity: { labels: [{ label: "production", revision: 1 }] } });
    const pin = `mutation($label: String) { pinConfigEntity(input: { kind: AGENT, name: "pinned", label: $label }) { __typename ${saved} ${refusal} } }`;
    expect(await ask(pin, { label: "production" })).toMatchObject({ entity: { pinnedLabel: "production" } });
    await upsert({ name: "pinned", definition: { model, systemPrompt: "two" } });
    expect((await send("pinned")).run.manifest).toMatchObject({ revision: 1 });
    const unlabel = `mutation { deleteConfigLabel(input: { kind: AGENT, name: "pinned", label: "production" }) { __typename ${refusal} } }`;
    expect(await ask(unlabel)).toMatchObject({ __typename: "ConfigInvalid" });
    const apply = `mutation($input: ApplyConfigChangeSetInput!) { applyConfigChangeSet(input: $input) { __typename ${refusal}
      ... on ApplyConfigChangeSetSuccess { clientMutationId saved { entity { name revision } change { operation } } impact { agent } } } }`;
    const tool = { kind: "TOOL", name: "set-tool", definition: http };
    const changes = [
      { upsert: { kind: "AGENT", name: "set-agent", definition: { model, tools: ["set-tool"] } } },
      { upsert: tool },
    ];
    const set = { changes, clientMutationId: "c" };
    expect(await ask(apply, { input: { ...set, dryRun: true } })).toMatchObject({ impact: [{ agent: "set-agent" }] });
    expect(await ask(apply, { input: set })).toMatchObject({
      ...{ __typename: "ApplyConfigChangeSetSuccess", clientMutationId: "c" },
      saved: [{ entity: { name: "set-agent", revision: 1 } }, { change: { operation: "CREATED" } }],
    });
    const remove = `mutation($input: DeleteConfigEntityInput!) { deleteConfigEntity(input: $input) { __typename ${refusal}
      ... on DeleteConfigEntitySuccess { deletedId change { operation } impact { agent after } } } }`;
    expect(await ask(remove, { input: { kind: "TOOL", name: "set-tool" } })).toMatchObject({
      __typename: "ConfigInvalid",
    });
    expect(await ask(remove, { input: { kind: "AGENT", name: "set-agent" } })).toMatchObject({
      ...{ __typename: "DeleteConfigEntitySuccess", change: { operation: "DELETED" } },
      impact: [{ agent: "set-agent", after: null }],
    });
    expect(await send("set-agent")).toMatchObject({ __typename: "NotFound" });
    expect(await ask(`{ agent(name: "set-agent") { name } }`)).toBeNull();
  });

  it("gives a schema of each kind to editors", async () => {
    const schema = await ask("{ configSchema(kind: AGENT) }");
    expect(schema.properties.systemPrompt).toMatchObject({ type: "string" });
  });

  it("tells three listeners on three connections every change, and goes on where one of them stood", async () => {
    const query = `subscription($after: Cursor) { configChanges(after: $after) { endCursor caughtUp changes { kind name scope operation revision } } }`;
    interface Page {
      endCursor: string;
      caughtUp: boolean;
      changes: { name: string; operation: string; revision: number | null }[];
    }
    const streams = [overWebSocket, overWebSocket, overSse].map((over) =>
      over<Page>(world, key, { query })[Symbol.asyncIterator](),
    );
    const firsts = await Promise.all(streams.map((stream) => stream.next()));
    const names = ["heard-1", "heard-2", "heard-3"];
    for (const name of names) await upsert({ kind: "TOOL", name, definition: http });
    const collect = async (stream: AsyncIterator<Page>) => {
      const heard: string[] = [];
      while (heard.length < names.length) {
        const { value } = await stream.next();
        heard.push(...value.changes.map(({ name }: { name: string }) => name));
      }
      return heard;
    };
    expect(await Promise.all(streams.map(collect))).toEqual([names, names, names]);
    const after = firsts[0]?.value.endCursor;
    const again = overWebSocket<Page>(world, key, { query, variables: { after } })[Symbol.asyncIterator]();
    expect(await collect(again)).toEqual(names);
    await Promise.all([...streams, again].map((stream) => stream.return?.(undefined)));
  });
});
