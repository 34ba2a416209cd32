// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the files under test have variables of their own
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Manifest } from "@wheelhouse/domain";
import { digestOf } from "@wheelhouse/domain/digest";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { loadWorkspaceConfig } from "./load-workspace-config.ts";
import { openRegistry, type RegistryOptions } from "./open-registry.ts";
import { issueText } from "./registry-issue.ts";

let workspaceDir: string;
beforeEach(async () => {
  workspaceDir = await mkdtemp(join(tmpdir(), "wheelhouse-registry-"));
});
afterEach(() => rm(workspaceDir, { recursive: true }));

async function put(files: Record<string, string>): Promise<void> {
  for (const [file, text] of Object.entries(files)) {
    const path = join(workspaceDir, file);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
}

const agent = (name: string, text: string) => put({ [`.wheelhouse/agents/${name}`]: text });
const open = (more: Partial<RegistryOptions> = {}) => openRegistry({ workspaceDir, env: {}, ...more });
const scope = { project: "default" };

async function issuesOf(more: Partial<RegistryOptions> = {}): Promise<string[]> {
  return (await open(more)).issues().map(issueText);
}

describe("workspace files", () => {
  it("make an empty workspace an empty registry", async () => {
    const registry = await open();
    expect(await registry.sharedAgents()).toEqual([]);
    expect(registry.issues()).toEqual([]);
    expect(await registry.resolveAgent("guide", scope)).toBeNull();
  });

  it("are YAML, or Markdown whose body is the prompt", async () => {
    await agent(
      "guide.md",
      "---\nmodel: scripted/guide\ntools: [read_doc]\n---\n# You\n\nAnswer ${kindly}.\n---\nend\n",
    );
    await agent("clerk.yaml", "displayName: Clerk\nsystemPrompt: Be brief.\nmodel: {provider: openai, model: gpt-5}\n");
    const registry = await open({ toolNames: ["read_doc"] });
    expect(registry.issues()).toEqual([]);
    const guide = await registry.resolveAgent("guide", scope);
    expect(guide?.definition).toMatchObject({
      systemPrompt: "# You\n\nAnswer ${kindly}.\n---\nend",
      model: { provider: "scripted", model: "guide" },
      tools: ["read_doc"],
    });
    expect(guide?.manifest.sources).toEqual({ agent: ".wheelhouse/agents/guide.md" });
    expect((await registry.resolveAgent("clerk", scope))?.displayName).toBe("Clerk");
  });

  it("give manifests whose digests are of what they hold", async () => {
    await agent("guide.yaml", "model: scripted/guide\n");
    const guide = await (await open()).resolveAgent("guide", scope);
    expect(Manifest.parse(guide?.manifest)).toEqual(guide?.manifest);
    expect(guide?.manifestDigest).toBe(digestOf(JSON.parse(JSON.stringify(guide?.manifest))));
    await agent("guide.yaml", "model: scripted/other\n");
    const other = await (await open()).resolveAgent("guide", scope);
    expect(other?.manifestDigest).not.toBe(guide?.manifestDigest);
  });

  it("take variables in values, with defaults, as numbers where they are numbers", async () => {
    const text =
      "model:\n  provider: openai\n  model: ${MODEL:-gpt-5}\n  temperature: ${HEAT}\ndescription: '$${x} ${HEAT}'\n";
    await agent("a.yaml", text);
    const a = await (await open({ env: { HEAT: "0.5", MODEL: "" } })).resolveAgent("a", scope);
    expect(a?.definition).toMatchObject({ model: { model: "gpt-5", temperature: 0.5 }, description: "${x} 0.5" });
  });

  it("use the model of the provider whose key is set, unless they are told another", async () => {
    await agent("a.yaml", "model: ${WHEELHOUSE_MODEL:-scripted/guide}\n");
    const model = async (env: Record<string, string>) =>
      (await (await open({ env })).resolveAgent("a", scope))?.definition?.model.provider;
    expect(await model({})).toBe("scripted");
    expect(await model({ ANTHROPIC_API_KEY: "x" })).toBe("anthropic");
    expect(await model({ ANTHROPIC_API_KEY: "x", WHEELHOUSE_MODEL: "ollama/qwen3" })).toBe("ollama");
  });

  it("cannot be restructured by a variable", async () => {
    await agent("a.yaml", "model: scripted/guide\nsystemPrompt: ${EVIL}\n");
    const a = await (await open({ env: { EVIL: "x\ntools: [rm]" } })).resolveAgent("a", scope);
    expect(a?.definition).toMatchObject({ systemPrompt: "x\ntools: [rm]", tools: [] });
  });

  it("pin the definitions of their subagents, at any depth", async () => {
    await agent("lead.yaml", "kind: deep\nmodel: scripted/a\nsubagents: [mid]\n");
    await agent("mid.yaml", "kind: deep\nmodel: scripted/b\nsubagents: [low]\n");
    await agent("low.yaml", "model: scripted/c\n");
    const lead = await (await open()).resolveAgent("lead", scope);
    expect(Object.keys(lead?.manifest.subagents ?? {})).toEqual(["low", "mid"]);
    await agent("low.yaml", "model: scripted/d\n");
    const later = await (await open()).resolveAgent("lead", scope);
    expect(later?.manifestDigest).not.toBe(lead?.manifestDigest);
  });

  it("are read again on reload", async () => {
    const registry = await open();
    await agent("late.yaml", "model: scripted/guide\n");
    await registry.reload();
    expect(await registry.resolveAgent("late", scope)).not.toBeNull();
  });
});

describe("a bad file", () => {
  const good = "model: scripted/guide\n";

  it.each([
    ["broken YAML", "a.yaml", "model: [\n", /^\.wheelhouse\/agents\/a\.yaml:\d+: /],
    ["a wrong type", "a.yaml", "model: scripted/x\n\nrecursionLimit: many\n", /a\.yaml:3: recursionLimit: /],
    ["a nested wrong value", "a.yaml", "model:\n  provider: acme\n  model: m\n", /a\.yaml:2: model\.provider: /],
    ["an unknown field", "a.yaml", "model: scripted/x\nmodle: y\n", /a\.yaml:1: .*modle/],
    ["a missing model", "a.yaml", "description: x\n", /a\.yaml: provider: there is no provider to use/],
    ["a model without its name", "a.yaml", "model: openai\n", /a\.yaml:1: model\.model: /],
    ["a list", "a.yaml", "- a\n", /a\.yaml:1: must be a mapping/],
    ["an empty file", "a.yaml", "", /a\.yaml:1: must be a mapping/],
    [
      "a wrong field in front matter",
      "a.md",
      "---\nmodel: scripted/x\ntimeoutSeconds: -1\n---\nHi\n",
      /a\.md:3: timeoutSeconds/,
    ],
    ["no front matter", "a.md", "Just a prompt\n", /a\.md:1: begin with front matter/],
    ["two prompts", "a.md", "---\nmodel: scripted/x\nsystemPrompt: a\n---\nb\n", /a\.md:3: systemPrompt/],
    [
      "an unset variable",
      "a.yaml",
      "model: scripted/x\ndescription: ${NOWHERE}\n",
      /a\.yaml:2: the variable NOWHERE is not set/,
    ],
    ["a secret's variable", "a.yaml", "model: scripted/x\ndescription: ${OPENAI_API_KEY}\n", /a\.yaml:2: .*apiKeyEnv/],
    [
      "a secret",
      "a.yaml",
      `model: scripted/x\nsystemPrompt: sk-proj-${"a1B2".repeat(6)}\n`,
      /a\.yaml:2: systemPrompt: looks like/,
    ],
    ["a bad name", "Bad Name.yaml", good, /Bad Name\.yaml: the file's name/],
    ["an unknown tool", "a.yaml", `${good}tools: [rocket]\n`, /a\.yaml:2: tools\[0\]: there is no tool named rocket/],
    [
      "an approval of a foreign tool",
      "a.yaml",
      `${good}interruptOn: {send: [APPROVE]}\n`,
      /a\.yaml:2: interruptOn\.send: is not one/,
    ],
    [
      "an unknown subagent",
      "a.yaml",
      `${good}subagents: [b]\n`,
      /a\.yaml:2: subagents\[0\]: there is no agent named b/,
    ],
    ["a subagent of itself", "a.yaml", `${good}subagents: [a]\n`, /a\.yaml:2: subagents\[0\]: goes in a circle: a → a/],
    ["too many bytes", "a.yaml", `${good}systemPrompt: ${"x".repeat(1_000_001)}\n`, /a\.yaml: is larger than/],
  ])("is reported with its place and left out, the rest loads: %s", async (_, file, text, expected) => {
    await agent(file, text);
    await agent("good.yaml", good);
    const registry = await open({ toolNames: ["search"] });
    expect(registry.issues().map(issueText)).toEqual([expect.stringMatching(expected)]);
    expect((await registry.sharedAgents()).map(({ name }) => name)).toEqual(["good"]);
  });

  it("may be an alias bomb", async () => {
    const bomb = ["a: &a [x, x, x, x, x, x, x, x, x]"];
    for (let i = 1; i < 9; i++) {
      const [last, next] = [String.fromCharCode(96 + i), String.fromCharCode(97 + i)];
      bomb.push(`${next}: &${next} [${Array(9).fill(`*${last}`).join(", ")}]`);
    }
    await agent("bomb.yaml", bomb.join("\n"));
    expect(await issuesOf()).toEqual([expect.stringMatching(/bomb\.yaml: .*alias/i)]);
  });

  it("may define what another file defines", async () => {
    await agent("twin.md", "---\nmodel: scripted/guide\n---\n");
    await agent("twin.yaml", good);
    expect(await issuesOf()).toEqual([expect.stringContaining("twin.yaml: twin is defined by")]);
  });

  it("takes with it the agents that need it", async () => {
    await agent("lead.yaml", `${good}subagents: [helper]\n`);
    await agent("helper.yaml", `${good}tools: [rocket]\n`);
    expect(await issuesOf({ toolNames: [] })).toHaveLength(2);
  });
});

describe("files of every kind", () => {
  const skill =
    "---\nname: letters\ndescription: How to write letters\n---\nBegin with a greeting. ${not a variable}\n";
  const all = {
    ".wheelhouse/providers.yaml":
      "main: {type: scripted, model: guide}\nspare: {type: openai, model: gpt-5, priority: 9}\n",
    ".wheelhouse/defaults.yaml": "provider: spare\nagent: {recursionLimit: 7}\n",
    ".wheelhouse/mcp.yaml": "docs:\n  url: ${DOCS_URL:-https://docs.example.com/mcp}\n  required: false\n",
    ".wheelhouse/sandbox.yaml": "box: {backend: bubblewrap}\nold: {backend: none, enabled: false}\n",
    ".wheelhouse/tools/orders.yaml": "type: http\ndescription: Lists orders\nurl: https://example.com/orders\n",
    ".wheelhouse/skills/letters/SKILL.md": skill,
    ".wheelhouse/skills/letters/forms/long.txt": "Dear",
    ".wheelhouse/skills/letters/.DS_Store": "x",
    ".wheelhouse/skills/short.yaml": "description: d\nbody: b\n",
    ".wheelhouse/agents/writer.yaml":
      "kind: deep\ntools: [orders]\nskills: [letters]\nmcpServers: [docs]\nsandboxProfile: box\n",
    ".wheelhouse/agents/off.yaml": "enabled: false\nmodel: scripted/guide\n",
  };

  it("are read, and pinned with the agents that name them", async () => {
    await put(all);
    const registry = await open();
    expect(registry.issues()).toEqual([]);
    expect(registry.allShared().map(({ kind, name }) => `${kind} ${name}`)).toEqual([
      "AGENT writer",
      "TOOL orders",
      "SKILL letters",
      "SKILL short",
      "PROVIDER main",
      "PROVIDER spare",
      "MCP_SERVER docs",
      "SANDBOX_PROFILE box",
      "DEFAULTS default",
    ]);
    const writer = await registry.resolveAgent("writer", scope);
    expect(writer?.manifest).toMatchObject({
      definition: { model: { provider: "openai", model: "gpt-5" }, recursionLimit: 7 },
      mcpServers: { docs: { url: "https://docs.example.com/mcp", required: false } },
      skills: {
        letters: { description: "How to write letters", files: { "SKILL.md": skill, "forms/long.txt": "Dear" } },
      },
      sources: { "skills.letters": ".wheelhouse/skills/letters/SKILL.md", "mcpServers.docs": ".wheelhouse/mcp.yaml" },
    });
  });

  it.each([
    ["providers.yaml", "main:\n  type: openai\n", /providers\.yaml:\d: main\.model: /],
    [
      "providers.yaml",
      "main: {type: scripted, model: a}\nmain: {type: scripted, model: b}\n",
      /providers\.yaml:2: .*unique/,
    ],
    ["providers.yaml", "Bad Name: {type: scripted, model: a}\n", /providers\.yaml:1: Bad Name: use 1 to 100/],
    ["providers.yaml", "main: scripted\n", /providers\.yaml:1: main: must be a mapping/],
    ["mcp.yaml", "docs:\n  url: ftp://example.com\n", /mcp\.yaml:2: docs\.url: must begin with http/],
    ["mcp.yaml", "docs:\n\turl: https://example.com\n", /mcp\.yaml:2: .*[Tt]ab/],
    ["tools/t.yaml", "type: http\ndescription: d\nurl: 'https://e.com/{'\n", /t\.yaml:3: url: has a brace/],
    [
      "tools/t.yaml",
      "type: http\ndescription: d\nurl: https://e.com\ntimeoutSeconds: .nan\n",
      /t\.yaml: JSON has no NaN/,
    ],
    ["defaults.yaml", "agent:\n  recursionLimit: 0\n", /defaults\.yaml:2: agent\.recursionLimit: /],
    ["skills/s/README.md", "x", /skills\/s: has no SKILL\.md/],
    ["skills/s/SKILL.md", "x", /SKILL\.md:1: begin with front matter/],
    [
      "skills/s/SKILL.md",
      "---\nname: t\ndescription: d\n---\nx",
      /SKILL\.md:2: name: the folder's name is the skill's: s/,
    ],
    ["skills/s/SKILL.md", "---\nname: s\n---\nx", /SKILL\.md:1: description: /],
    ["agents/a.yaml", "enabled: maybe\nmodel: scripted/guide\n", /a\.yaml:1: enabled: must be true or false/],
  ])("are refused with their place when they are wrong: %s %j", async (file, text, expected) => {
    await put({ ".wheelhouse/agents/good.yaml": "model: scripted/guide\n", [`.wheelhouse/${file}`]: text });
    const registry = await open();
    expect(registry.issues().map(issueText)).toEqual([expect.stringMatching(expected)]);
    expect((await registry.sharedAgents()).map(({ name }) => name)).toEqual(["good"]);
  });

  it("may be no text at all", async () => {
    await put({ ".wheelhouse/skills/s/SKILL.md": "" });
    await writeFile(join(workspaceDir, ".wheelhouse/skills/s/SKILL.md"), Uint8Array.from([0xff, 0xfe, 0x00]));
    expect(await issuesOf()).toEqual([expect.stringMatching(/SKILL\.md: cannot be read: .*utf-8/)]);
  });
});

describe("agents in code", () => {
  it("are described by what was registered, their schemas by Zod or JSON Schema", async () => {
    const codeAgents = {
      research: {
        graph: {},
        description: "Looks things up",
        inputSchema: z.object({ topic: z.string() }),
        timeoutSeconds: 5,
      },
      plain: { graph: {}, inputSchema: { type: "object" } },
    };
    const registry = await open({ codeAgents });
    expect(registry.issues()).toEqual([]);
    const research = await registry.resolveAgent("research", scope);
    expect(research).toMatchObject({ source: "CODE", description: "Looks things up", definition: null });
    expect(research?.inputSchema).toMatchObject({ type: "object", required: ["topic"] });
    expect(research?.manifest.limits).toEqual({ recursionLimit: 100, timeoutSeconds: 5, maxPayloadBytes: 262_144 });
    expect(Manifest.parse(research?.manifest)).toEqual(research?.manifest);
    expect((await registry.resolveAgent("plain", scope))?.inputSchema).toEqual({ type: "object" });
  });

  it("are left out one by one when they are wrong, and give way to files of their name", async () => {
    await agent("both.yaml", "model: scripted/guide\n");
    const codeAgents = {
      "Bad Name": { graph: {} },
      noGraph: { graph: null },
      bad: { graph: {}, timeoutSeconds: -1 },
      schema: { graph: {}, inputSchema: "text" },
      both: { graph: {} },
    };
    const registry = await open({ codeAgents });
    expect((await registry.sharedAgents()).map(({ name, source }) => [name, source])).toEqual([["both", "FILE"]]);
    expect(registry.issues()).toHaveLength(4);
  });
});

describe("loadWorkspaceConfig", () => {
  it("answers with nothing when there is no file", async () => {
    expect(await loadWorkspaceConfig(workspaceDir)).toEqual({
      config: { agents: {}, tools: [] },
      files: {},
      issues: [],
    });
  });

  it("loads agents and tools", async () => {
    await put({ "wheelhouse.config.mjs": "export default { agents: { a: { graph: 1 } }, tools: [{ name: 't' }] };" });
    const { config, issues } = await loadWorkspaceConfig(workspaceDir);
    expect(issues).toEqual([]);
    expect(config).toEqual({ agents: { a: { graph: 1 } }, tools: [{ name: "t" }] });
  });

  it.each([
    ["throws", "throw new Error('no key');", /cannot be loaded: no key/],
    ["exports nothing", "export const a = 1;", /export default/],
    ["exports an agent without a graph", "export default { agents: { a: {} } };", /graph/],
    ["names a tool twice", "export default { tools: [{ name: 't' }, { name: 't' }] };", /two tools are named t/],
  ])("reports a file that %s", async (_, text, expected) => {
    await put({ "wheelhouse.config.mjs": text });
    const loaded = await loadWorkspaceConfig(workspaceDir);
    expect(loaded.issues.map(issueText)).toEqual([expect.stringMatching(expected)]);
    expect(loaded.config).toEqual({ agents: {}, tools: [] });
  });

  it("takes the graphs of langgraph.json whose names it does not have itself", async () => {
    await put({
      "wheelhouse.config.mjs": "export default { agents: { both: { graph: 1 } } };",
      "src/graphs.mjs": "export const one = 'one'; export default 'two'; export const nothing = null;",
      "langgraph.json": JSON.stringify({
        dependencies: ["."],
        graphs: {
          one: "./src/graphs.mjs:one",
          two: { path: "./src/graphs.mjs", description: "The second" },
          both: "./src/graphs.mjs:one",
          nothing: "./src/graphs.mjs:nothing",
          gone: "./src/gone.mjs:graph",
          python: "./src/agent.py:graph",
        },
      }),
    });
    const { config, files, issues } = await loadWorkspaceConfig(workspaceDir);
    expect(config.agents).toEqual({
      one: { graph: "one" },
      two: { graph: "two", description: "The second" },
      both: { graph: 1 },
    });
    expect(files).toEqual({ one: "langgraph.json", two: "langgraph.json", both: "wheelhouse.config.mjs" });
    expect(issues.map(issueText)).toEqual([
      "langgraph.json: graphs.nothing: ./src/graphs.mjs exports no nothing",
      expect.stringMatching(/^langgraph\.json: graphs\.gone: .*gone\.mjs/),
      expect.stringMatching(/^langgraph\.json: graphs\.python: \.\/src\/agent\.py is Python/),
    ]);
  });

  it.each([
    ["no JSON", "{", /^langgraph\.json: .*JSON/],
    ["no graphs", '{"graphs": ["a"]}', /^langgraph\.json: .*record/],
  ])("reports a langgraph.json with %s", async (_, text, expected) => {
    await put({ "langgraph.json": text });
    expect((await loadWorkspaceConfig(workspaceDir)).issues.map(issueText)).toEqual([expect.stringMatching(expected)]);
  });
});
