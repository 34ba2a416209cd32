import { type Manifest, ResolvedAgentDefinition } from "@wheelhouse/domain";
import { afterAll, expect, it } from "vitest";
import { parseAllowList } from "../../apps/server/src/outgoing/allowed-addresses.ts";
import { guardedHttp } from "../../apps/server/src/outgoing/guarded-http.ts";
import { manifestOf, testHost } from "./run-in-host.ts";

const resolve = async (host: string) => [{ address: host.startsWith("inside") ? "10.0.0.1" : "8.8.8.8", family: 4 }];
const outgoing = guardedHttp({ allow: parseAllowList([]), resolve });
const host = testHost({ outgoing, env: { SET: "value-of-set" } });
afterAll(() => host[Symbol.asyncDispose]());

const guide = { provider: "scripted", model: "guide" } as const;
const http = {
  type: "http",
  description: "Asks.",
  method: "GET",
  argumentsSchema: {},
  timeoutSeconds: 5,
  maxResponseBytes: 99,
} as const;
const server = { transport: "streamable_http", required: true, timeoutSeconds: 5 } as const;

it("tells everything that is wrong at once, each at its place, and calls nobody", async () => {
  const manifest: Manifest = {
    ...manifestOf("desk", {
      model: { provider: "openai", model: "gpt-5" },
      tools: ["inside", "keyed", "search", "gone", "renamed"],
      skills: ["refunds", "none"],
      mcpServers: ["shop", "inner", "lost"],
      sandboxProfile: "box",
      subagents: ["helper"],
    }),
    tools: {
      inside: { ...http, url: "https://inside.example/{id}" },
      keyed: { ...http, url: "https://api.example", headers: { "X-Key": "UNSET" } },
      search: { type: "retrieval", description: "Searches.", collection: "c", topK: 5 },
      renamed: { type: "code", tool: "not_registered" },
    },
    skills: { refunds: { description: "How.", path: "/workspace/refunds" } },
    mcpServers: {
      shop: { ...server, url: "https://shop.example/mcp", headers: { "X-Key": "WHEELHOUSE_SECRET" } },
      inner: { ...server, url: "https://inside.example/mcp", headers: { "X-Key": "SET" } },
    },
    sandboxProfiles: {
      box: { backend: "docker", image: "x", limits: { wallSeconds: 5 }, network: "none", environment: [] },
    },
    subagents: {
      helper: ResolvedAgentDefinition.parse({ model: { provider: "scripted", model: "nobody" }, kind: "deep" }),
    },
  };
  const problems = await host.problems(manifest);
  expect(problems.map(({ path, kind }) => `${path} ${kind}`)).toEqual([
    "kind DEFINITION",
    "model ENVIRONMENT",
    "tools[0] DEFINITION",
    "tools[1] ENVIRONMENT",
    "tools[2] DEFINITION",
    "tools[3] DEFINITION",
    "tools[4] DEFINITION",
    "skills[0] DEFINITION",
    "skills[1] DEFINITION",
    "mcpServers[0] DEFINITION",
    "mcpServers[1] DEFINITION",
    "mcpServers[2] DEFINITION",
    "subagents.helper.model DEFINITION",
  ]);
  expect(problems.map(({ message }) => message).join("\n")).not.toContain("value-of-set");
});

it("is silent when everything is there, and about agents in code", async () => {
  const manifest = {
    ...manifestOf("desk", { model: guide, kind: "deep", tools: ["ask"], skills: ["how"], mcpServers: ["shop"] }),
    tools: { ask: { ...http, url: "https://api.example/{id}", headers: { "X-Key": "SET" } } },
    skills: { how: { description: "How.", body: "So." } },
    mcpServers: { shop: { ...server, url: "https://shop.example/mcp" } },
  };
  expect(await host.problems(manifest)).toEqual([]);
  expect(await host.problems(manifestOf("in-code"))).toEqual([]);
});
