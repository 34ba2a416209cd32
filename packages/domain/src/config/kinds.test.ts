import { describe, expect, it } from "vitest";
import { configKinds } from "../enumerations.ts";
import { withDefaults } from "./defaults.ts";
import { type ConfigKind, checkDefinition, jsonSchemaOfKind, pathKeys, pathText } from "./kinds.ts";
import { EntityName } from "./names.ts";

/** The least that is a definition of each kind. */
const least: Record<ConfigKind, Record<string, unknown>> = {
  PROVIDER: { type: "openai", model: "gpt-5" },
  TOOL: { type: "http", description: "Finds an order", url: "https://example.com/orders" },
  SKILL: { description: "How to write", body: "# Writing" },
  AGENT: {},
  MCP_SERVER: { url: "https://example.com/mcp" },
  SANDBOX_PROFILE: { backend: "none" },
  DEFAULTS: {},
};

const pathsOf = (kind: ConfigKind, value: unknown) => checkDefinition(kind, value).issues.map(({ path }) => path);

describe.each(configKinds)("a definition of the kind %s", (kind) => {
  it("is accepted when it has no more than it must", () => {
    expect(checkDefinition(kind, least[kind]).issues).toEqual([]);
  });

  it("is refused with a field that nobody knows, which is named", () => {
    const { issues } = checkDefinition(kind, { ...least[kind], colour: "red" });
    expect(issues.map(({ message }) => message)).toEqual([expect.stringContaining("colour")]);
  });

  it.each([null, [], "text", 7])("is refused when it is %j", (value) => {
    expect(checkDefinition(kind, value).issues).not.toEqual([]);
  });

  it("has a JSON Schema that names its fields", () => {
    expect(JSON.stringify(jsonSchemaOfKind(kind))).toContain('"$schema"');
    for (const field of Object.keys(least[kind]))
      expect(JSON.stringify(jsonSchemaOfKind(kind))).toContain(`"${field}"`);
  });
});

