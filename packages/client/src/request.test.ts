import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import type { TypedDocumentNode } from "@graphql-typed-document-node/core";
import { parse } from "graphql";
import { describe, expect, it } from "vitest";
import { createClient } from "./create-client.ts";

const greeting = parse(`query Greeting($name: String!) { greeting(name: $name) }`) as TypedDocumentNode<
  { greeting: string },
  { name: string }
>;

async function serve(listener: RequestListener) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/graphql`,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

const answer =
  (status: number, body: string): RequestListener =>
  (_request, response) => {
    response.writeHead(status, { "content-type": "application/graphql-response+json" }).end(body);
  };

describe("request", () => {
  it("sends the printed document with its variables and headers, and answers the data", async () => {
    const received: unknown[] = [];
    await using server = await serve(async (request, response) => {
      let body = "";
      for await (const chunk of request) body += chunk;
      received.push(
        JSON.parse(body),
        request.method,
        request.headers.authorization,
        request.headers["x-wheelhouse-project"],
      );
      response.end(JSON.stringify({ data: { greeting: "Hello" } }));
    });
    const client = createClient({ url: server.url, apiKey: "wh_1", project: "blue" });
    await expect(client.request(greeting, { name: "Ada" })).resolves.toEqual({ greeting: "Hello" });
    expect(received).toEqual([
      {
        query: "query Greeting($name: String!) {\n  greeting(name: $name)\n}",
        operationName: "Greeting",
        variables: { name: "Ada" },
      },
      "POST",
      "Bearer wh_1",
      "blue",
    ]);
  });

  it("throws the errors with their code, status and request id", async () => {
    const errors = [{ message: "No such session", extensions: { code: "NOT_FOUND", requestId: "r1" } }];
    await using server = await serve(answer(200, JSON.stringify({ errors, data: null })));
    await expect(createClient({ url: server.url }).request(greeting, { name: "Ada" })).rejects.toMatchObject({
      name: "GraphQLRequestError",
      message: "No such session",
      code: "NOT_FOUND",
      requestId: "r1",
      status: 200,
      errors,
    });
  });

  it("keeps the part of the data that could be answered", async () => {
    const body = JSON.stringify({ errors: [{ message: "half" }], data: { greeting: "Hel" } });
    await using server = await serve(answer(200, body));
    await expect(createClient({ url: server.url }).request(greeting, { name: "Ada" })).rejects.toMatchObject({
      code: "UNKNOWN",
      data: { greeting: "Hel" },
    });
  });

  it.each([
    [502, "<html>bad gateway</html>"],
    [200, `"text"`],
    [401, `{"message":"who are you"}`],
  ])("says so when something else than GraphQL answers: %i %s", async (status, body) => {
    await using server = await serve(answer(status, body));
    await expect(createClient({ url: server.url }).request(greeting, { name: "Ada" })).rejects.toMatchObject({
      code: `HTTP_${status}`,
      status,
    });
  });

  it("says NETWORK when nothing answers", async () => {
    const server = await serve(answer(200, "{}"));
    await server[Symbol.asyncDispose]();
    await expect(createClient({ url: server.url }).request(greeting, { name: "Ada" })).rejects.toMatchObject({
      code: "NETWORK",
      status: null,
    });
  });

  it("stops with the signal's own reason", async () => {
    const controller = new AbortController();
    await using server = await serve(() => controller.abort());
    const asked = createClient({ url: server.url }).request(greeting, { name: "Ada" }, { signal: controller.signal });
    await expect(asked).rejects.toMatchObject({ name: "AbortError" });
  });

  it("asks for fresh headers before each call", async () => {
    const tokens: unknown[] = [];
    await using server = await serve((request, response) => {
      tokens.push(request.headers["x-token"]);
      response.end(JSON.stringify({ data: { greeting: "" } }));
    });
    let issued = 0;
    const client = createClient({ url: server.url, headers: async () => ({ "x-token": String(++issued) }) });
    await client.request(greeting, { name: "Ada" });
    await client.request(greeting, { name: "Ada" });
    expect(tokens).toEqual(["1", "2"]);
  });
});
