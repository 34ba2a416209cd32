import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tool } from "@langchain/core/tools";
import type { Manifest } from "@wheelhouse/domain";
import { ToolDefinition } from "@wheelhouse/domain";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { parseAllowList } from "../../apps/server/src/outgoing/allowed-addresses.ts";
import { guardedHttp } from "../../apps/server/src/outgoing/guarded-http.ts";
import { callsAsAsked } from "./call-as-asked.ts";
import { manifestOf, type RunTrace, requestOf, says, testHost, trace } from "./run-in-host.ts";

/** A service that answers as the path says, and remembers what it was asked. */
const asked: { method: string; url: string; headers: IncomingMessage["headers"]; body: string }[] = [];
let url = "";
const service = createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request) body += String(chunk);
  asked.push({ method: request.method ?? "", url: request.url ?? "", headers: request.headers, body });
  answer(request, response);
});
let failures = 0;

function answer({ url: path = "", headers }: IncomingMessage, response: ServerResponse): void {
  if (path.startsWith("/echo")) response.end(JSON.stringify({ token: headers["x-token"] }));
  else if (path.startsWith("/long")) response.end("y".repeat(2_000));
  else if (path.startsWith("/away")) response.writeHead(302, { location: `${url}/secret` }).end();
  else if (path.startsWith("/empty")) response.writeHead(204).end();
  else if (path.startsWith("/missing")) response.writeHead(404).end('{"error":"no such order"}');
  else if (path.startsWith("/flaky") && failures-- > 0) response.writeHead(503).end("busy");
  else if (path.startsWith("/silent")) return;
  else response.setHeader("content-type", "application/json").end('{"id":"A 1/2","state":"sent"}');
}

beforeAll(async () => {
  await new Promise<void>((done) => service.listen(0, "127.0.0.1", done));
  url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
});
afterAll(async () => {
  service.closeAllConnections();
  await new Promise((done) => service.close(done));
});

const env = { ORDERS_TOKEN: "t0ken-of-orders", BROKEN_TOKEN: "a\r\nx-admin: yes", WHEELHOUSE_SECRET: "do not tell" };
const host = testHost({
  env,
  scripts: { calls: callsAsAsked },
  tools: [
    tool(({ a, b }) => String(a + b), {
      name: "add",
      description: "Adds.",
      schema: z.object({ a: z.number(), b: z.number() }),
    }),
  ],
});
afterAll(() => host[Symbol.asyncDispose]());

type Written = Parameters<typeof ToolDefinition.parse>[0];