const http = least.TOOL;
const skill = { description: "d" };
const card = { id: "a", name: "A", description: "d", tags: ["t"] };
const refused: readonly (readonly [ConfigKind, string, Record<string, unknown>])[] = [
  ["PROVIDER", "type", { type: "nobody", model: "m" }],
  ["PROVIDER", "baseUrl", { type: "openai-compatible", model: "m" }],
  ["PROVIDER", "baseUrl", { type: "openai", model: "m", baseUrl: "https://example.com" }],
  ["PROVIDER", "baseUrl", { type: "openai-compatible", model: "m", baseUrl: "https://user:pass@example.com" }],
  ["PROVIDER", "baseUrl", { type: "openai-compatible", model: "m", baseUrl: "ftp://example.com" }],
  ["PROVIDER", "region", { type: "bedrock", model: "m" }],
  ["PROVIDER", "region", { type: "openai", model: "m", region: "eu-west-1" }],
  ["PROVIDER", "roleArn", { type: "openai", model: "m", roleArn: "arn:aws:iam::1:role/x" }],
  ["PROVIDER", "roleArn", { type: "google-genai", model: "m", roleArn: "arn:aws:iam::1:role/x" }],
  ["PROVIDER", "model", { type: "openai", model: "" }],
  ["PROVIDER", "priority", { type: "openai", model: "m", priority: 0.5 }],
  ["PROVIDER", "displayName", { type: "openai", model: "m", displayName: "x".repeat(201) }],
  ["PROVIDER", "apiKeyEnv", { type: "openai", model: "m", apiKeyEnv: "my key" }],
  ["PROVIDER", "maxRetries", { type: "openai", model: "m", maxRetries: -1 }],
  ["PROVIDER", "timeoutSeconds", { type: "openai", model: "m", timeoutSeconds: 0 }],
  ...["anthropicApiUrl", "endpointHost", "azureOpenAIBasePath", "clientOptions", "authOptions", "cache"].map(
    (name): [ConfigKind, string, Record<string, unknown>] => [
      "PROVIDER",
      `extra.${name}`,
      { type: "anthropic", model: "m", extra: { [name]: "x" } },
    ],
  ),
  ["PROVIDER", "extra.baseURL", { type: "openai", model: "m", extra: { baseURL: "https://elsewhere.example" } }],
  ["AGENT", "provider", { model: { provider: "scripted", model: "guide" }, provider: "main" }],
  ["AGENT", "model.temperature", { model: { provider: "openai", model: "m", temperature: 3 } }],
  ["AGENT", "mode", { mode: "SOMETIMES" }],
  ["AGENT", "tools[1]", { tools: ["ok", "not ok"] }],
  ["AGENT", "tools", { tools: ["twice", "twice"] }],
  ["AGENT", "interruptOn.send", { interruptOn: { send: [] } }],
  ["AGENT", "interruptOn.send[0]", { interruptOn: { send: ["MAYBE"] } }],
  ["AGENT", "permissions[0].paths", { permissions: [{ operations: ["read"], paths: [] }] }],
  ["AGENT", "permissions[0].operations", { permissions: [{ operations: [], paths: ["/a"] }] }],
  ["AGENT", "permissions[0].paths[0]", { permissions: [{ operations: ["read"], paths: ["/a/../b"] }] }],
  ["AGENT", "memory[0]", { memory: ["AGENTS.md"] }],
  ["AGENT", "recursionLimit", { recursionLimit: 0 }],
  ["AGENT", "timeoutSeconds", { timeoutSeconds: 0 }],
  ["AGENT", "budget.tokensPerRun", { budget: { tokensPerRun: 0 } }],
  ["AGENT", "publication.maxBytes", { publication: { maxBytes: 10_485_761 } }],
  ["AGENT", "a2a.skills[0].tags", { a2a: { skills: [{ id: "a", name: "A", description: "d", tags: [] }] } }],
  ["AGENT", "middleware[0].type", { middleware: [{ type: "magic" }] }],
  ["AGENT", "middleware[0]", { middleware: [{ type: "tool_call_limit" }] }],
  ["AGENT", "publication.maxBytes", { publication: { maxBytes: 0 } }],
  ["AGENT", "displayName", { displayName: "" }],
  ["AGENT", "displayName", { displayName: "x".repeat(201) }],
  ["AGENT", "description", { description: "x".repeat(2001) }],
  ["AGENT", "hidden", { hidden: "yes" }],
  ["AGENT", "temperature", { temperature: -0.1 }],
  ["AGENT", "temperature", { temperature: 2.1 }],
  ["AGENT", "maxTokens", { maxTokens: 0 }],
  ["AGENT", "excludedTools[0]", { excludedTools: ["a b"] }],
  ["AGENT", "blockedTools[0]", { blockedTools: [""] }],
  ["AGENT", "subagents", { subagents: ["twice", "twice"] }],
  ["AGENT", "mcpServers[0]", { mcpServers: ["a.b/c"] }],
  ["AGENT", "sandboxProfile", { sandboxProfile: "" }],
  ["AGENT", "responseFormat", { responseFormat: "app.schemas.Answer" }],
  ["AGENT", "permissions[0].operations[0]", { permissions: [{ operations: ["delete"], paths: ["/a"] }] }],
  ["AGENT", "permissions[0].mode", { permissions: [{ operations: ["read"], paths: ["/a"], mode: "ask" }] }],
  ["AGENT", "contextPolicy.maxInputTokens", { contextPolicy: { maxInputTokens: 0 } }],
  ["AGENT", "contextPolicy.toolTokenLimitBeforeEvict", { contextPolicy: { toolTokenLimitBeforeEvict: 0 } }],
  ["AGENT", "contextPolicy", { contextPolicy: { mood: "calm" } }],
  ["AGENT", "a2a", { a2a: { mood: "calm" } }],
  ["AGENT", "a2a.publicInterfaceUrl", { a2a: { publicInterfaceUrl: "/agents/desk" } }],
  ["AGENT", "a2a.defaultInputModes", { a2a: { defaultInputModes: [] } }],
  ["AGENT", "a2a.defaultOutputModes[0]", { a2a: { defaultOutputModes: ["text"] } }],
  ["AGENT", "a2a.skills[0].id", { a2a: { skills: [{ ...card, id: "a b" }] } }],
  ["AGENT", "a2a.skills[0].name", { a2a: { skills: [{ ...card, name: "x".repeat(201) }] } }],
  ["AGENT", "a2a.skills[0].description", { a2a: { skills: [{ ...card, description: "x".repeat(2001) }] } }],
  ["AGENT", "a2a.skills[0].tags", { a2a: { skills: [{ ...card, tags: ["t", "t"] }] } }],
  ["AGENT", "a2a.skills", { a2a: { skills: [card, card] } }],
  ["AGENT", "middleware[0].maxRetries", { middleware: [{ type: "tool_retry", maxRetries: 0 }] }],
  ["AGENT", "middleware[0].kind", { middleware: [{ type: "pii", kind: "mood" }] }],
  ["TOOL", "type", { type: "python", code: "import os" }],
  ["TOOL", "url", { ...http, url: "https://{host}/x" }],
  ["TOOL", "url", { ...http, url: "https://example.com/{id}" }],
  ["TOOL", "url", { ...http, url: "https://example.com/{}" }],
  ["TOOL", "url", { ...http, url: "https://a:b@example.com/" }],
  ["TOOL", "url", { ...http, url: "file:///etc/passwd" }],
  ["TOOL", 'headers["X-A\\r\\nX-B"]', { ...http, headers: { "X-A\r\nX-B": "KEY" } }],
  ["TOOL", "headers.Host", { ...http, headers: { Host: "KEY" } }],
  ["TOOL", "headers.Authorization", { ...http, headers: { Authorization: "the key itself" } }],
  ["TOOL", "headers", { ...http, headers: { "X-Key": "A", "x-key": "B" } }],
  ["TOOL", "argumentsSchema", { ...http, argumentsSchema: { type: "string" } }],
  ["TOOL", "topK", { type: "retrieval", description: "d", collection: "c", topK: 0 }],
  ["SKILL", "", skill],
  ["SKILL", "", { ...skill, body: "a", path: "/workspace/a" }],
  ["SKILL", "files", { ...skill, files: { "README.md": "a" } }],
  ["SKILL", 'files["../SKILL.md"]', { ...skill, files: { "../SKILL.md": "a", "SKILL.md": "b" } }],
  ["SKILL", "path", { ...skill, path: "/workspace/../etc" }],
  ["SKILL", "description", { description: "", body: "a" }],
  ["MCP_SERVER", "url", { url: "https://a:b@example.com/mcp" }],
  ["MCP_SERVER", "url", { url: "https://example.com/mcp#part" }],
  ["MCP_SERVER", "url", { url: "npx something" }],
  ["MCP_SERVER", "transport", { url: "https://example.com/mcp", transport: "stdio" }],
  ["MCP_SERVER", "toolPrefix", { url: "https://example.com/mcp", toolPrefix: "a b" }],
  ["MCP_SERVER", "headers.Authorization", { ...least.MCP_SERVER, headers: { Authorization: "the key itself" } }],
  ["MCP_SERVER", "required", { ...least.MCP_SERVER, required: "no" }],
  ["MCP_SERVER", "allowTools", { ...least.MCP_SERVER, allowTools: [] }],
  ["SANDBOX_PROFILE", "backend", { backend: "virtual" }],
  ["SANDBOX_PROFILE", "idlePolicy.maxIdleSeconds", { backend: "local", idlePolicy: { maxIdleSeconds: 0 } }],
  ["SANDBOX_PROFILE", "image", { backend: "docker" }],
  ["SANDBOX_PROFILE", "image", { backend: "local", image: "debian" }],
  ["SANDBOX_PROFILE", "limits.memoryMegabytes", { backend: "bubblewrap", limits: { memoryMegabytes: 0.5 } }],
  ["SANDBOX_PROFILE", "environment[0]", { backend: "local", environment: ["A=b"] }],
  ["DEFAULTS", "retention.sessionDays", { retention: { sessionDays: 0 } }],
  ["DEFAULTS", "agent.recursionLimit", { agent: { recursionLimit: 0 } }],
];

