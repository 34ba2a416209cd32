import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { sha256 } from "@wheelhouse/domain/digest";
import SqliteHandle from "better-sqlite3";
import pg from "pg";
import { parseDatabaseUrl } from "./database-url.ts";
import { dispatchSchemaOf, graphileVersion, graphileVersionOf, migrateGraphile } from "./graphile-schema.ts";
import { connectionConfig } from "./postgres-pool.ts";

// Applies the migrations at start without Prisma's command line. Both keep the same books: the table _prisma_migrations
// with the same checksums, under the same lock, so that either can go on where the other stopped.

const root = fileURLToPath(new URL("../../../../", import.meta.url));

/** The advisory lock that Prisma's own engine takes while it migrates. */
const migrationLock = 72_707_369;

/** How the database stands to the migrations of this program. */
export type SchemaState =
  | { state: "upToDate"; applied: string[] }
  /** `pending` have not been applied yet. */
  | { state: "behind"; applied: string[]; pending: string[] }
  /** `migration` began and did not end; `error` is what the database said, where it could still be written down. */
  | { state: "failed"; migration: string; error: string | null }
  /** The database has migrations that this program does not know: it was migrated by a newer one. */
  | { state: "ahead"; applied: string[]; unknown: string[] };

/** A database whose schema this program cannot go on with; the message says what to do. */
export class SchemaError extends Error {
  readonly schemaState: SchemaState;

  constructor(message: string, schemaState: SchemaState, options?: ErrorOptions) {
    super(message, options);
    this.name = "SchemaError";
    this.schemaState = schemaState;
  }
}

interface Migration {
  name: string;
  sql: string;
}

interface AppliedRow {
  migration_name: string;
  finished_at: unknown;
  rolled_back_at: unknown;
  logs: string | null;
}

/** A connection that serves one migration session. */
interface Connection {
  provider: "postgresql" | "sqlite";
  exec(sql: string): Promise<void>;
  /** Runs a script of which everything or nothing stays. */
  whole(sql: string): Promise<void>;
  rows(sql: string): Promise<AppliedRow[]>;
  /** Whether _prisma_migrations exists. */
  hasBooks(): Promise<boolean>;
  /** Runs `work` while no other process migrates the same database. */
  exclusively<T>(work: () => Promise<T>): Promise<T>;
  /** Throws when a pooler stands between: it would give the lock to one session and the statements to another. */
  requireDirect(): Promise<void>;
  /** Brings what the database keeps beside Prisma's tables up to date: in PostgreSQL the job queue. */
  besides(): Promise<void>;
  close(): Promise<void>;
}

export interface MigrationOptions {
  url: string;
  /** The installation's schema in PostgreSQL; it is made when it does not exist. */
  schema?: string;
}

/** Where the database stands. Creates nothing; a database without tables is behind. */
export async function schemaState(options: MigrationOptions): Promise<SchemaState> {
  const target = parseDatabaseUrl(options.url, options.schema);
  if (target.kind === "memory") return { state: "behind", applied: [], pending: migrationsOf("sqlite").map(nameOf) };
  if (target.kind === "sqlite" && !existsSync(target.file))
    return { state: "behind", applied: [], pending: migrationsOf("sqlite").map(nameOf) };
  const connection = await connect(options);
  try {
    return await stateOf(connection);
  } finally {
    await connection.close();
  }
}

/**
 * Applies what is pending, each migration once however many processes try, and returns the applied names. Throws a
 * SchemaError when an earlier migration failed, when one fails now, or when the database is ahead.
 */
export async function applyMigrations(options: MigrationOptions): Promise<string[]> {
  const connection = await connect(options);
  try {
    await connection.requireDirect();
    return await applyAll(connection);
  } finally {
    await connection.close();
  }
}

/** What is wrong with the job queue's tables in PostgreSQL; null when nothing is, and where there are none. */
export async function queueState(options: MigrationOptions): Promise<"missing" | "behind" | null> {
  const target = parseDatabaseUrl(options.url, options.schema);
  if (target.kind !== "postgres") return null;
  const client = new pg.Client(connectionConfig(target.url, target.schema));
  await client.connect();
  try {
    const found = await graphileVersionOf(client, dispatchSchemaOf(target.schema));
    return found === null ? "missing" : found < graphileVersion ? "behind" : null;
  } finally {
    await client.end();
  }
}

