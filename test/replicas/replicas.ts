import { fileURLToPath } from "node:url";
import { applyMigrations, openStorage } from "@wheelhouse/storage/prisma";
import pg from "pg";
import { v7 as newId } from "uuid";
import type { Role } from "../../apps/server/src/role.ts";
import { makeKey } from "../api/api-world.ts";
import { makeDatabase } from "../api/databases.ts";
import { startServer } from "../api/server-process.ts";

/** For whole processes on a machine that has other work; nothing waits for a time. */
export const deadlineMs = 300_000;

const workspace = fileURLToPath(new URL("workspace", import.meta.url));

/** One process of an installation. */
export interface Replica {
  role: Role;
  /** Where it listens: the API, or a worker's health. */
  url: string;
  pid: number;
  /** Everything it printed. */
  output(): string;
  /** Ends it as a crash does, and waits until it is gone. */
  kill(): Promise<void>;
  /** Asks it to end as an operator does; answers its exit code. */
  stop(): Promise<number | null>;
  /** Stops it where it stands, connections open. */
  freeze(): void;
  /** Lets a frozen one go on. */
  thaw(): void;
}

/** One PostgreSQL database, and any number of processes over it. Disposing kills them and drops the database. */
export interface Replicas extends AsyncDisposable {
  databaseUrl: string;
  /** An API key of the installation's project. */
  key: string;
  /** Starts a process and waits until it is ready. */
  start(role: Role, environment?: Record<string, string>): Promise<Replica>;
  /** Asks the database itself. */
  sql<R extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<R[]>;
}

export interface ReplicasWish {
  /** Of every process; `start` may say otherwise. */
  environment?: Record<string, string>;
  /** A superuser's address of the server to make the database in; the tests' own when absent. */
  serverUrl?: string;
}

/**
 * Makes a database with one project and its key. Leases are short, three seconds, so that a dead worker's runs move on
 * while a test waits.
 */
export async function openReplicas(wish: ReplicasWish = {}): Promise<Replicas> {
  const database = await makeDatabase("postgres", wish.serverUrl);
  await applyMigrations({ url: database.url });
  const { storage } = await openStorage({
    url: database.url,
    clock: { now: () => new Date() },
    newId,
    onError: () => undefined,
  });
  const project = await storage.access.ensureProject({ slug: "default", name: "Default", at: new Date() });
  const key = await makeKey(storage, project);
  await storage[Symbol.asyncDispose]();
  const started: Replica[] = [];
  return {
    databaseUrl: database.url,
    key,
    async start(role, environment = {}) {
      const replica = await startReplica(database, role, { ...wish.environment, ...environment });
      started.push(replica);
      return replica;
    },
    async sql<R extends pg.QueryResultRow>(text: string, values: unknown[] = []) {
      const client = new pg.Client({ connectionString: database.url });
      await client.connect();
      try {
        return (await client.query<R>(text, values)).rows;
      } finally {
        await client.end();
      }
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(started.map((replica) => replica.kill()));
      await database[Symbol.asyncDispose]();
    },
  };
}

type Database = Awaited<ReturnType<typeof makeDatabase>>;

async function startReplica(database: Database, role: Role, environment: Record<string, string>): Promise<Replica> {
  const { child, url, output, ended } = await startServer(
    database,
    { WHEELHOUSE_WORKSPACE: workspace, WHEELHOUSE_LEASE_SECONDS: "3", DATABASE_POOL_SIZE: "6", ...environment },
    ["--role", role],
  );
  return {
    role,
    url,
    pid: child.pid ?? 0,
    output,
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
    async stop() {
      child.kill("SIGTERM");
      return (await ended).code;
    },
    freeze: () => void child.kill("SIGSTOP"),
    thaw: () => void child.kill("SIGCONT"),
  };
}
