import { mkdirSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { PrismaPg } from "@prisma/adapter-pg";
import type { Clock, NewId } from "@wheelhouse/domain";
import { PrismaClient } from "../generated/postgresql/client.ts";
import { PrismaClient as SqlitePrismaClient } from "../generated/sqlite/client.ts";
import type { RunDispatch, Storage } from "../port.ts";
import { type DatabaseTarget, parseDatabaseUrl } from "./database-url.ts";
import { continueFeed } from "./feed.ts";
import { graphileDispatch } from "./graphile-dispatch.ts";
import { dispatchSchemaOf } from "./graphile-schema.ts";
import { groupCommit } from "./group-commit.ts";
import { inProcessDispatch } from "./in-process-dispatch.ts";
import { applyToHandle } from "./migrations.ts";
import { openPostgres } from "./postgres-database.ts";
import { connectionConfig, openPool } from "./postgres-pool.ts";
import { postgresWakeUps } from "./postgres-wake-ups.ts";
import { openRowReader, type RowReader } from "./row-reader.ts";
import { openSerialSqlite } from "./serial-sqlite.ts";
import type { Database } from "./sql.ts";
import { openSqliteDatabase } from "./sqlite-database.ts";
import { statementNames } from "./statement-names.ts";
import { accessStore } from "./stores/access-store.ts";
import { agentStore } from "./stores/agent-store.ts";
import { artifactBodyStore } from "./stores/artifact-body-store.ts";
import { artifactStore } from "./stores/artifact-store.ts";
import { configStore } from "./stores/config-store.ts";
import type { StoreContext } from "./stores/context.ts";
import { eventStore } from "./stores/event-store.ts";
import { interruptStore } from "./stores/interrupt-store.ts";
import { messageStore } from "./stores/message-store.ts";
import { runStore } from "./stores/run-store.ts";
import { scheduleStore } from "./stores/schedule-store.ts";
import { sessionStore } from "./stores/session-store.ts";
import { taskStore } from "./stores/task-store.ts";
import { webhookStore } from "./stores/webhook-store.ts";
import { workerStore } from "./stores/worker-store.ts";
import { type Hint, WakeHub } from "./wake-hub.ts";

export interface StorageOptions {
  /** `memory:`, `file:<path>` or `postgres://…` */
  url: string;
  /** The installation's schema in PostgreSQL; wins over `?schema=` of the address. */
  schema?: string;
  /** A direct address for LISTEN, when `url` goes through a pooler. */
  listenUrl?: string;
  /** Connections to PostgreSQL for everything but appends and wake-ups: half for the models, half for transactions. */
  maxConnections?: number;
  clock: Clock;
  newId: NewId;
  /** Told what went wrong beside any call: a lost idle connection, a hint that could not be sent, a listener that threw. */
  onError: (error: unknown) => void;
  /** Told the text of every statement that does not go through the models, for metrics and tests. */
  onStatement?: (sql: string) => void;
}

const silent = (): void => undefined;

export interface OpenStorage {
  storage: Storage;
  /** The models, for reads that carry their visibility clause. The PostgreSQL client's type, also on SQLite. */
  models: PrismaClient;
  /** Reads of lists below many rows at once. */
  rows: RowReader;
  dialect: "postgresql" | "sqlite";
}

/** What the kinds of database give to the one storage. */
interface Backend {
  kind: Storage["kind"];
  db: Database;
  models: PrismaClient;
  dispatch: RunDispatch;
  /** Tells other processes. */
  send: (hint: Hint) => void;
  dispose: () => Promise<void>;
}

/**
 * Opens the storage of an address. A database in memory is migrated here; any other has to be up to date already
 * (`schemaState`, `applyMigrations`).
 */
export async function openStorage(options: StorageOptions): Promise<OpenStorage> {
  const hub = new WakeHub(options.onError);
  const backend = await openBackend(parseDatabaseUrl(options.url, options.schema), hub, options);
  const wake = (hint: Hint): void => {
    hub.deliver(hint);
    backend.send(hint);
  };
  const { db } = backend;
  const { models, rows } = openRowReader(db, backend.models);
  const commits = groupCommit(db, { wake, pause: (ms) => sleep(ms) });
  const context: StoreContext = {
    db,
    dialect: db.dialect,
    models,
    clock: options.clock,
    newId: options.newId,
    commits,
    wake,
  };
  const storage: Storage = {
    kind: backend.kind,
    agents: agentStore(context),
    sessions: sessionStore(context),
    tasks: taskStore(context),
    runs: runStore(context),
    interrupts: interruptStore(context),
    messages: messageStore(context),
    events: eventStore(context),
    schedules: scheduleStore(context),
    webhooks: webhookStore(context),
    config: configStore(context),
    artifacts: artifactStore(context),
    artifactBodies: artifactBodyStore(context),
    access: accessStore(context),
    workers: workerStore(context),
    wakeUps: hub,
    dispatch: backend.dispatch,
    ping: async () => void (await db.query("SELECT 1 AS alive")),
    [Symbol.asyncDispose]: backend.dispose,
  };
  return { storage, models, rows, dialect: db.dialect.name };
}

function openBackend(target: DatabaseTarget, hub: WakeHub, options: StorageOptions): Promise<Backend> {
  return target.kind === "postgres"
    ? openPostgresBackend(target, hub, options)
    : openSqliteBackend(target, hub, options);
}

async function openSqliteBackend(
  target: Exclude<DatabaseTarget, { kind: "postgres" }>,
  hub: WakeHub,
  options: StorageOptions,
): Promise<Backend> {
  if (target.kind === "sqlite") mkdirSync(dirname(resolve(target.file)), { recursive: true });
  const connection = await openSerialSqlite(target.kind === "memory" ? ":memory:" : target.file);
  if (target.kind === "memory") applyToHandle(connection.handle);
  const { clock, onStatement = silent } = options;
  const db = openSqliteDatabase(connection, { clock, onStatement });
  const client: unknown = new SqlitePrismaClient({ adapter: connection.factory });
  // The two generated clients are the same but for what SQLite lacks; the code keeps to what both have.
  const models = client as PrismaClient;
  return {
    kind: target.kind,
    db,
    models,
    dispatch: inProcessDispatch(hub),
    send: () => undefined,
    async dispose() {
      await models.$disconnect();
      await db[Symbol.asyncDispose]();
    },
  };
}

async function openPostgresBackend(
  { url, schema }: Extract<DatabaseTarget, { kind: "postgres" }>,
  hub: WakeHub,
  options: StorageOptions,
): Promise<Backend> {
  const { clock, newId, onError, onStatement = silent, maxConnections = 16 } = options;
  const half = Math.max(1, Math.floor(maxConnections / 2));
  const dispatchSchema = dispatchSchemaOf(schema);
  const db = openPostgres({ url, schema, dispatchSchema, maxConnections: half, clock, onError, onStatement });
  const modelPool = openPool({ ...connectionConfig(url, schema), max: half }, onError);
  const names = statementNames("m");
  const models = new PrismaClient({
    adapter: new PrismaPg(modelPool, {
      schema,
      disposeExternalPool: true,
      // An empty name is an unnamed statement.
      statementNameGenerator: ({ sql }) => names(sql) ?? "",
    }),
  });
  const wakeUps = postgresWakeUps({
    pool: db.pool,
    listen: connectionConfig(options.listenUrl ?? url, schema),
    channel: `wheelhouse_${schema}`,
    origin: newId(),
    hub,
    pause: (ms) => sleep(ms, undefined, { ref: false }),
    onError,
  });
  const dispatch = graphileDispatch({
    connection: connectionConfig(options.listenUrl ?? url, schema),
    dispatchSchema,
    db,
    pause: (ms, signal) => sleep(ms, undefined, { signal }).catch(() => undefined),
    onError,
  });
  const dispose = async (): Promise<void> => {
    await wakeUps[Symbol.asyncDispose]();
    await models.$disconnect();
    if (!modelPool.ended) await modelPool.end();
    await db[Symbol.asyncDispose]();
  };
  try {
    // A database that cannot be reached is an error now, not at the first mutation.
    await db.query(continueFeed);
    await wakeUps.attempted;
  } catch (error) {
    await dispose();
    throw error;
  }
  return { kind: "postgres", db, models, dispatch, send: wakeUps.send, dispose };
}