/** Applies every migration to an open SQLite connection: the way into a database in memory. */
export function applyToHandle(handle: SqliteHandle.Database): void {
  handle.transaction(() => {
    for (const { sql } of migrationsOf("sqlite")) handle.exec(sql);
  })();
}

const nameOf = (migration: Migration): string => migration.name;

function migrationsOf(provider: "postgresql" | "sqlite"): Migration[] {
  const folder = join(root, "prisma", provider, "migrations");
  return readdirSync(folder)
    .filter((name) => existsSync(join(folder, name, "migration.sql")))
    .sort()
    .map((name) => ({ name, sql: readFileSync(join(folder, name, "migration.sql"), "utf8") }));
}

async function stateOf(connection: Connection): Promise<SchemaState> {
  const known = migrationsOf(connection.provider).map(nameOf);
  if (!(await connection.hasBooks())) return { state: "behind", applied: [], pending: known };
  const rows = (
    await connection.rows("SELECT migration_name, finished_at, rolled_back_at, logs FROM _prisma_migrations")
  ).filter((row) => row.rolled_back_at === null);
  const failed = rows.find((row) => row.finished_at === null);
  if (failed !== undefined) return { state: "failed", migration: failed.migration_name, error: failed.logs };
  const applied = rows.map((row) => row.migration_name).sort();
  const unknown = applied.filter((name) => !known.includes(name));
  if (unknown.length > 0) return { state: "ahead", applied, unknown };
  const pending = known.filter((name) => !applied.includes(name));
  return pending.length > 0 ? { state: "behind", applied, pending } : { state: "upToDate", applied };
}

const books = {
  postgresql: `CREATE TABLE IF NOT EXISTS _prisma_migrations (id VARCHAR(36) PRIMARY KEY NOT NULL,
    checksum VARCHAR(64) NOT NULL, finished_at TIMESTAMPTZ, migration_name VARCHAR(255) NOT NULL, logs TEXT,
    rolled_back_at TIMESTAMPTZ, started_at TIMESTAMPTZ NOT NULL DEFAULT now(),
    applied_steps_count INTEGER NOT NULL DEFAULT 0)`,
  sqlite: `CREATE TABLE IF NOT EXISTS "_prisma_migrations" ("id" TEXT PRIMARY KEY NOT NULL, "checksum" TEXT NOT NULL,
    "finished_at" DATETIME, "migration_name" TEXT NOT NULL, "logs" TEXT, "rolled_back_at" DATETIME,
    "started_at" DATETIME NOT NULL DEFAULT current_timestamp, "applied_steps_count" INTEGER UNSIGNED NOT NULL DEFAULT 0)`,
};

const applyAll = (connection: Connection): Promise<string[]> =>
  connection.exclusively(async () => {
    const state = await stateOf(connection);
    if (state.state === "failed")
      throw new SchemaError(
        `The migration ${state.migration} failed earlier. Repair the database, mark the migration with ` +
          "`npx prisma migrate resolve --rolled-back` (or --applied), then run `npm run migrate -- deploy`",
        state,
      );
    if (state.state === "ahead")
      throw new SchemaError(
        `The database was migrated by a newer version (${state.unknown.join(", ")}); run that version`,
        state,
      );
    const pending =
      state.state === "upToDate"
        ? []
        : migrationsOf(connection.provider).filter(({ name }) => state.pending.includes(name));
    if (pending.length > 0) await connection.exec(books[connection.provider]);
    for (const migration of pending) await applyOne(connection, migration);
    await connection.besides();
    return pending.map(nameOf);
  });

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
// The books are Prisma's: real time, not the clock of the installation's records.
const now = (): string => quoted(new Date().toISOString().replace("Z", "+00:00"));

async function applyOne(connection: Connection, { name, sql }: Migration): Promise<void> {
  const id = quoted(randomUUID());
  await connection.exec(
    `INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at, applied_steps_count)
     VALUES (${id}, ${quoted(sha256(sql))}, ${quoted(name)}, ${now()}, 0)`,
  );
  try {
    await connection.whole(sql);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    await connection.exec(`UPDATE _prisma_migrations SET logs = ${quoted(message)} WHERE id = ${id}`);
    throw new SchemaError(
      `The migration ${name} failed: ${message}. See \`npm run migrate -- status\` for the way on`,
      { state: "failed", migration: name, error: message },
      { cause: error },
    );
  }
  await connection.exec(
    `UPDATE _prisma_migrations SET finished_at = ${now()}, applied_steps_count = 1 WHERE id = ${id}`,
  );
}