it.each(refused)("%s refuses what is wrong at %s: %j", (kind, path, definition) => {
  expect(pathsOf(kind, definition)).toContain(path);
});

it.each<[ConfigKind, string, Record<string, unknown>]>([
  ["AGENT", "systemPrompt", { systemPrompt: "Use sk-abcdefghijklmnopqrstuvwx for calls" }],
  ["PROVIDER", "apiKeyEnv", { type: "openai", model: "m", apiKeyEnv: "sk-abcdefghijklmnopqrstuvwx" }],
  ["SKILL", 'files["SKILL.md"]', { description: "d", files: { "SKILL.md": "token ghp_abcdefghijklmnopqrstuvwxyz" } }],
  [
    "PROVIDER",
    "extra.deep[0].more",
    { type: "openai", model: "m", extra: { deep: [{ more: "AKIAABCDEFGHIJKLMNOP" }] } },
  ],
])("%s refuses a secret at %s", (kind, path, definition) => {
  expect(checkDefinition(kind, definition).issues).toContainEqual({ path, message: expect.stringMatching(/secret/) });
});

it.each<[ConfigKind, Record<string, unknown>]>([
  ["PROVIDER", { priority: 0, maxRetries: 2 }],
  ["AGENT", { mode: "ALL", hidden: false, kind: "react", interruptOn: {}, memory: [], busyPolicy: "REJECT" }],
  ["MCP_SERVER", { transport: "streamable_http", required: true }],
  ["SANDBOX_PROFILE", { network: "none", environment: [] }],
])("%s that leaves things out is used with %j", (kind, filled) => {
  expect(checkDefinition(kind, least[kind]).definition).toMatchObject(filled);
});

