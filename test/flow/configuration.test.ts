import { type Authority, configCursor, type Issue, type Manifest, Refusal } from "@wheelhouse/domain";
import { digestOf } from "@wheelhouse/domain/digest";
import {
  applyConfigChangeSet,
  type ConfigOutcome,
  deleteConfigEntity,
  deleteConfigLabel,
  explainResolution,
  patchConfigEntity,
  pinConfigEntity,
  resolveConfig,
  restoreConfigRevision,
  sendMessage,
  setConfigLabel,
  type UpsertConfigEntityInput,
  upsertConfigEntity,
  watchConfigChanges,
} from "@wheelhouse/runtime";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type FlowWorld, openFlowWorld, runToEnd, storageKinds } from "./flow-world.ts";

const model = { provider: "scripted", model: "guide" };
const http = { type: "http", description: "Finds an order", url: "https://example.com/orders" };

/** What was refused, as code and issues. */
async function refusal(act: Promise<unknown>): Promise<{ code: string; issues: readonly Issue[] }> {
  const error = await act.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof Refusal)) throw new Error("A refusal was expected", { cause: error });
  return { code: error.code, issues: error.issues };
}
const pathsOf = async (act: Promise<unknown>) => (await refusal(act)).issues.map(({ path }) => path);

function savedOf(outcome: ConfigOutcome) {
  if (outcome.outcome !== "saved") throw new Error(`The definition was not saved: ${outcome.outcome}`);
  return outcome;
}

