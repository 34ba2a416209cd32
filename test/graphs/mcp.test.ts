import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { type Manifest, McpServerDefinition } from "@wheelhouse/domain";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { parseAllowList } from "../../apps/server/src/outgoing/allowed-addresses.ts";
import { guardedHttp } from "../../apps/server/src/outgoing/guarded-http.ts";
import { callsAsAsked } from "./call-as-asked.ts";
import { openRealServer, type RealServer, type RealServerOptions } from "./mcp-servers.ts";
import { manifestOf, type RunTrace, requestOf, says, testHost, trace } from "./run-in-host.ts";

const secret = "Bearer t0ken-of-the-shop";
const env = { SHOP_AUTHORIZATION: secret };
const text = (said: string) => ({ content: [{ type: "text" as const, text: said }] });

const shopTools: RealServerOptions["tools"] = (server, { called, headers }) => {
  const named = (name: string, answers: (args: { id: string }) => unknown) =>
    server.registerTool(name, { description: `The ${name}.`, inputSchema: { id: z.string() } }, async (args) => {
      called.push(name);
      return text(String(await answers(args)));
    });
  named("order", ({ id }) => `Order ${id} was sent.`);
  named("repeat_headers", () => `You sent ${headers.authorization}`);
  named("explode", () => {
    throw new Error("The stock is not reachable.");
  });
  named("sleep", () => new Promise(() => undefined));
};

const servers: RealServer[] = [];
async function open(options: Partial<RealServerOptions> = {}): Promise<RealServer> {
  const server = await openRealServer({ tools: shopTools, ...options });
  servers.push(server);
  return server;
}
let shop: RealServer;
beforeAll(async () => {
  shop = await open();
});
const hostOf = (more: Parameters<typeof testHost>[0] = {}) =>
  testHost({ env, scripts: { calls: callsAsAsked }, ...more });
const host = hostOf();
afterAll(async () => {
  await host[Symbol.asyncDispose]();
  for (const server of servers) await server[Symbol.asyncDispose]();
});

type Written = Record<string, unknown>;

function manifestWith(mcpServers: Record<string, Written>, more: Written = {}): Manifest {
  const definition = { model: { provider: "scripted", model: "calls" }, mcpServers: Object.keys(mcpServers), ...more };
  const parsed = Object.entries(mcpServers).map(([name, each]) => [name, McpServerDefinition.parse(each)]);
  return { ...manifestOf("buyer", definition), mcpServers: Object.fromEntries(parsed) };
}

const call = (
  mcpServers: Record<string, Written>,
  name: string,
  { on = host, args = { id: "7" }, ...more }: Written & { on?: ReturnType<typeof testHost>; args?: unknown } = {},
): Promise<RunTrace> => trace(on, requestOf(manifestWith(mcpServers, more), says(JSON.stringify({ name, args }))));

const said = (run: RunTrace) => run.messages.at(-1)?.content;
const failureOf = (run: RunTrace) => (run.end.status === "FAILED" ? run.end.failure : run.end.status);
const unavailableIn = (run: RunTrace) =>
  run.events
    .filter(({ type }) => type === "mcp.unavailable")
    .map(({ payload, visibility }) => ({ ...payload, visibility }));