const orders = (more: Record<string, unknown> = {}): Written => ({
  type: "http",
  description: "Looks up an order.",
  url: `${url}/orders/{id}`,
  argumentsSchema: { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
  ...more,
});

function manifestWith(tools: Record<string, Written>, more: Record<string, unknown> = {}): Manifest {
  const definition = {
    model: { provider: "scripted", model: "calls" },
    tools: Object.keys(tools),
    ...more,
  };
  const parsed = Object.fromEntries(Object.entries(tools).map(([name, each]) => [name, ToolDefinition.parse(each)]));
  return { ...manifestOf("caller", definition), tools: parsed };
}

async function call(tools: Record<string, Written>, name: string, args: unknown, on = host): Promise<RunTrace> {
  asked.length = 0;
  return trace(on, requestOf(manifestWith(tools), says(JSON.stringify({ name, args }))));
}
const said = (run: RunTrace) => run.messages.at(-1)?.content;
const failureOf = (run: RunTrace) => (run.end.status === "FAILED" ? run.end.failure : run.end.status);

describe("a tool that is an HTTP call", () => {
  it("fills the address, sends headers by the names of variables, and gives the answer to the model", async () => {
    const run = await call({ order: orders({ headers: { Authorization: "ORDERS_TOKEN" } }) }, "order", { id: "A 1/2" });
    expect(run.end.status).toBe("SUCCEEDED");
    expect(said(run)).toBe('Answer: {"id":"A 1/2","state":"sent"}');
    expect(asked).toMatchObject([
      { method: "GET", url: "/orders/A%201%2F2", headers: { authorization: env.ORDERS_TOKEN } },
    ]);
    expect(JSON.stringify(run.outputs)).not.toContain(env.ORDERS_TOKEN);
    expect(run.events.find(({ type }) => type === "tool.completed")?.payload).toMatchObject({ name: "order" });
  });

  it("puts the other arguments into the query, or into the body where there is one", async () => {
    const properties = { id: { type: "string" }, tags: { type: "array" }, note: { type: "string" } };
    const argumentsSchema = { type: "object", properties };
    const args = { id: "7", tags: ["a&b", "c"], note: "so?" };
    await call({ order: orders({ argumentsSchema, url: `${url}/orders/{id}?full=1` }) }, "order", args);
    expect(asked.map((each) => each.url)).toEqual(["/orders/7?full=1&tags=a%26b&tags=c&note=so%3F"]);
    await call({ order: orders({ argumentsSchema, method: "POST" }) }, "order", args);
    const [posted] = asked;
    expect(posted).toMatchObject({ method: "POST", url: "/orders/7", headers: { "content-type": "application/json" } });
    expect(JSON.parse(posted?.body ?? "")).toEqual({ tags: ["a&b", "c"], note: "so?" });
    expect(posted?.headers["idempotency-key"]).toMatch(/^[0-9a-f]{64}$/);
  });

  it.each(["..", ".", "", "%2e%2e"])("lets no argument (%j) lead to another path", async (id) => {
    const run = await call({ order: orders({ method: "DELETE", url: `${url}/orders/{id}` }) }, "order", { id });
    expect(run.end.status).toBe("SUCCEEDED");
    expect(asked.map((each) => each.url)).toEqual(id === "%2e%2e" ? ["/orders/%252e%252e"] : []);
  });

  it.each([
    ["/missing", /answered with 404: \{"error":"no such order"\}/],
    ["/away", /redirect 302; redirects are not followed/],
    ["/long", /longer than the 1000 bytes/],
    ["/empty", /succeeded with status 204/],
    ["/silent", /No whole answer came within 0\.1 s/],
  ])("tells the model what %s came to, and the run goes on", async (path, expected) => {
    const timeoutSeconds = path === "/silent" ? 0.1 : 30;
    const tools = { order: orders({ url: `${url}${path}/{id}`, maxResponseBytes: 1_000, timeoutSeconds }) };
    const run = await call(tools, "order", { id: "1" });
    expect(run.end.status).toBe("SUCCEEDED");
    expect(said(run)).toMatch(expected);
    expect(asked).toHaveLength(1);
  });

  it("does not give the model back the secret that a service repeats", async () => {
    const tools = { order: orders({ url: `${url}/echo/{id}`, headers: { "X-Token": "ORDERS_TOKEN" } }) };
    const run = await call(tools, "order", { id: "1" });
    expect(asked[0]?.headers["x-token"]).toBe(env.ORDERS_TOKEN);
    expect(said(run)).toBe('Answer: {"token":"[redacted]"}');
  });

  it("calls nothing in a private network, by address or by a name that leads there", async () => {
    const resolve = async () => [{ address: "10.0.0.7", family: 4 }];
    await using closed = testHost({
      scripts: { calls: callsAsAsked },
      outgoing: guardedHttp({ allow: parseAllowList([]), resolve }),
    });
    for (const place of [url, "http://inside.example", "http://169.254.169.254"]) {
      const run = await call({ order: orders({ url: `${place}/{id}` }) }, "order", { id: "1" }, closed);
      expect(run.end.status).toBe("SUCCEEDED");
      expect(said(run)).toMatch(/private or reserved network/);
    }
    expect(asked).toEqual([]);
  });

  it("sends no header whose value would begin another line", async () => {
    const run = await call({ order: orders({ headers: { "X-Token": "BROKEN_TOKEN" } }) }, "order", { id: "1" });
    expect(said(run)).toMatch(/The header X-Token has characters that no header may have/);
    expect(asked).toEqual([]);
  });

  it.each([
    ["a variable that is not set", { "X-Token": "NO_SUCH_TOKEN" }, /NO_SUCH_TOKEN is not set/],
    ["a secret of the installation", { "X-Token": "WHEELHOUSE_SECRET" }, /WHEELHOUSE_SECRET is the installation's own/],
  ])("fails before the model when a header needs %s", async (_, headers, message) => {
    const run = await call({ order: orders({ headers }) }, "order", { id: "1" });
    expect(failureOf(run)).toMatchObject({ code: "CONFIG_INVALID", message: expect.stringMatching(message) });
    expect(run.steps).toEqual([]);
  });

  it("tells the model when its arguments are not those of the schema", async () => {
    const run = await call({ order: orders() }, "order", { id: 7 });
    expect(run.end.status).toBe("SUCCEEDED");
    expect(said(run)).toMatch(/did not match expected schema/);
    expect(asked).toEqual([]);
  });

  it("is another graph when its definition changes", async () => {
    await call({ order: orders() }, "order", { id: "1" });
    await call({ order: orders({ url: `${url}/invoices/{id}` }) }, "order", { id: "1" });
    expect(asked.map((each) => each.url)).toEqual(["/invoices/1"]);
  });
});

describe("a tool that stands for one of the host program", () => {
  it("is called under its own name, and its readers see one call", async () => {
    const run = await call({ plus: { type: "code", tool: "add", description: "Sums." } }, "plus", { a: 2, b: 3 });
    expect(said(run)).toBe("Answer: 5");
    expect(run.steps.filter(({ kind }) => kind === "TOOL").map(({ name }) => name)).toEqual(["plus"]);
  });

  it("fails before the model when the program did not register it", async () => {
    const run = await call({ minus: { type: "code", tool: "subtract" } }, "minus", {});
    expect(failureOf(run)).toMatchObject({ code: "CONFIG_INVALID", message: expect.stringContaining('"subtract"') });
  });
});

it("says of a tool that searches a collection that there is none", async () => {
  const search = { type: "retrieval", description: "Searches.", collection: "handbook" };
  const run = await call({ search }, "search", {});
  expect(failureOf(run)).toMatchObject({ code: "CONFIG_INVALID", message: expect.stringMatching(/has none/) });
});
