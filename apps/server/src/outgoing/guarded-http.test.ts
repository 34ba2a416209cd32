import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import type { OutgoingCall } from "@wheelhouse/runtime";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseAllowList } from "./allowed-addresses.ts";
import { type Address, guardedHttp } from "./guarded-http.ts";

/** A receiver that does what the path says, and remembers who asked for what. */
const seen: { path: string; host: string | undefined; headers: IncomingMessage["headers"]; body: string }[] = [];
const dripping: ServerResponse[] = [];
let receiver: Server;
let port: number;

function answer(path: string, response: ServerResponse): void {
  switch (path) {
    case "/redirect":
      response.writeHead(302, { location: `http://127.0.0.1:${port}/secret` }).end();
      return;
    case "/huge":
      response.writeHead(200);
      // More than any limit of these tests; the writing ends when the reader leaves.
      for (let i = 0; i < 200; i++) response.write("x".repeat(10_000));
      response.end();
      return;
    case "/silent":
      return;
    case "/drip":
      dripping.push(response);
      response.writeHead(200).write("never ");
      return;
    case "/cut":
      response.writeHead(200, { "content-length": "100" }).write("half");
      response.destroy();
      return;
    default:
      response.writeHead(200, { "x-answer": "yes" }).end("hello");
  }
}

beforeAll(async () => {
  receiver = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    seen.push({ path: request.url ?? "", host: request.headers.host, headers: request.headers, body });
    answer(request.url ?? "", response);
  });
  await new Promise<void>((done) => receiver.listen(0, "127.0.0.1", done));
  port = (receiver.address() as AddressInfo).port;
});
afterAll(async () => {
  receiver.closeAllConnections();
  await new Promise((done) => receiver.close(done));
});

const call = (url: string, more: Partial<OutgoingCall> = {}): OutgoingCall => ({
  method: "POST",
  url,
  headers: { "content-type": "application/json" },
  body: "{}",
  timeoutMs: 5_000,
  maxResponseBytes: 1_000,
  ...more,
});
const here: Address = { address: "127.0.0.1", family: 4 };
/** A resolver with fixed answers; the last one stays. */
function answering(...answers: Address[][]) {
  const asked: string[] = [];
  const resolve = async (host: string): Promise<Address[]> => {
    asked.push(host);
    return answers[Math.min(asked.length, answers.length) - 1] ?? [];
  };
  return { asked, resolve };
}
const local = () => guardedHttp({ allow: parseAllowList(["127.0.0.1"]) });
const closed = () => guardedHttp({ allow: parseAllowList([]) });

