import type { BaseCheckpointSaver, BaseStore } from "@langchain/langgraph-checkpoint";
import type { Clock } from "@wheelhouse/domain";
import type { ClientConfig } from "pg";
import type { CheckpointTables } from "./checkpoint-tables.ts";

/** Where graphs keep their state: one of three, chosen by the operator, never replaced by another. */
export type PersistenceConfig =
  | { kind: "memory" }
  /** A file of its own: two connections that write one SQLite file in one process block each other. */
  | { kind: "sqlite"; file: string }
  | { kind: "postgres"; url: string; schema: string };

export interface Persistence extends AsyncDisposable {
  checkpointer: BaseCheckpointSaver;
  tables: CheckpointTables;
  store: BaseStore;
}

/** Connections of the checkpointer's pool. A run holds one for a few milliseconds per superstep. */
const checkpointConnections = 8;
/** Connections of the memory store's pool; it must be another pool, since LangGraph's store makes its own. */
const storeConnections = 4;

/** Opens the saver and the store, and creates their tables where they are missing. */
export async function openPersistence(config: PersistenceConfig, clock: Clock): Promise<Persistence> {
  switch (config.kind) {
    case "memory":
      return openSqlite(":memory:", clock);
    case "sqlite":
      return openSqlite(config.file, clock);
    case "postgres":
      return openPostgres(config.url, config.schema);
  }
}

async function openSqlite(file: string, clock: Clock): Promise<Persistence> {
  const [{ default: Database }, { SqliteSaver }, { SqliteStore }, { sqliteCheckpointTables }] = await Promise.all([
    import("better-sqlite3"),
    import("@langchain/langgraph-checkpoint-sqlite"),
    import("./sqlite-store.ts"),
    import("./sqlite-checkpoint-tables.ts"),
  ]);
  const db = new Database(file);
  db.pragma("busy_timeout = 5000");
  db.pragma("journal_mode = WAL");
  db.pragma("synchronous = NORMAL");
  const checkpointer = new SqliteSaver(db);
  // Its tables come with its first use, and others read them too.
  await checkpointer.getTuple({ configurable: { thread_id: "" } });
  return {
    checkpointer,
    tables: sqliteCheckpointTables(db),
    store: new SqliteStore(db, clock),
    async [Symbol.asyncDispose]() {
      db.close();
    },
  };
}

async function openPostgres(url: string, schema: string): Promise<Persistence> {
  const [{ default: pg }, { PostgresSaver }, { PostgresStore }, { postgresCheckpointTables }] = await Promise.all([
    import("pg"),
    import("@langchain/langgraph-checkpoint-postgres"),
    import("@langchain/langgraph-checkpoint-postgres/store"),
    import("./postgres-checkpoint-tables.ts"),
  ]);
  // A lost connection says so to its user, and once more as an event that would end the process if nobody heard it.
  class Client extends pg.Client {
    constructor(config?: string | ClientConfig) {
      super(config);
      this.on("error", () => {});
    }
  }
  const pool = new pg.Pool({ connectionString: url, max: checkpointConnections, Client });
  // The same of an idle one; the next query opens another.
  pool.on("error", () => {});
  const checkpointer = new PostgresSaver(pool, undefined, { schema });
  const store = new PostgresStore({
    connectionOptions: { connectionString: url, max: storeConnections, Client },
    schema,
    ensureTables: false,
  });
  // The store makes its own pool and does not listen to it: an idle connection that the server closed ended the process.
  const core: unknown = Reflect.get(store, "core");
  const storePool: unknown = typeof core === "object" && core !== null ? Reflect.get(core, "pool") : null;
  if (storePool instanceof pg.Pool) storePool.on("error", () => {});
  const close = async () => {
    await Promise.all([pool.end(), store.stop()]);
  };
  try {
    await setUpOnce(pool, schema, async () => {
      await checkpointer.setup();
      await store.setup();
    });
  } catch (error) {
    await close();
    throw error;
  }
  return { checkpointer, tables: postgresCheckpointTables(pool, schema), store, [Symbol.asyncDispose]: close };
}

interface LockingPool {
  connect(): Promise<{ query(text: string, values: unknown[]): Promise<unknown>; release(): void }>;
}

/** Replicas that start together must not create the tables together: the migrations of both packages race otherwise. */
async function setUpOnce(pool: LockingPool, schema: string, setUp: () => Promise<void>): Promise<void> {
  const client = await pool.connect();
  const key = `wheelhouse graph tables ${schema}`;
  try {
    await client.query("SELECT pg_advisory_lock(hashtextextended($1, 0))", [key]);
    await setUp();
  } finally {
    await client.query("SELECT pg_advisory_unlock(hashtextextended($1, 0))", [key]);
    client.release();
  }
}