describe.each(["streamable_http", "sse"] as const)("a server that is reached by %s", (transport) => {
  let server: RealServer;
  beforeAll(async () => {
    server = await open({ transport });
  });

  it("gives its tools to the model, and the answers of the calls", async () => {
    const run = await call({ shop: { url: server.url, transport } }, "order");
    expect(said(run)).toBe("Answer: Order 7 was sent.");
    expect(run.steps.filter(({ kind }) => kind === "TOOL")).toMatchObject([{ name: "order", status: "COMPLETED" }]);
  });

  it("gets its headers by the names of variables, and cannot show them to the model", async () => {
    const definition = { url: server.url, transport, headers: { Authorization: "SHOP_AUTHORIZATION" } };
    const before = server.requests.length;
    const run = await call({ shop: definition }, "repeat_headers");
    expect(said(run)).toBe("Answer: You sent [redacted]");
    expect(JSON.stringify(run.outputs)).not.toContain("t0ken");
    const sent = server.requests.slice(before);
    expect(sent.length).toBeGreaterThan(2);
    expect(new Set(sent.map(({ headers }) => headers.authorization))).toEqual(new Set([secret]));
  });

  it("tells the model what a tool failed with, and the run goes on", async () => {
    const run = await call({ shop: { url: server.url, transport } }, "explode");
    expect(run.end.status).toBe("SUCCEEDED");
    expect(said(run)).toBe("Answer: The stock is not reachable.");
    expect(run.steps.find(({ kind }) => kind === "TOOL")).toMatchObject({ status: "FAILED" });
  });

  it("is given up when a call takes longer than it may", async () => {
    const run = await call({ shop: { url: server.url, transport, timeoutSeconds: 1 } }, "sleep");
    expect(run.end.status).toBe("SUCCEEDED");
    expect(said(run)).toMatch(/did not answer in time/);
  });

  it("is connected to again when it was started again", async () => {
    const mcpServers = { shop: { url: server.url, transport } };
    expect(said(await call(mcpServers, "order"))).toContain("sent");
    server.forget();
    const next = [said(await call(mcpServers, "order")), said(await call(mcpServers, "order"))];
    expect(next[1]).toBe("Answer: Order 7 was sent.");
    // A stream that is found lost in the middle of a call leaves open whether the call was made: that one is not repeated.
    if (transport === "streamable_http") expect(next[0]).toBe(next[1]);
    else expect(next[0]).toMatch(/^Answer: (The server closed the connection|Order 7 was sent\.)$/);
  });
});

describe("what an agent sees of a server", () => {
  it("is what the definition allows, under its prefix", async () => {
    const definition = { url: shop.url, allowTools: ["order", "explode"], toolPrefix: "shop" };
    expect(said(await call({ shop: definition }, "nothing"))).toBe("I have no nothing, only shop_order, shop_explode.");
    expect(said(await call({ shop: definition }, "shop_order"))).toContain("Order 7 was sent");
  });

  it("may ask first", async () => {
    const run = await call({ shop: { url: shop.url } }, "order", { interruptOn: { order: ["APPROVE"] } });
    if (run.end.status !== "INTERRUPTED") throw new Error(run.end.status);
    expect(run.end.interrupts).toMatchObject([{ actionRequests: [{ name: "order", description: "The order." }] }]);
  });

  it("is its subagents' as well", async () => {
    const manifest = manifestWith({ shop: { url: shop.url } }, { kind: "deep", subagents: ["clerk"], mcpServers: [] });
    const clerk = manifestWith({ shop: { url: shop.url } }, { description: "Knows orders." }).definition;
    if (clerk === null) throw new Error("it has a definition");
    const description = JSON.stringify({ name: "order", args: { id: "9" } });
    const asked = JSON.stringify({ name: "task", args: { subagent_type: "clerk", description } });
    const run = await trace(host, requestOf({ ...manifest, subagents: { clerk } }, says(asked)));
    expect(said(run)).toBe("Answer: Answer: Order 9 was sent.");
  });

  it("is drawn without calling it", async () => {
    const before = shop.requests.length;
    const drawn = await host.draw(manifestWith({ shop: { url: shop.url } }));
    expect(drawn.nodes.map(({ id }) => id)).toContain("tools");
    expect(shop.requests.length).toBe(before);
  });

  it.each([
    ["two servers", { a: {}, b: {} }, {}],
    ["a server and a built-in tool", { a: { toolPrefix: "write" } }, { kind: "deep" }],
  ])("must not have one name twice, of %s", async (_, named, more) => {
    const files = await open({
      tools: (server) => void server.registerTool("file", { inputSchema: {} }, async () => text("written")),
    });
    const mcpServers = Object.fromEntries(
      Object.entries(named).map(([name, each]) => [name, { url: files.url, ...each }]),
    );
    const run = await call(mcpServers, "file", more);
    expect(failureOf(run)).toMatchObject({
      code: "CONFIG_INVALID",
      message: expect.stringMatching(/Two tools .* named/),
    });
    expect(run.steps).toEqual([]);
  });
});