describe.each(storageKinds)("configuration on %s", { timeout: 60_000 }, (kind) => {
  let world: FlowWorld;
  let editor: Authority;
  beforeAll(async () => {
    world = await openFlowWorld(kind);
    world.work();
    editor = world.as({ role: "EDITOR" });
  });
  afterAll(() => world[Symbol.asyncDispose]());

  let counter = 0;
  const fresh = (word: string) => `${word}-${++counter}`;
  const upsert = (input: Partial<UpsertConfigEntityInput>, caller = editor) =>
    upsertConfigEntity(world.deps, caller, { kind: "AGENT", name: fresh("agent"), definition: { model }, ...input });
  const agent = async (definition: Record<string, unknown> = {}, more: Partial<UpsertConfigEntityInput> = {}) => {
    const name = fresh("agent");
    savedOf(await upsert({ name, definition: { model, ...definition }, ...more }));
    return name;
  };
  const manifestOf = async (name: string, caller = world.authority) =>
    (await sendMessage(world.deps, caller, { agent: name, content: "hello" })).run.manifest;

  it("makes an agent that runs at the next submit, pinned with its revision and digest", async () => {
    const definition = { model, systemPrompt: "Be kind", displayName: "Kind" };
    const name = await agent(definition);
    const { run } = await sendMessage(world.deps, world.authority, { agent: name, content: "hello" });
    expect(run.manifest).toMatchObject({
      ...{ agent: name, source: "API", revision: 1, digest: digestOf(definition) },
      ...{ definition: { systemPrompt: "Be kind" }, sources: { agent: "API (project)" } },
    });
    expect((await runToEnd(world, run.id)).at(-1)?.type).toBe("run.succeeded");
    const rows = await world.rows.agent.findMany({ where: { name } });
    expect(rows).toMatchObject([{ source: "API", displayName: "Kind", graph: { nodes: expect.any(Array) } }]);
  });

  it("gives the next run what was written, while a run in progress keeps what it was pinned to", async () => {
    const name = await agent({ systemPrompt: "old" });
    const before = await sendMessage(world.deps, world.authority, { agent: name, content: "hello" });
    const edited = await patchConfigEntity(world.deps, editor, {
      ...{ kind: "AGENT", name, patch: { systemPrompt: "new" }, expectedRevision: 1 },
    });
    expect(savedOf(edited).saved[0]?.diff).toEqual([{ path: "$.systemPrompt", before: "old", after: "new" }]);
    const after = await sendMessage(world.deps, world.authority, { agent: name, content: "hello" });
    const pinned = async (id: string) => (await world.deps.storage.runs.get(world.authority, id))?.manifest;
    expect(await pinned(before.run.id)).toMatchObject({ revision: 1, definition: { systemPrompt: "old" } });
    expect(await pinned(after.run.id)).toMatchObject({ revision: 2, definition: { systemPrompt: "new" } });
    expect(savedOf(edited).impact).toEqual([
      ...[
        { agent: name, scope: { project: "flow" }, before: before.run.manifestDigest, after: after.run.manifestDigest },
      ],
    ]);
  });

  it("pins the definitions of what an agent names, at any depth, as they are at the caller's scope", async () => {
    const [tool, skill, server, box, helper] = ["tool", "skill", "server", "box", "helper"].map(fresh);
    const user = { project: "flow", team: "t", user: "u-7" };
    const put = (kind: string, name = "", definition: unknown = {}, scope?: Record<string, string>) =>
      upsert({ kind, name, definition, scope }).then(savedOf);
    await put("TOOL", tool, http);
    await put("TOOL", tool, { ...http, description: "For one user" }, user);
    await put("SKILL", skill, { description: "d", body: "# b" });
    await put("MCP_SERVER", server, { url: "https://example.com/mcp" });
    await put("SANDBOX_PROFILE", box, { backend: "none" });
    await put("AGENT", helper, { model, tools: [tool] });
    const name = await agent({
      ...{ kind: "deep", tools: ["send_email"], skills: [skill], subagents: [helper] },
      ...{ mcpServers: [server], sandboxProfile: box },
    });
    const manifest = await manifestOf(name);
    expect(manifest).toMatchObject({
      subagents: { [helper ?? ""]: { tools: [tool] } },
      tools: { [tool ?? ""]: { description: "Finds an order" } },
      skills: { [skill ?? ""]: { body: "# b" } },
      mcpServers: { [server ?? ""]: { url: "https://example.com/mcp" } },
      sandboxProfiles: { [box ?? ""]: { backend: "none" } },
    });
    expect(Object.keys(manifest.tools ?? {})).toEqual([tool]);
    const other = await manifestOf(name, world.as({ reach: "EXACT", scope: user }));
    expect(other.tools?.[tool ?? ""]?.description).toBe("For one user");
  });

  it("finds agents of the API at the whole scope they were made at, or in the whole project", async () => {
    const own = { project: "flow", team: "t", user: "u-1" };
    const name = fresh("exact");
    const caller = (scope: Record<string, string>) => world.as({ reach: "EXACT", role: "EDITOR", scope });
    savedOf(await upsert({ name, definition: { model, systemPrompt: "mine" } }, caller(own)));
    expect((await manifestOf(name, caller(own))).definition?.systemPrompt).toBe("mine");
    for (const scope of [{ ...own, user: "u-2" }, { project: "flow" }])
      expect(await refusal(manifestOf(name, caller(scope)))).toMatchObject({ code: "AGENT_NOT_FOUND" });
    savedOf(await upsert({ name, definition: { model, systemPrompt: "everybody's" } }));
    expect((await manifestOf(name, caller(own))).definition?.systemPrompt).toBe("mine");
    expect((await manifestOf(name, caller({ ...own, user: "u-2" }))).definition?.systemPrompt).toBe("everybody's");
    const parted = upsert({ name: fresh("parted"), scope: { project: "flow", team: "t" } });
    expect(await pathsOf(parted)).toEqual(["scope"]);
    const elsewhere = upsert({ scope: { project: "flow" } }, caller(own));
    expect(await refusal(elsewhere)).toMatchObject({ code: "FORBIDDEN" });
  });

  it("uses the provider that is named, else the project's, else the first by priority, and never another one silently", async () => {
    const own = { project: "flow", team: "provided", user: "u" };
    const caller = world.as({ reach: "EXACT", role: "EDITOR", scope: own });
    const [first, second] = [fresh("p"), fresh("p")];
    const bare = fresh("bare");
    savedOf(await upsert({ name: bare, definition: {} }, caller));
    expect(await pathsOf(manifestOf(bare, caller))).toEqual(["provider"]);
    for (const [name, priority] of [
      [second, 2],
      [first, 1],
    ] as const)
      savedOf(
        // Its key is a variable of the process: that it is missing here is no reason to refuse the definition.
        await upsert({ kind: "PROVIDER", name, definition: { type: "openai", model: name, priority } }, caller),
      );
    const used = async () => (await manifestOf(bare, caller)).definition?.model.model;
    expect(await used()).toBe(first);
    const defaults = {
      kind: "DEFAULTS",
      name: "default",
      definition: { provider: second, agent: { recursionLimit: 7 } },
    };
    savedOf(await upsert(defaults, caller));
    expect(await used()).toBe(second);
    expect((await manifestOf(bare, caller)).limits.recursionLimit).toBe(7);
    savedOf(await upsert({ name: bare, definition: { provider: first, temperature: 0.5 } }, caller));
    expect((await manifestOf(bare, caller)).definition?.model).toMatchObject({ model: first, temperature: 0.5 });
    const disabled = upsert(
      { kind: "PROVIDER", name: first, definition: { type: "scripted", model: "x" }, enabled: false },
      caller,
    );
    expect((await refusal(disabled)).issues[0]?.message).toMatch(/agent bare-\d+ could not run any more: provider/);
    savedOf(await deleteConfigEntity(world.deps, caller, { kind: "AGENT", name: bare }));
    savedOf(await deleteConfigEntity(world.deps, caller, { kind: "DEFAULTS", name: "default" }));
  });

  it("gives the loser of two savers what the winner wrote, and where both differ", async () => {
    const name = await agent({ systemPrompt: "start" });
    const save = (systemPrompt: string) => upsert({ name, definition: { model, systemPrompt }, expectedRevision: 1 });
    const outcomes = await Promise.all([save("Ada's"), save("Bob's")]);
    const won = outcomes.filter(({ outcome }) => outcome === "saved");
    const lost = outcomes.find(({ outcome }) => outcome === "conflict");
    expect(won).toHaveLength(1);
    const [mine, theirs] = outcomes[0]?.outcome === "saved" ? ["Bob's", "Ada's"] : ["Ada's", "Bob's"];
    expect(lost).toMatchObject({
      current: { revision: 2, definition: { systemPrompt: theirs } },
      diff: [{ path: "$.systemPrompt", before: theirs, after: mine }],
    });
    expect(await upsert({ name, createOnly: true })).toMatchObject({ outcome: "conflict", current: { revision: 2 } });
  });

  it("says what a change would do and does nothing, when it is only asked", async () => {
    const tool = fresh("tool");
    savedOf(await upsert({ kind: "TOOL", name: tool, definition: http }));
    const helper = await agent({ tools: [tool] });
    const lead = await agent({ kind: "deep", subagents: [helper] });
    const position = await world.deps.storage.config.position(editor.projectId);
    const wish = { kind: "TOOL", name: tool, definition: { ...http, method: "POST" } };
    const { impact, saved } = savedOf(await upsert({ ...wish, dryRun: true }));
    expect(impact.map((one) => one.agent).sort()).toEqual([helper, lead].sort());
    expect(saved[0]?.diff).toEqual([{ path: "$.method", after: "POST" }]);
    expect(await world.deps.storage.config.position(editor.projectId)).toBe(position);
    const forUser = { ...wish, scope: { project: "flow", user: "u-5" }, dryRun: true };
    expect(savedOf(await upsert(forUser)).impact.map(({ scope }) => scope)).toEqual([
      { project: "flow", user: "u-5" },
      { project: "flow", user: "u-5" },
    ]);
    const gone = deleteConfigEntity(world.deps, editor, { kind: "TOOL", name: tool, dryRun: true });
    expect((await refusal(gone)).issues).toHaveLength(2);
  });

  it("takes a set of changes that name each other, or none of it", async () => {
    const [tool, name] = [fresh("tool"), fresh("agent")];
    const changes = [
      { upsert: { kind: "AGENT", name, definition: { model, tools: [tool] } } },
      { upsert: { kind: "TOOL", name: tool, definition: http } },
    ];
    const apply = (more: typeof changes = changes) => applyConfigChangeSet(world.deps, editor, { changes: more });
    expect(await pathsOf(apply(changes.slice(0, 1)))).toEqual(["tools[0]"]);
    const broken = { upsert: { kind: "TOOL", name: fresh("tool"), definition: { ...http, url: "nowhere" } } };
    expect(await pathsOf(apply([...changes, broken]))).toEqual(["changes[2].url"]);
    const unnamed = { upsert: { kind: "TOOL", name: "a b", definition: http } };
    expect(await pathsOf(apply([...changes, unnamed]))).toEqual(["changes[2].name"]);
    expect(await resolveConfig(world.deps, editor, { kind: "TOOL", name: tool })).toBeNull();
    expect(savedOf(await apply()).saved.map(({ change }) => change?.operation)).toEqual(["CREATED", "CREATED"]);
    expect((await manifestOf(name)).tools).toHaveProperty(tool);
    const stale = { upsert: { kind: "TOOL", name: tool, definition: { ...http, method: "PUT" }, expectedRevision: 5 } };
    expect(await apply([{ upsert: { kind: "TOOL", name: fresh("tool"), definition: http } }, stale])).toMatchObject({
      ...{ outcome: "conflict", index: 1, current: { revision: 1 } },
    });
    const both = applyConfigChangeSet(world.deps, editor, {
      changes: [{ delete: { kind: "TOOL", name: tool } }, { delete: { kind: "AGENT", name } }],
    });
    expect(savedOf(await both).saved).toHaveLength(2);
  });

  it("brings back an earlier revision, also of what was deleted", async () => {
    const name = await agent({ systemPrompt: "one" });
    savedOf(await upsert({ name, definition: { model, systemPrompt: "two" } }));
    savedOf(await deleteConfigEntity(world.deps, editor, { kind: "AGENT", name }));
    expect(await refusal(manifestOf(name))).toMatchObject({ code: "AGENT_NOT_FOUND" });
    const restore = (revision: number) => restoreConfigRevision(world.deps, editor, { kind: "AGENT", name, revision });
    expect(await refusal(restore(9))).toMatchObject({ code: "NOT_FOUND" });
    expect(savedOf(await restore(1)).saved[0]?.entity).toMatchObject({ revision: 3 });
    expect(await manifestOf(name)).toMatchObject({ revision: 3, definition: { systemPrompt: "one" } });
  });

  it("runs the revision of the label that an agent is pinned to", async () => {
    const name = await agent({ systemPrompt: "one" });
    const key = { kind: "AGENT", name };
    savedOf(await setConfigLabel(world.deps, editor, { ...key, label: "production", revision: 1 }));
    savedOf(await pinConfigEntity(world.deps, editor, { ...key, label: "production" }));
    savedOf(await upsert({ name, definition: { model, systemPrompt: "two" } }));
    expect(await manifestOf(name)).toMatchObject({ revision: 1, definition: { systemPrompt: "one" } });
    expect(await pathsOf(deleteConfigLabel(world.deps, editor, { ...key, label: "production" }))).toEqual(["label"]);
    const moved = await setConfigLabel(world.deps, editor, { ...key, label: "production", revision: 2 });
    expect(savedOf(moved).impact.map((one) => one.agent)).toEqual([name]);
    expect(await manifestOf(name)).toMatchObject({ revision: 2 });
    savedOf(await pinConfigEntity(world.deps, editor, { ...key, label: null }));
    savedOf(await deleteConfigLabel(world.deps, editor, { ...key, label: "production" }));
    expect(await pathsOf(setConfigLabel(world.deps, editor, { ...key, label: "not a label", revision: 1 }))).toEqual([
      "label",
    ]);
  });

  it("says of every candidate why it won or lost", async () => {
    const name = fresh("tool");
    const scopes = [{}, { project: "flow" }, { project: "flow", team: "t" }, { project: "flow", user: "u" }];
    for (const scope of scopes) savedOf(await upsert({ kind: "TOOL", name, definition: http, scope }));
    const scope = { project: "flow", team: "t", user: "u" };
    const explained = await explainResolution(world.deps, editor, { kind: "TOOL", name, scope });
    expect(explained.map(({ entity, verdict }) => [entity?.scope, verdict])).toEqual([
      [{ project: "flow", team: "t" }, "WON"],
      [{ project: "flow", user: "u" }, "OUTRANKED"],
      [{ project: "flow" }, "OUTRANKED"],
      [{}, "OUTRANKED"],
    ]);
    expect(explained.map(({ reason }) => reason)).toEqual([
      expect.stringContaining("project, team"),
      expect.stringContaining("declares first"),
      expect.stringContaining("more keys"),
      expect.stringContaining("more keys"),
    ]);
    const [clerk] = await explainResolution(world.deps, editor, { kind: "AGENT", name: "clerk" });
    expect(clerk).toMatchObject({ verdict: "WON", entity: null, found: { source: "FILE" } });
  });

  it("leaves to files and code what they define, and lets a scope have its own", async () => {
    const clerk = { kind: "AGENT", name: "clerk" };
    const attempts = [
      () => upsert({ name: "clerk" }),
      () => upsert({ name: "echo" }),
      () => upsert({ kind: "TOOL", name: "send_email", definition: http }),
      () => patchConfigEntity(world.deps, editor, { ...clerk, patch: { systemPrompt: "x" } }),
      () => deleteConfigEntity(world.deps, editor, clerk),
    ];
    for (const attempt of attempts) expect(await refusal(attempt())).toMatchObject({ code: "FILE_MANAGED" });
    const own = { project: "flow", team: "t", user: "u-clerk" };
    savedOf(await upsert({ name: "clerk", definition: { model, systemPrompt: "own" }, scope: own }));
    expect((await manifestOf("clerk", world.as({ reach: "EXACT", scope: own }))).source).toBe("API");
    expect((await manifestOf("clerk")).source).toBe("FILE");
    const nobody = deleteConfigEntity(world.deps, editor, { kind: "AGENT", name: "nobody" });
    expect(await refusal(nobody)).toMatchObject({ code: "NOT_FOUND" });
  });

  it("takes bad input for what it is, names the place, and saves nothing", async () => {
    const position = await world.deps.storage.config.position(editor.projectId);
    const refused: [string, Partial<UpsertConfigEntityInput>][] = [
      ["", { definition: { model, colour: "red" } }],
      ["contextPolicy.maxInputTokens", { definition: { model, contextPolicy: { maxInputTokens: "many" } } }],
      ["systemPrompt", { definition: { model, systemPrompt: `Use sk-proj-${"a1B2".repeat(6)}` } }],
      ["tools[1]", { definition: { model, tools: ["send_email", "rocket"] } }],
      ["subagents[0]", { definition: { model, kind: "deep", subagents: ["nobody"] } }],
      ["provider", { definition: { provider: "nobody" } }],
      ["interruptOn.rm", { definition: { model, interruptOn: { rm: ["APPROVE"] } } }],
      ["subagents[0]", { name: "self", definition: { model, kind: "deep", subagents: ["self"] } }],
      ["subagents[0]", { definition: { model, kind: "deep", subagents: ["echo"] } }],
      ["name", { name: "two words" }],
      ["name", { name: "x".repeat(300) }],
      ["name", { kind: "DEFAULTS", name: "other", definition: {} }],
      ["kind", { kind: "WISH" }],
      ["scope.planet", { scope: { project: "flow", planet: "mars" } }],
      ["scope.project", { scope: { project: "other" } }],
      ["scope", { scope: { project: 7 } }],
      ["definition", { definition: { model, systemPrompt: "x".repeat(5_000_000) } }],
      ["", { definition: [] }],
      ["tool", { kind: "TOOL", definition: { type: "code", tool: "rocket" } }],
      ["url", { kind: "MCP_SERVER", definition: { url: "https://a:b@example.com/mcp" } }],
      ['headers["X-A\\r\\nX-B"]', { kind: "TOOL", definition: { ...http, headers: { "X-A\r\nX-B": "KEY" } } }],
    ];
    for (const [path, input] of refused) {
      const found = await refusal(upsert(input));
      expect([found.code, [...new Set(found.issues.map((issue) => issue.path))]]).toEqual(["CONFIG_INVALID", [path]]);
    }
    const viewer = world.as({ role: "OPERATOR" });
    expect(await refusal(upsert({}, viewer))).toMatchObject({ code: "FORBIDDEN" });
    expect(await world.deps.storage.config.position(editor.projectId)).toBe(position);
  });

  it("refuses what no process could build, by its path, and saves nothing", async () => {
    const impossible = { model: { provider: "scripted", model: "nobody" } };
    const position = await world.deps.storage.config.position(editor.projectId);
    const tried = upsert({ definition: { ...impossible, memory: ["/AGENTS.md"] } });
    expect(await refusal(tried)).toMatchObject({
      code: "CONFIG_INVALID",
      issues: [{ path: "kind" }, { path: "model" }],
    });
    expect(await pathsOf(upsert({ definition: impossible, dryRun: true }))).toEqual(["model"]);
    const changes = [{ model }, impossible].map((definition) => ({
      upsert: { kind: "AGENT", name: fresh("agent"), definition },
    }));
    expect(await pathsOf(applyConfigChangeSet(world.deps, editor, { changes }))).toEqual(["changes[1].model"]);
    expect(await world.deps.storage.config.position(editor.projectId)).toBe(position);

    // Nobody looked at it while it did not apply.
    const name = await agent(impossible, { enabled: false });
    savedOf(await upsert({ name, definition: { model }, enabled: true }));
    expect(await pathsOf(patchConfigEntity(world.deps, editor, { kind: "AGENT", name, patch: impossible }))).toEqual([
      "model",
    ]);
    expect(await pathsOf(restoreConfigRevision(world.deps, editor, { kind: "AGENT", name, revision: 1 }))).toEqual([
      "model",
    ]);
    expect(await manifestOf(name)).toMatchObject({ revision: 2 });
  });

  it("lets no change of what agents name make one of them impossible", async () => {
    const server = { kind: "MCP_SERVER", name: fresh("server") };
    savedOf(await upsert({ ...server, definition: { url: "https://example.com/mcp" } }));
    const name = await agent({ mcpServers: [server.name] });
    const inside = refusal(upsert({ ...server, definition: { url: "http://10.0.0.1/mcp" } }));
    expect((await inside).issues).toMatchObject([
      {
        path: "",
        message: expect.stringMatching(new RegExp(`${name} could not run any more: mcpServers\\[0\\]: .*10`)),
      },
    ]);
    expect((await manifestOf(name)).mcpServers?.[server.name]?.url).toBe("https://example.com/mcp");
  });

  it("keeps no writer waiting while it tries to build, and looks again at what was changed meanwhile", async () => {
    const [tool, name] = [fresh("tool"), fresh("agent")];
    const put = (method: string) => upsert({ kind: "TOOL", name: tool, definition: { ...http, method } });
    savedOf(await put("GET"));
    const looked: (string | undefined)[] = [];
    const { graphs } = world.deps;
    const deps = {
      ...world.deps,
      graphs: {
        ...graphs,
        problems: async (manifest: Manifest) => {
          const defined = manifest.tools?.[tool];
          if (looked.push(defined?.type === "http" ? defined.method : undefined) === 1) savedOf(await put("POST"));
          return graphs.problems(manifest);
        },
      },
    };
    const write = { kind: "AGENT", name, definition: { model, tools: [tool] } };
    savedOf(await upsertConfigEntity(deps, editor, write));
    expect(looked).toEqual(["GET", "POST"]);
    expect((await manifestOf(name)).tools?.[tool]).toMatchObject({ method: "POST" });
  });

  it("lets no circle of subagents in, however long it is", async () => {
    const low = await agent({ kind: "deep" });
    const mid = await agent({ kind: "deep", subagents: [low] });
    const top = await agent({ kind: "deep", subagents: [mid] });
    const closing = refusal(upsert({ name: low, definition: { model, kind: "deep", subagents: [top] } }));
    expect((await closing).issues).toMatchObject([
      { path: "subagents[0]", message: expect.stringContaining("circle") },
    ]);
  });

  it("lets nobody take away what an agent needs", async () => {
    const skill = fresh("skill");
    savedOf(await upsert({ kind: "SKILL", name: skill, definition: { description: "d", body: "b" } }));
    const name = await agent({ kind: "deep", skills: [skill] });
    const gone = await refusal(deleteConfigEntity(world.deps, editor, { kind: "SKILL", name: skill }));
    expect(gone.issues[0]?.message).toMatch(new RegExp(`${name} could not run any more: skills\\[0\\]`));
    expect(await manifestOf(name)).toHaveProperty("skills");
  });

  it("tells every listener every change, each by its own cursor, before the writer has its answer", async () => {
    const names = Array.from({ length: 3 }, () => fresh("tool"));
    const watch = (after?: string) => watchConfigChanges(world.deps, editor, { after });
    const listeners = await Promise.all([watch(), watch(), watch()]);
    const starts = await Promise.all(listeners.map((listener) => listener.next()));
    for (const name of names) savedOf(await upsert({ kind: "TOOL", name, definition: http }));
    for (const listener of listeners) {
      const heard: string[] = [];
      for await (const { changes } of listener) {
        heard.push(...changes.map(({ name }) => name));
        if (heard.length >= names.length) break;
      }
      expect(heard).toEqual(names);
    }
    await using late = await watch(starts[0]?.value.endCursor);
    const { value } = await late.next();
    expect(value.changes.map(({ name }: { name: string }) => name)).toEqual(names);
    const far = Promise.resolve(watch(configCursor(editor.projectId, 1_000_000))).then((one) => one.next());
    expect(await refusal(far)).toMatchObject({ code: "RESYNC" });
    expect(await refusal(watch("nonsense"))).toMatchObject({ code: "INVALID_CURSOR" });
  });
});
