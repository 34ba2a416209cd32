import { connect, createServer, type Server, type Socket } from "node:net";
import { applyMigrations, DeafListener, openStorage, PoolerError, schemaState } from "@wheelhouse/storage/prisma";
import pg from "pg";
import { v7 as newId } from "uuid";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type FreshDatabase, freshDatabase } from "../worlds/fresh-database.ts";

/** A storage over `url`, and what it reported beside the calls. */
async function open(url: string, more: { listenUrl?: string } = {}) {
  const reported: unknown[] = [];
  const onError = (error: unknown) => void reported.push(error);
  const { storage } = await openStorage({ url, ...more, clock: { now: () => new Date() }, newId, onError });
  return { storage, reported, deaf: () => reported.some((error) => error instanceof DeafListener) };
}

/** The test's deadline is the limit. */
const until = async (condition: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 10));
};

describe("notifications of PostgreSQL", () => {
  let database: FreshDatabase;
  beforeEach(async () => {
    database = await freshDatabase("postgres");
    await applyMigrations(database);
  });
  afterEach(() => database[Symbol.asyncDispose]());

  it("are listened for again when the connection is lost, and everybody looks at once", async () => {
    const { storage, deaf } = await open(database.url);
    await using _ = storage;
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    const listening = "FROM pg_stat_activity WHERE datname = current_database() AND query ~ '^LISTEN'";
    const backends = async () => (await client.query(`SELECT pid ${listening}`)).rows.map(({ pid }) => pid);
    const [before] = await backends();
    let woken = 0;
    const stop = storage.wakeUps.onSession("a session", () => woken++);
    await client.query(`SELECT pg_terminate_backend(pid) ${listening}`);
    await until(() => woken > 0);
    const [after] = await backends();
    expect(after).not.toBe(before);
    // And it hears again.
    woken = 0;
    const hint = JSON.stringify({ o: "another process", s: { p: ["a session"] } });
    await client.query("SELECT pg_notify('wheelhouse_public', $1)", [hint]);
    await until(() => woken > 0);
    expect(deaf()).toBe(false);
    stop();
    await client.end();
  });

  it("that do not arrive are told, and waking up goes on in the process", async () => {
    await using other = await freshDatabase("postgres");
    // Notifications stay in their database, as they stay behind a pooler.
    const { storage, deaf } = await open(database.url, { listenUrl: other.url });
    await using _ = storage;
    await until(deaf);
    const project = await storage.access.ensureProject({ slug: "acme", name: "Acme", at: new Date() });
    expect(await storage.access.projectBySlug("acme")).toEqual(project);
  });
});

/**
 * Passes everything on, but like a pooler: the process number that a client is told (message K: length, number, secret)
 * is none of the server's.
 */
async function openPooler(to: URL): Promise<{ url: string; close: () => Promise<void> }> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((client) => {
    const upstream = connect(Number(to.port), to.hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => socket.destroy());
      socket.on("close", () => sockets.delete(socket));
    }
    client.pipe(upstream);
    upstream.on("data", (bytes) => {
      const at = bytes.indexOf("K\0\0\0\f", 0, "latin1");
      if (at >= 0) bytes.writeInt32BE(1, at + 5);
      client.write(Uint8Array.from(bytes));
    });
    upstream.on("end", () => client.end());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const url = new URL(to);
  url.hostname = "127.0.0.1";
  url.port = typeof address === "object" && address !== null ? String(address.port) : "";
  return {
    url: url.href,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describe("migrating through a pooler", () => {
  it("is refused before anything is done, and says what to do", async () => {
    await using database = await freshDatabase("postgres");
    const pooler = await openPooler(new URL(database.url));
    const refused = await applyMigrations({ url: pooler.url }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(PoolerError);
    expect(String(refused)).toContain("DATABASE_LISTEN_URL");
    const marked = new URL(database.url);
    marked.searchParams.set("pgbouncer", "true");
    await expect(applyMigrations({ url: marked.href })).rejects.toBeInstanceOf(PoolerError);
    expect(await schemaState({ url: pooler.url })).toMatchObject({ state: "behind", applied: [] });
    await pooler.close();
  });
});
