import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { createClient } from "graphql-ws";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { prefixOf } from "../../apps/server/src/access/api-key.ts";
import { type ApiWorld, openApiWorld } from "./api-world.ts";

describe("access", () => {
  let world: ApiWorld;
  let base: string;
  beforeAll(async () => {
    world = await openApiWorld({ kind: "sqlite", environment: { WHEELHOUSE_SCOPE_KEYS: "project,user" } });
    base = world.server.url;
  });
  afterAll(async () => {
    await world[Symbol.asyncDispose]();
  });

  const json = { "content-type": "application/json" };
  const post = (path: string, body: object, headers: Record<string, string> = {}) =>
    fetch(`${base}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
  const codeOf = async (key: string | null, headers: Record<string, string> = {}): Promise<string | undefined> =>
    (await world.ask(key, "{ sessions { totalCount } }", {}, headers)).errors?.[0]?.extensions.code;
  const viewer = "{ viewer { kind name email role isAdmin project { slug } projects { slug } } }";

  it("a key works until it is revoked or expires, and its secret is nowhere", async () => {
    const key = await world.makeKey();
    expect((await world.ask(key, viewer)).data.viewer).toMatchObject({
      kind: "API_KEY",
      role: "EDITOR",
      project: { slug: "default" },
    });
    const { access } = world.server.installation.runtime.storage;
    const prefix = prefixOf(key) ?? "";
    expect(JSON.stringify(await access.apiKeyByPrefix(prefix))).not.toContain(key);
    expect(await access.revokeApiKey(prefix, new Date())).toBe(true);
    expect(await codeOf(key)).toBe("UNAUTHENTICATED");
    expect(await codeOf(await world.makeKey({ expiresAt: new Date(Date.now() - 1) }))).toBe("UNAUTHENTICATED");
    expect(await codeOf(`${key.slice(0, -1)}${key.endsWith("A") ? "B" : "A"}`)).toBe("UNAUTHENTICATED");
    expect(await codeOf("nonsense")).toBe("UNAUTHENTICATED");
    expect(await codeOf(null)).toBe("UNAUTHENTICATED");
    expect((await world.ask(null, viewer)).data).toEqual({ viewer: null });
    const refused = await post("/graphql", { query: viewer }, { authorization: `Bearer ${key}` });
    expect(refused.status).toBe(401);
  });

  it("a stream ends when its key is revoked", async () => {
    const key = await world.makeKey();
    const made = await world.ask(key, 'mutation { createSession(input: { agent: "echo" }) { ... on Session { id } } }');
    const client = createClient({
      url: `${base.replace("http", "ws")}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: { authorization: `Bearer ${key}` },
    });
    const query = `subscription { sessionEvents(sessionId: "${made.data.createSession.id}") { caughtUp } }`;
    const codes: unknown[] = [];
    for await (const { errors } of client.iterate({ query })) {
      if (errors === undefined)
        await world.server.installation.runtime.storage.access.revokeApiKey(prefixOf(key) ?? "", new Date());
      else codes.push(errors[0]?.extensions?.code);
    }
    client.terminate();
    expect(codes).toEqual(["UNAUTHENTICATED"]);
  }, 60_000);

  it("an exact scope is complete, or the missing keys are named; headers need the permission gateway", async () => {
    const gateway = await world.makeKey({ reach: "EXACT", permissions: ["read", "write", "gateway"] });
    const missing = await world.ask(gateway, "{ sessions { totalCount } }");
    expect(missing.errors?.[0]).toMatchObject({
      message: expect.stringContaining("user"),
      extensions: { code: "SCOPE_REQUIRED" },
    });
    const asUser = { "x-wheelhouse-scope-user": "u-7" };
    const made = await world.ask(
      gateway,
      'mutation { createSession(input: { agent: "echo" }) { ... on Session { id scope } } }',
      {},
      asUser,
    );
    expect(made.data.createSession.scope).toEqual({ project: "default", user: "u-7" });
    const find = `{ session(id: "${made.data.createSession.id}") { id } }`;
    expect((await world.ask(gateway, find, {}, asUser)).data.session).not.toBeNull();
    expect((await world.ask(gateway, find, {}, { "x-wheelhouse-scope-user": "u-8" })).data.session).toBeNull();
    const fixed = await world.makeKey({ reach: "EXACT", scope: { user: "u-7" } });
    expect((await world.ask(fixed, find)).data.session).not.toBeNull();
    expect(await codeOf(fixed, asUser)).toBe("FORBIDDEN");
    expect(
      await codeOf(await world.makeKey({ reach: "EXACT", permissions: ["gateway"], scope: { user: "u-7" } }), {
        "x-wheelhouse-scope-user": "u-8",
      }),
    ).toBe("FORBIDDEN");
    expect(await codeOf(gateway, { ...asUser, "x-wheelhouse-scope-planet": "mars" })).toBe("FORBIDDEN");
    expect(await codeOf(await world.makeKey(), asUser)).toBe("FORBIDDEN");
  });

  it("the owner's link works once, and the cookie it leaves signs in, on HTTP and on sockets", async () => {
    const token = new URL(world.server.ownerLink ?? "").searchParams.get("token") ?? "";
    const owner = { name: "Ada", email: "Ada@Example.com", password: "correct horse battery" };
    expect(await (await fetch(`${base}/api/setup`)).json()).toEqual({ ownerMissing: true });
    expect((await post("/api/setup", { ...owner, token: "wrong" })).status).toBe(403);
    expect((await post("/api/setup", { token, name: "", email: "no", password: "short" })).status).toBe(400);
    const [first, second] = await Promise.all([
      post("/api/setup", { ...owner, token }),
      post("/api/setup", { ...owner, token }),
    ]);
    expect([first.status, second.status].sort()).toEqual([200, 403]);
    expect((await post("/api/setup", { ...owner, token })).status).toBe(403);
    expect(await (await fetch(`${base}/api/setup`)).json()).toEqual({ ownerMissing: false });
    const made = first.status === 200 ? first : second;
    const cookie = made.headers
      .getSetCookie()
      .map((line) => line.split(";")[0])
      .join("; ");
    expect(made.headers.getSetCookie().join()).toMatch(/HttpOnly.*SameSite=Lax|SameSite=Lax.*HttpOnly/);
    const asked = await post("/graphql", { query: viewer }, { cookie });
    expect(await asked.json()).toEqual({
      data: {
        viewer: {
          kind: "USER",
          name: "Ada",
          email: "ada@example.com",
          role: "OWNER",
          isAdmin: true,
          project: { slug: "default" },
          projects: [{ slug: "default" }],
        },
      },
    });
    const elsewhere = await post("/graphql", { query: viewer }, { cookie, "x-wheelhouse-project": "other" });
    expect(
      ((await elsewhere.json()) as { errors: { extensions: { code: string } }[] }).errors[0]?.extensions.code,
    ).toBe("NOT_FOUND");

    const socketUrl = `${base.replace("http", "ws")}/graphql`;
    const open = (origin?: string) =>
      new WebSocket(socketUrl, "graphql-transport-ws", {
        headers: { cookie, ...(origin === undefined ? {} : { origin }) },
      });
    const good = open(base);
    await once(good, "open");
    good.send(JSON.stringify({ type: "connection_init" }));
    const [message] = await once(good, "message");
    expect(JSON.parse(String(message))).toEqual({ type: "connection_ack" });
    good.terminate();
    for (const origin of ["https://evil.example", "null"]) {
      const foreign = open(origin);
      const [error] = await once(foreign, "error");
      expect(String(error)).toContain("403");
    }
    expect((await post("/graphql", { query: viewer }, { cookie, origin: "https://evil.example" })).status).toBe(403);
    expect((await post("/graphql", { query: viewer }, { cookie, origin: base })).status).toBe(200);

    const signedIn = await post("/api/auth/sign-in/email", { email: owner.email, password: owner.password });
    expect(signedIn.status).toBe(200);
    const again = signedIn.headers
      .getSetCookie()
      .map((line) => line.split(";")[0])
      .join("; ");
    expect((await post("/api/auth/sign-out", {}, { cookie: again, origin: base })).status).toBe(200);
    expect(await (await post("/graphql", { query: viewer }, { cookie: again })).json()).toEqual({
      data: { viewer: null },
    });
    expect((await post("/api/auth/sign-up/email", { ...owner, email: "eve@example.com" })).status).toBe(400);
    const tries: number[] = [];
    for (let i = 0; i < 12; i++)
      tries.push((await post("/api/auth/sign-in/email", { email: owner.email, password: "a wrong password" })).status);
    expect(tries).toContain(401);
    expect(tries.at(-1)).toBe(429);
    // Passwords are slow on purpose, and a dozen of them are tried.
  }, 180_000);

  it("a body that is too long, and a failure inside, are answered without details", async () => {
    const key = await world.makeKey();
    const body = JSON.stringify({ query: `{ viewer { name } } #${"x".repeat(4_000_000)}` });
    const authorization = `Bearer ${key}`;
    const big = await fetch(`${base}/graphql`, { method: "POST", headers: { authorization, ...json }, body });
    expect(big.status).toBe(413);
    expect(await big.json()).toMatchObject({ errors: [{ extensions: { code: "PAYLOAD_TOO_LARGE" } }] });
    // Written without looking for an answer, as most clients do: the refusal must not cut the writer off.
    const { hostname, port } = new URL(base);
    const socket = connect(Number(port), hostname);
    const head = ["POST /graphql HTTP/1.1", "host: localhost", "content-type: application/json", "connection: close"];
    socket.write(`${head.join("\r\n")}\r\ncontent-length: ${body.length}\r\n\r\n`);
    for (let at = 0; at < body.length; at += 50_000)
      await new Promise<void>((written, failed) => {
        socket.once("error", failed);
        socket.write(body.slice(at, at + 50_000), () => setImmediate(written));
      });
    expect(await text(socket)).toMatch(/^HTTP\/1.1 413 /);
    const { models } = world.server.installation;
    const original = models.agent.count;
    Object.defineProperty(models.agent, "count", {
      configurable: true,
      value: () => Promise.reject(new Error("secret path /etc/x")),
    });
    const { errors } = await world.ask(key, "{ agents { totalCount } }");
    Object.defineProperty(models.agent, "count", { configurable: true, value: original });
    expect(errors?.[0]).toMatchObject({ extensions: { code: "INTERNAL", requestId: expect.any(String) } });
    expect(JSON.stringify(errors)).not.toContain("secret");
    const requestId = errors?.[0]?.extensions.requestId;
    expect(world.logged.filter(({ fields }) => "requestId" in fields && fields.requestId === requestId)).toHaveLength(
      1,
    );
  });

  it("health says what is there", async () => {
    expect((await fetch(`${base}/livez`)).status).toBe(200);
    const ready = await fetch(`${base}/readyz`);
    expect(await ready.json()).toMatchObject({
      ready: true,
      checks: { schema: { ok: true }, database: { ok: true }, worker: { ok: true } },
    });
  });
});