describe("a guarded call", () => {
  it("brings the answer of an allowed address", async () => {
    const got = await local().send(call(`http://127.0.0.1:${port}/ok`));
    expect(got).toMatchObject({ status: 200, body: "hello", truncated: false, headers: { "x-answer": "yes" } });
    expect(seen.at(-1)).toMatchObject({ path: "/ok", body: "{}", headers: { "content-length": "2" } });
  });

  it.each([
    ["a plain private address", () => `http://127.0.0.1:${port}/`],
    ["hexadecimal parts", () => `http://0x7f.1:${port}/`],
    ["a decimal number", () => `http://2130706433:${port}/`],
    ["octal parts", () => `http://0177.0.0.01:${port}/`],
    ["full-width digits", () => `http://１２７.０.０.１:${port}/`],
    ["IPv6", () => `http://[::1]:${port}/`],
    ["IPv4 mapped into IPv6", () => `http://[::ffff:127.0.0.1]:${port}/`],
    ["IPv4 mapped into IPv6 in hexadecimal", () => `http://[::ffff:7f00:1]:${port}/`],
    ["zero", () => `http://0:${port}/`],
    ["a name of this machine", () => `http://localhost:${port}/`],
    ["a name of this machine with the root's dot", () => `http://localhost.:${port}/`],
    ["a cloud's machine services", () => "http://169.254.169.254/latest/meta-data/"],
    ["credentials", () => `http://user:password@example.com/`],
    ["files", () => "file:///etc/passwd"],
    ["other protocols", () => "gopher://127.0.0.1/"],
    ["no URL", () => "/relative"],
  ])("refuses %s before anything is sent", async (_, url) => {
    const before = seen.length;
    await expect(closed().send(call(url()))).rejects.toMatchObject({ name: "OutgoingRefused" });
    expect(await closed().refusalOf(url())).toEqual(expect.any(String));
    expect(seen.length).toBe(before);
  });

  it("refuses a name that leads to a private address, alone or among public ones", async () => {
    for (const addresses of [[here], [{ address: "8.8.8.8", family: 4 }, here], [{ address: "fe80::1", family: 6 }]]) {
      const { resolve } = answering(addresses);
      const guarded = guardedHttp({ allow: parseAllowList([]), resolve });
      await expect(guarded.send(call(`http://rebind.example:${port}/`))).rejects.toThrow(/private or reserved/);
    }
  });

  it("connects to the address that it checked: a name that changes its mind is asked once", async () => {
    // Allowed at first, and somewhere else whenever it is asked again.
    const { resolve, asked } = answering([here], [{ address: "203.0.113.9", family: 4 }]);
    const guarded = guardedHttp({ allow: parseAllowList(["127.0.0.1"]), resolve });
    const got = await guarded.send(call(`http://rebind.example:${port}/pinned`));
    expect(got.status).toBe(200);
    expect(asked).toEqual(["rebind.example"]);
    expect(seen.at(-1)).toMatchObject({ path: "/pinned", host: `rebind.example:${port}` });
  });

  it("calls a host that is allowed by name wherever it is, and no host that only ends with it", async () => {
    const { resolve } = answering([here]);
    const guarded = guardedHttp({ allow: parseAllowList(["hooks.internal"]), resolve });
    expect((await guarded.send(call(`http://Hooks.Internal.:${port}/`))).status).toBe(200);
    await expect(guarded.send(call(`http://evil-hooks.internal:${port}/`))).rejects.toThrow(/private or reserved/);
    await expect(guarded.send(call(`http://hooks.internal.evil.example:${port}/`))).rejects.toThrow(/private/);
  });

  it("follows no redirect", async () => {
    const got = await local().send(call(`http://127.0.0.1:${port}/redirect`));
    expect(got.status).toBe(302);
    expect(seen.some(({ path }) => path === "/secret")).toBe(false);
  });

  it("reads no more than it was asked to", async () => {
    const got = await local().send(call(`http://127.0.0.1:${port}/huge`, { maxResponseBytes: 100 }));
    expect(got).toMatchObject({ status: 200, truncated: true, body: "x".repeat(100) });
  });

  it.each(["/silent", "/drip"])("ends at its deadline when the receiver is %s", async (path) => {
    const late = local().send(call(`http://127.0.0.1:${port}${path}`, { timeoutMs: 100 }));
    await expect(late).rejects.toMatchObject({ name: "OutgoingFailed", message: "No whole answer came within 0.1 s" });
  });

  it("ends at its deadline when the resolver says nothing", async () => {
    const guarded = guardedHttp({ allow: parseAllowList([]), resolve: () => new Promise(() => undefined) });
    await expect(guarded.send(call("http://slow.example/", { timeoutMs: 50 }))).rejects.toThrow(/No whole answer/);
  });

  it("ends when the caller stops it", async () => {
    const stop = new AbortController();
    const stopped = local().send(call(`http://127.0.0.1:${port}/silent`, { signal: stop.signal }));
    stop.abort();
    await expect(stopped).rejects.toMatchObject({ name: "OutgoingFailed", message: "The call was stopped" });
  });

  it("says what went wrong, without addresses", async () => {
    await expect(local().send(call(`http://127.0.0.1:${port}/cut`))).rejects.toThrow(/closed before the answer/);
    const unused = createTcpServer();
    await new Promise<void>((done) => unused.listen(0, "127.0.0.1", done));
    const { port: free } = unused.address() as AddressInfo;
    await new Promise((done) => unused.close(done));
    await expect(local().send(call(`http://127.0.0.1:${free}/`))).rejects.toThrow(/^The connection was refused$/);
    const unknown = guardedHttp({
      allow: parseAllowList([]),
      resolve: () => Promise.reject(Object.assign(new Error("getaddrinfo ENOTFOUND x"), { code: "ENOTFOUND" })),
    });
    await expect(unknown.send(call("http://nobody.example/"))).rejects.toThrow(/^The host name is not known$/);
    expect(await unknown.refusalOf("http://nobody.example/")).toBeNull();
  });

  it.each([
    ["a line break in a value", { "x-note": "a\r\nx-admin: yes" }],
    ["a line break in a name", { "x-note\r\nx-admin": "yes" }],
    ["a character that is not ASCII", { "x-note": "ĊĊ" }],
    ["the host", { Host: "127.0.0.1" }],
    ["the length of the body", { "content-length": "1" }],
    ["the transfer", { "Transfer-Encoding": "chunked" }],
  ])("refuses headers that set %s", async (_, headers) => {
    const before = seen.length;
    await expect(local().send(call(`http://127.0.0.1:${port}/`, { headers }))).rejects.toThrow(/header/);
    expect(seen.length).toBe(before);
  });

  describe("an answer that is read as it comes", () => {
    const textOf = async (body: ReadableStream<Uint8Array>) => new Response(body).text();

    it("begins before it is whole, and its deadline ends with its beginning", async () => {
      const opened = await local().open(call(`http://127.0.0.1:${port}/drip`, { timeoutMs: 200 }));
      expect(opened.status).toBe(200);
      const reader = opened.body.getReader();
      expect(new TextDecoder().decode((await reader.read()).value)).toBe("never ");
      const closed = new Promise((done) => dripping.at(-1)?.once("close", done));
      await reader.cancel();
      await closed;
    });

    it("fails when it is longer than it may be", async () => {
      const opened = await local().open(call(`http://127.0.0.1:${port}/huge`, { maxResponseBytes: 20_000 }));
      await expect(textOf(opened.body)).rejects.toMatchObject({
        name: "OutgoingFailed",
        message: "The answer is longer than 20000 bytes",
      });
    });

    it("ends when the caller stops it, and when the other side breaks off", async () => {
      const stop = new AbortController();
      const opened = await local().open(call(`http://127.0.0.1:${port}/drip`, { signal: stop.signal }));
      const read = textOf(opened.body);
      stop.abort();
      await expect(read).rejects.toMatchObject({ name: "OutgoingFailed", message: "The call was stopped" });
      const cut = local().open(call(`http://127.0.0.1:${port}/cut`));
      await expect(cut.then(({ body }) => textOf(body))).rejects.toThrow(/closed before the answer/);
    });

    it("is refused, and its beginning waited for, like every other", async () => {
      await expect(closed().open(call(`http://127.0.0.1:${port}/`))).rejects.toThrow(/private or reserved/);
      const late = local().open(call(`http://127.0.0.1:${port}/silent`, { timeoutMs: 50 }));
      await expect(late).rejects.toMatchObject({ name: "OutgoingFailed" });
    });
  });

  it("writes what the URL holds as one request, whatever its path is", async () => {
    const sockets: Socket[] = [];
    let raw = "";
    const server = createTcpServer((socket) => {
      sockets.push(socket);
      socket.on("data", (data) => {
        raw += data.toString();
        socket.end("HTTP/1.1 204 No Content\r\n\r\n");
      });
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    const { port: rawPort } = server.address() as AddressInfo;
    await local().send(call(`http://127.0.0.1:${rawPort}/a\r\nX-Admin: yes\r\n\r\nGET /b`, { body: "" }));
    expect(raw).not.toMatch(/^x-admin/im);
    expect(raw.match(/HTTP\/1\.1/g)).toHaveLength(1);
    await new Promise((done) => server.close(done));
  });
});