const many: RealServerOptions["tools"] = (server: McpServer) => {
  for (let i = 0; i < 500; i++) server.registerTool(`tool_${i}`, { inputSchema: {} }, async () => text("done"));
};

describe("a server that cannot be used", () => {
  const wrong: [string, string, string, () => Promise<Written>][] = [
    [
      "hangs",
      "TIMEOUT",
      "TOOL_ERROR",
      async () => ({ timeoutSeconds: 0.2, url: (await open({ instead: () => true })).url }),
    ],
    [
      "accepts no header",
      "AUTHENTICATION",
      "CONFIG_INVALID",
      async () => ({
        url: (await open({ instead: (_, response) => !!response.writeHead(401).end(`no ${secret}`) })).url,
      }),
    ],
    [
      "is broken",
      "UNREACHABLE",
      "TOOL_ERROR",
      async () => ({ url: (await open({ instead: (_, response) => !!response.writeHead(500).end("stack") })).url }),
    ],
    [
      "is something else",
      "PROTOCOL",
      "CONFIG_INVALID",
      async () => ({ url: (await open({ instead: (_, response) => !!response.end("<html>hello</html>") })).url }),
    ],
    [
      "leads elsewhere",
      "UNREACHABLE",
      "TOOL_ERROR",
      async () => ({
        url: (await open({ instead: (_, r) => !!r.writeHead(307, { location: "http://169.254.169.254/x" }).end() }))
          .url,
      }),
    ],
    ["lists 500 tools", "TOO_MANY_TOOLS", "CONFIG_INVALID", async () => ({ url: (await open({ tools: many })).url })],
    ["is not there", "UNREACHABLE", "TOOL_ERROR", async () => ({ url: "http://127.0.0.1:9/mcp" })],
    ["is in a private network", "REFUSED", "CONFIG_INVALID", async () => ({ url: "http://10.1.2.3/mcp" })],
    [
      "needs a variable that is not set",
      "CONFIGURATION",
      "CONFIG_INVALID",
      async () => ({ url: shop.url, headers: { Authorization: "NO_SUCH_VARIABLE" } }),
    ],
  ];

  it.each(wrong)(
    "because it %s, stops the run before the model when it is required",
    async (_, category, code, make) => {
      const definition = await make();
      const run = await call({ broken: definition, shop: { url: shop.url } }, "order");
      expect(failureOf(run)).toMatchObject({
        code,
        message: expect.stringMatching(/^The MCP server "broken" is required/),
      });
      expect(run.steps).toEqual([]);
      expect(JSON.stringify(run.outputs)).not.toContain("t0ken");
      const parsed = McpServerDefinition.parse(definition);
      const scope = { project: "default" };
      expect(await host.mcpReadiness({ name: "broken", definition: parsed, scope })).toMatchObject({
        status: "UNAVAILABLE",
        category,
      });
    },
  );

  it.each(wrong)(
    "because it %s, takes nothing but its own tools away when it is not",
    async (_, category, _code, make) => {
      const definition = { required: false, ...(await make()) };
      const run = await call({ broken: definition, shop: { url: shop.url } }, "order");
      expect(said(run)).toBe("Answer: Order 7 was sent.");
      expect(unavailableIn(run)).toMatchObject([{ server: "broken", category, visibility: "OPERATOR" }]);
      expect(JSON.stringify(run.outputs)).not.toContain("t0ken");
    },
  );

  it("may list more tools than a definition allows", async () => {
    const server = await open({ tools: many });
    const run = await call({ many: { url: server.url, allowTools: ["tool_3", "tool_499"] } }, "tool_499", { args: {} });
    expect(said(run)).toBe("Answer: done");
  });

  it("is not defined", async () => {
    const { mcpServers: _, ...manifest } = manifestWith({ shop: { url: shop.url } });
    const run = await trace(host, requestOf(manifest, says("{}")));
    expect(failureOf(run)).toMatchObject({ code: "CONFIG_INVALID", message: 'The MCP server "shop" is not defined.' });
  });
});

