import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import SqliteHandle from "better-sqlite3";
import pg from "pg";

export type WorldKind = "memory" | "sqlite" | "postgres";

/** A database that nobody used before. Disposing removes it, and fails when somebody still has it open. */
export interface FreshDatabase extends AsyncDisposable {
  url: string;
}

export function freshDatabase(kind: WorldKind): Promise<FreshDatabase> {
  switch (kind) {
    case "memory":
      return Promise.resolve({ url: "memory:", [Symbol.asyncDispose]: async () => undefined });
    case "sqlite":
      return Promise.resolve(freshFile());
    case "postgres":
      return freshPostgres();
  }
}

function freshFile(): FreshDatabase {
  const folder = mkdtempSync(join(tmpdir(), "wheelhouse-test-"));
  const file = join(folder, "wheelhouse.db");
  return {
    url: `file:${file}`,
    async [Symbol.asyncDispose]() {
      const isOpen = existsSync(file) && !canBeAlone(file);
      rmSync(folder, { recursive: true, force: true });
      if (isOpen) throw new Error("A connection to the SQLite file was left open");
    },
  };
}

/** Leaving the WAL mode takes the file for oneself, which any other connection prevents. */
function canBeAlone(file: string): boolean {
  const handle = new SqliteHandle(file, { timeout: 200 });
  try {
    return handle.pragma("journal_mode = DELETE", { simple: true }) === "delete";
  } catch {
    return false;
  } finally {
    handle.close();
  }
}

/** Where tests may make databases. `npm test` starts a server and sets it. */
export function testPostgresUrl(): string {
  const url = process.env.TEST_POSTGRES_URL;
  if (!url)
    throw new Error(
      "TEST_POSTGRES_URL is not set; npm test starts a throw-away PostgreSQL, or name a superuser's address",
    );
  return url;
}

async function freshPostgres(): Promise<FreshDatabase> {
  const server = testPostgresUrl();
  const name = `wh_test_${randomBytes(8).toString("hex")}`;
  await onServer(server, (client) => client.query(`CREATE DATABASE ${name}`));
  const url = new URL(server);
  url.pathname = `/${name}`;
  return {
    url: url.toString(),
    async [Symbol.asyncDispose]() {
      const left = await onServer(server, (client) => connectionsTo(client, name));
      await onServer(server, (client) => client.query(`DROP DATABASE ${name} WITH (FORCE)`));
      if (left > 0) throw new Error(`${left} connections to the test database were left open`);
    },
  };
}

async function onServer<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Connections that stay: the server needs a moment to notice that one was closed. */
async function connectionsTo(client: pg.Client, name: string): Promise<number> {
  for (let looks = 0; ; looks++) {
    const { rows } = await client.query<{ open: number }>(
      "SELECT count(*)::int AS open FROM pg_stat_activity WHERE datname = $1 AND backend_type = 'client backend'",
      [name],
    );
    const open = rows[0]?.open ?? 0;
    if (open === 0 || looks >= 50) return open;
    await client.query("SELECT pg_sleep(0.02)");
  }
}
