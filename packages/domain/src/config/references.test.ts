import { expect, it } from "vitest";
import { mergePatch } from "./merge-patch.ts";
import { referencesOf } from "./references.ts";

it("an agent names tools, skills, subagents, servers, its provider and its sandbox, each at its place", () => {
  const agent = {
    systemPrompt: "tools: x",
    tools: ["find", "send"],
    skills: ["write"],
    subagents: ["helper"],
    mcpServers: ["docs"],
    provider: "main",
    sandboxProfile: "box",
    blockedTools: ["rm"],
  };
  expect(referencesOf("AGENT", agent).map(({ path, kind, name }) => [path, kind, name])).toEqual([
    ["tools[0]", "TOOL", "find"],
    ["tools[1]", "TOOL", "send"],
    ["skills[0]", "SKILL", "write"],
    ["subagents[0]", "AGENT", "helper"],
    ["mcpServers[0]", "MCP_SERVER", "docs"],
    ["provider", "PROVIDER", "main"],
    ["sandboxProfile", "SANDBOX_PROFILE", "box"],
  ]);
});

it("a project's defaults name what they give to agents; other kinds name nothing", () => {
  const defaults = { provider: "main", agent: { mcpServers: ["docs"], recursionLimit: 5 } };
  expect(referencesOf("DEFAULTS", defaults).map(({ path }) => path)).toEqual(["provider", "agent.mcpServers[0]"]);
  expect(referencesOf("TOOL", { type: "code", tool: "find" })).toEqual([]);
});

it.each([
  [{ a: "b" }, { a: "c" }, { a: "c" }],
  [{ a: "b", b: "c" }, { a: null }, { b: "c" }],
  [{ a: ["b"] }, { a: "c" }, { a: "c" }],
  [{ a: { b: "c", x: 1 } }, { a: { b: "d", c: null } }, { a: { b: "d", x: 1 } }],
  [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
  [["a"], { a: 1 }, { a: 1 }],
  [{ a: "foo" }, "bar", "bar"],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
])("a merge patch of %j with %j makes %j", (target, patch, merged) => {
  expect(mergePatch(target, patch)).toEqual(merged);
});

it("a patch cannot reach a prototype", () => {
  const patched = mergePatch({}, JSON.parse('{"__proto__": {"polluted": true}}'));
  expect(Reflect.get({}, "polluted")).toBeUndefined();
  expect(Object.getPrototypeOf(patched)).toBe(Object.prototype);
});
