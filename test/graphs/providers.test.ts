import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { ModelSelection } from "@wheelhouse/domain";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseAllowList } from "../../apps/server/src/outgoing/allowed-addresses.ts";
import { guardedHttp } from "../../apps/server/src/outgoing/guarded-http.ts";
import { fromPackage, loadProvider } from "../../packages/runtime/src/graph/load-provider.ts";
import { usualKey } from "../../packages/runtime/src/graph/models.ts";
import { manifestOf, type RunTrace, requestOf, says, testHost, trace } from "./run-in-host.ts";

/** A server that speaks the streaming part of OpenAI's protocol. */
const asked: { url: string; headers: IncomingMessage["headers"]; body: Record<string, unknown> }[] = [];
let status = 200;
let baseUrl = "";
const server = createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request) body += String(chunk);
  asked.push({ url: request.url ?? "", headers: request.headers, body: JSON.parse(body) });
  if (status === 200) answer(response);
  else
    response
      .writeHead(status, { "content-type": "application/json" })
      .end('{"error":{"message":"bad key k3y-of-the-model"}}');
});

function answer(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const chunk = (more: Record<string, unknown>) =>
    `data: ${JSON.stringify({ id: "c1", object: "chat.completion.chunk", created: 1, model: "local", ...more })}\n\n`;
  for (const content of ["It ", "works."])
    response.write(chunk({ choices: [{ index: 0, delta: { role: "assistant", content }, finish_reason: null }] }));
  response.write(chunk({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }));
  response.write(chunk({ choices: [], usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 } }));
  response.end("data: [DONE]\n\n");
}

beforeAll(async () => {
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
});

const host = testHost({ env: { LOCAL_KEY: "k3y-of-the-model", DATABASE_URL: "postgres://x" } });
afterAll(() => host[Symbol.asyncDispose]());

const ask = (model: Record<string, unknown>, on = host): Promise<RunTrace> => {
  asked.length = 0;
  return trace(on, requestOf(manifestOf("asker", { model }), says("Does it work?")));
};
const failureOf = (run: RunTrace) => (run.end.status === "FAILED" ? run.end.failure : run.end.status);
const local = () => ({ provider: "openai-compatible", model: "local", baseUrl, maxRetries: 0 });

describe("a provider that speaks OpenAI's protocol", () => {
  it("streams through the one way out, with the key of the named variable and what else is said", async () => {
    status = 200;
    const run = await ask({
      ...local(),
      apiKeyEnv: "LOCAL_KEY",
      temperature: 0.3,
      maxTokens: 50,
      extra: { topP: 0.5 },
    });
    expect(run.messages.at(-1)?.content).toBe("It works.");
    expect(run.events.filter(({ type }) => type === "message.delta")).toHaveLength(2);
    expect(run.modelCalls).toMatchObject([{ promptTokens: 7, completionTokens: 3 }]);
    expect(asked).toMatchObject([
      {
        url: "/v1/chat/completions",
        headers: { authorization: "Bearer k3y-of-the-model" },
        body: { model: "local", temperature: 0.3, max_tokens: 50, top_p: 0.5, stream: true },
      },
    ]);
  });

  it("needs no key", async () => {
    status = 200;
    expect((await ask(local())).end.status).toBe("SUCCEEDED");
  });

  it("fails with what the provider says, without the key, and tries no other", async () => {
    status = 401;
    const run = await ask({ ...local(), apiKeyEnv: "LOCAL_KEY" });
    expect(failureOf(run)).toMatchObject({ code: "MODEL_ERROR", message: expect.stringMatching(/401/) });
    expect(JSON.stringify(failureOf(run))).not.toContain("k3y-of-the-model");
    expect(asked).toHaveLength(1);
  });

  it("tries again as often as it is told", async () => {
    status = 500;
    const run = await ask({ ...local(), maxRetries: 1 });
    expect(failureOf(run)).toMatchObject({ code: "MODEL_ERROR" });
    expect(asked).toHaveLength(2);
  });

  it("is not called in a private network that nobody allowed", async () => {
    await using closed = testHost({ outgoing: guardedHttp({ allow: parseAllowList([]) }) });
    const run = await ask(local(), closed);
    expect(failureOf(run)).toMatchObject({
      code: "CONFIG_INVALID",
      message: expect.stringMatching(/private or reserved/),
    });
    expect(run.steps).toEqual([]);
    expect(asked).toEqual([]);
  });
});

describe("a model that cannot be called", () => {
  it.each([
    ["openai", {}, /OPENAI_API_KEY is not set/],
    ["anthropic", {}, /ANTHROPIC_API_KEY is not set/],
    ["google-genai", {}, /GOOGLE_API_KEY is not set/],
    ["google-vertexai", { apiKeyEnv: "VERTEX_KEY" }, /VERTEX_KEY is not set/],
    ["bedrock", { apiKeyEnv: "BEDROCK_KEY", region: "eu-west-1" }, /BEDROCK_KEY is not set/],
    ["openai", { apiKeyEnv: "DATABASE_URL" }, /DATABASE_URL is the installation's own/],
  ])("of %s fails before anything is called: %j", async (provider, more, message) => {
    const run = await ask({ provider, model: "some-model", ...more });
    expect(failureOf(run)).toMatchObject({ code: "CONFIG_INVALID", message: expect.stringMatching(message) });
    expect(run.steps).toEqual([]);
  });

  it("names the provider whose package is not installed", async () => {
    const missing = () => import("@wheelhouse/no-such-package" as string);
    await expect(fromPackage("bedrock", missing)).rejects.toMatchObject({
      failure: { code: "CONFIG_INVALID", message: expect.stringMatching(/bedrock is not installed/) },
    });
  });

  it("says of options that its client does not accept no more than that, as the client repeats the key", async () => {
    await using other = testHost({ env: { VERTEX_KEY: "k3y-of-vertex" } });
    const run = await ask({ provider: "google-vertexai", model: "no-such-model", apiKeyEnv: "VERTEX_KEY" }, other);
    expect(failureOf(run)).toEqual({
      code: "CONFIG_INVALID",
      message: "The client of the provider google-vertexai does not accept the options of the model no-such-model.",
    });
  });
});

describe("the client of a provider", () => {
  const outgoing = guardedHttp({ allow: parseAllowList([]) });
  const known = Object.keys(usualKey) as (keyof typeof usualKey)[];

  const modelOf = (provider: string) => (provider === "google-vertexai" ? "gemini-2.5-flash" : "some-model");

  it.each(known)("%s is installed and takes what a definition says", async (provider) => {
    const { make } = await loadProvider(provider);
    const selection = ModelSelection.parse({
      ...{ provider, model: modelOf(provider), temperature: 0.5, maxTokens: 100, maxRetries: 1, timeoutSeconds: 5 },
      ...(provider === "openai-compatible" ? { baseUrl: "https://models.example/v1" } : {}),
      ...(provider === "bedrock" ? { region: "eu-west-1", roleArn: "arn:aws:iam::1:role/x" } : {}),
    });
    const model = make(selection, { apiKey: provider === "ollama" ? undefined : "a-key", outgoing });
    expect(model).toMatchObject({ model: modelOf(provider), temperature: 0.5 });
    const limit = ["maxTokens", "maxOutputTokens", "numPredict"].map((name) => Reflect.get(model, name));
    expect(limit).toContain(100);
  });
});