it("takes every decision that a person may have, and each mode, transport and media type", () => {
  const wanted: [ConfigKind, Record<string, unknown>][] = [
    ...["PRIMARY", "SUBAGENT", "ALL"].map((mode): [ConfigKind, Record<string, unknown>] => ["AGENT", { mode }]),
    ["AGENT", { interruptOn: { send: ["APPROVE", "EDIT", "REJECT", "RESPOND"] } }],
    ["AGENT", { a2a: { exposed: true, defaultInputModes: ["text/plain", "image/*"], skills: [card] } }],
    ["AGENT", { temperature: 0 }],
    ["AGENT", { temperature: 2 }],
    ["AGENT", { publication: { maxBytes: 1 } }],
    ["MCP_SERVER", { url: "http://example.com/mcp", transport: "sse" }],
    ["PROVIDER", { type: "bedrock", model: "m", region: "eu-west-1", roleArn: "arn:aws:iam::1:role/x" }],
    ["PROVIDER", { type: "openai-compatible", model: "m", baseUrl: "https://models.example.com/v1" }],
  ];
  expect(wanted.flatMap(([kind, definition]) => checkDefinition(kind, definition).issues)).toEqual([]);
});

it.each(["", "-a", "a-", "A", "a b", "a.b", "x".repeat(101)])("no definition has the name %j", (name) => {
  expect(EntityName.safeParse(name).success).toBe(false);
});

it.each(["a", "7", "support_desk-2", "x".repeat(100)])("a definition may have the name %j", (name) => {
  expect(EntityName.safeParse(name).success).toBe(true);
});

describe("an agent's defaults", () => {
  const defaults = { provider: "main", agent: { interruptOn: { send: ["APPROVE" as const] }, recursionLimit: 7 } };

  it("apply where it says nothing", () => {
    expect(withDefaults({}, defaults)).toEqual({ provider: "main", ...defaults.agent });
    expect(withDefaults({ recursionLimit: 9 }, defaults)).toMatchObject({ recursionLimit: 9, provider: "main" });
  });

  it("do not apply where it says that there is nothing, or names a model of its own", () => {
    const model = { provider: "scripted", model: "guide" };
    const own = withDefaults({ interruptOn: {}, model }, defaults);
    expect(own).toEqual({ interruptOn: {}, model, recursionLimit: 7 });
  });

  it("bring the project's budget", () => {
    expect(withDefaults({}, { budgets: { tokensPerRun: 5 } })).toEqual({ budget: { tokensPerRun: 5 } });
    expect(withDefaults({ budget: { tokensPerRun: 9 } }, { budgets: { tokensPerRun: 5 } })).toMatchObject({
      budget: { tokensPerRun: 9 },
    });
  });
});

it.each([[[]], [["tools", 2, "name"]], [["files", "../a b.md"]], [['a"b]\\', 0, "x.y"]], [["headers", "X-Key"]]])(
  "reads the path that it writes: %j",
  (path) => {
    expect(pathKeys(pathText(path))).toEqual(path);
  },
);

it("writes paths as people write them", () => {
  expect(pathText([])).toBe("");
  expect(pathText(["tools", 2, "name"])).toBe("tools[2].name");
  expect(pathText(["files", "../a b.md"])).toBe('files["../a b.md"]');
});