async function connect(options: MigrationOptions): Promise<Connection> {
  const target = parseDatabaseUrl(options.url, options.schema);
  if (target.kind === "memory") throw new Error("A database in memory is migrated when it is opened");
  return target.kind === "sqlite" ? connectSqlite(target.file) : connectPostgres(target.url, target.schema);
}

const waitForLockMs = 30_000;

/** Waits for the write lock without holding up this process, which may be the one that has it. */
async function beginWhenFree(handle: SqliteHandle.Database): Promise<void> {
  handle.pragma("busy_timeout = 0");
  for (let waitedMs = 0; ; waitedMs += 20) {
    try {
      handle.exec("BEGIN IMMEDIATE");
      return;
    } catch (error) {
      const isBusy = error instanceof SqliteHandle.SqliteError && error.code.startsWith("SQLITE_BUSY");
      if (!isBusy || waitedMs >= waitForLockMs) throw error;
      await sleep(20);
    }
  }
}

function connectSqlite(file: string): Connection {
  mkdirSync(dirname(resolve(file)), { recursive: true });
  const handle = new SqliteHandle(file);
  handle.pragma("journal_mode = WAL");
  // Rebuilding a table drops the old one, which must not delete what refers to it.
  handle.pragma("foreign_keys = OFF");
  return {
    provider: "sqlite",
    requireDirect: async () => undefined,
    exec: async (sql) => void handle.exec(sql),
    async whole(sql) {
      // A failed migration is undone as a whole; its entry in the books stays.
      handle.exec("SAVEPOINT migration");
      try {
        handle.exec(sql);
        handle.exec("RELEASE migration");
      } catch (error) {
        if (handle.inTransaction) handle.exec("ROLLBACK TO migration; RELEASE migration");
        throw error;
      }
    },
    rows: async (sql) => handle.prepare<[], AppliedRow>(sql).all(),
    hasBooks: async () =>
      handle.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = '_prisma_migrations'").get() !==
      undefined,
    async exclusively(work) {
      // One transaction over all of it: another process waits, and then finds nothing pending.
      await beginWhenFree(handle);
      try {
        return await work();
      } finally {
        if (handle.inTransaction) handle.exec("COMMIT");
      }
    },
    besides: async () => undefined,
    close: async () => void handle.close(),
  };
}

/** The address leads through a pooler, where a migration's lock would hold nothing. */
export class PoolerError extends Error {
  constructor() {
    super(
      "This address leads through a connection pooler, and migrations need a session of their own. " +
        "Name a direct address in DATABASE_LISTEN_URL, or migrate with a direct DATABASE_URL",
    );
    this.name = "PoolerError";
  }
}

/**
 * PostgreSQL tells a client its server process when it connects; a pooler makes up a number of its own, as its clients
 * have no process. Both kinds of pooling are refused: which one it is cannot be seen from here.
 */
async function requireDirect(client: pg.Client, url: string): Promise<void> {
  if (new URL(url).searchParams.get("pgbouncer") === "true") throw new PoolerError();
  const { rows } = await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
  const told: unknown = Reflect.get(client, "processID");
  if (told !== rows[0]?.pid) throw new PoolerError();
}

async function connectPostgres(url: string, schema: string): Promise<Connection> {
  const client = new pg.Client(connectionConfig(url, schema));
  await client.connect();
  return {
    provider: "postgresql",
    requireDirect: () => requireDirect(client, url),
    exec: async (sql) => void (await client.query(sql)),
    // Several statements in one message are one transaction.
    whole: async (sql) => void (await client.query(sql)),
    rows: async (sql) => (await client.query<AppliedRow>(sql)).rows,
    hasBooks: async () =>
      (
        await client.query("SELECT 1 FROM pg_tables WHERE schemaname = $1 AND tablename = '_prisma_migrations'", [
          schema,
        ])
      ).rows.length > 0,
    async exclusively(work) {
      await client.query("SELECT pg_advisory_lock($1)", [migrationLock]);
      try {
        await client.query(`CREATE SCHEMA IF NOT EXISTS "${schema}"`);
        await client.query("SET lock_timeout = '30s'");
        return await work();
      } finally {
        await client.query("SELECT pg_advisory_unlock($1)", [migrationLock]);
      }
    },
    besides: async () => {
      const found = await graphileVersionOf(client, dispatchSchemaOf(schema));
      if (found === null || found < graphileVersion)
        await migrateGraphile(connectionConfig(url, schema), dispatchSchemaOf(schema));
    },
    close: () => client.end(),
  };
}