describe("connections", () => {
  const scope = { project: "default" };
  const definitionOf = (server: RealServer) => McpServerDefinition.parse({ url: server.url });

  it("are kept between runs, one for each scope, and closed with the host", async () => {
    const server = await open();
    const own = hostOf();
    const manifest = manifestWith({ shop: { url: server.url } });
    const start = says(JSON.stringify({ name: "order", args: { id: "1" } }));
    await trace(own, requestOf(manifest, start));
    await trace(own, requestOf(manifest, start));
    expect(server.conversations).toBe(1);
    await trace(own, requestOf(manifest, start, { scope: { project: "other" } }));
    expect(server.conversations).toBe(2);
    await own[Symbol.asyncDispose]();
    expect(server.conversations).toBe(0);
  });

  it("are bounded, but a run that goes on keeps its own", async () => {
    await using own = hostOf({ limits: { scriptedDelayMs: 0, abortGraceMs: 100, maxMcpConnections: 1 } });
    let release: () => void = () => undefined;
    let begun: () => void = () => undefined;
    const started = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const slow = await open({
      tools: (server) =>
        void server.registerTool("wait", { inputSchema: {} }, async () => {
          begun();
          await new Promise<void>((resolve) => {
            release = resolve;
          });
          return text("waited");
        }),
    });
    const [one, two] = [await open(), await open()];
    const running = call({ slow: { url: slow.url } }, "wait", { on: own, args: {} });
    await started;
    await call({ one: { url: one.url } }, "order", { on: own });
    await call({ two: { url: two.url } }, "order", { on: own });
    await Promise.all([one.until(0), two.until(0)]);
    expect(slow.conversations).toBe(1);
    release();
    expect(said(await running)).toBe("Answer: waited");
  });

  it("are closed when nobody has used them for a while", async () => {
    const server = await open({ transport: "sse" });
    await using own = hostOf({ limits: { scriptedDelayMs: 0, mcpIdleMs: 1 } });
    await call({ shop: { url: server.url, transport: "sse" } }, "order", { on: own });
    await server.until(0);
  });

  it("list again what is not fresh any more: the next run sees the server's new tools", async () => {
    let now = 1_800_000_000_000;
    const grown = { is: false };
    const server = await open({
      tools: (mcp, heard) => {
        shopTools(mcp, heard);
        if (grown.is) mcp.registerTool("invoice", { inputSchema: {} }, async () => text("Paid."));
      },
    });
    await using own = hostOf({ clock: { now: () => new Date(now) } });
    const mcpServers = { shop: { url: server.url } };
    expect(said(await call(mcpServers, "invoice", { on: own }))).toMatch(/^I have no invoice/);
    grown.is = true;
    server.forget();
    now += 61_000;
    expect(said(await call(mcpServers, "invoice", { on: own, args: {} }))).toBe("Answer: Paid.");
  });

  it("are what observations come from, which count for a while", async () => {
    let now = 1_800_000_000_000;
    await using own = hostOf({ clock: { now: () => new Date(now) } });
    const target = { name: "shop", definition: definitionOf(shop), scope };
    expect(await own.mcpReadiness(target)).toEqual({ status: "UNKNOWN", reason: "NOT_OBSERVED" });
    const seen = await own.mcpReadiness(target, { observe: true });
    expect(seen).toMatchObject({
      status: "READY",
      observedAt: new Date(now),
      toolNames: ["order", "repeat_headers", "explode", "sleep"],
      schemaDigest: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(await own.mcpReadiness({ ...target, scope: { project: "other" } })).toMatchObject({
      reason: "NOT_OBSERVED",
    });
    now += 60_000;
    expect(await own.mcpReadiness(target)).toEqual({ status: "UNKNOWN", reason: "STALE", last: seen });
  });
});

describe("a host that may call nothing on this machine", () => {
  it("connects to no server there, also when a public name leads to it", async () => {
    const resolve = async () => [{ address: "127.0.0.1", family: 4 }];
    await using closed = hostOf({ outgoing: guardedHttp({ allow: parseAllowList([]), resolve }) });
    const before = shop.requests.length;
    for (const url of [shop.url, shop.url.replace("127.0.0.1", "mcp.example")]) {
      const run = await call({ shop: { url } }, "order", { on: closed });
      expect(failureOf(run)).toMatchObject({ message: expect.stringMatching(/private or reserved network/) });
    }
    expect(shop.requests.length).toBe(before);
  });
});
