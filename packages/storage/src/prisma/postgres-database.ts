import pg from "pg";
import { appendedOf, appendStatement } from "./append-postgres.ts";
import { isConnectionLoss, isTransient, isUniqueViolation } from "./postgres-errors.ts";
import type { Appended, AppendGroup, Database, Dialect, Param, Row, Tx } from "./sql.ts";
import { statementNames } from "./statement-names.ts";
import { compilePostgres, storable, type WriteOp } from "./write-set.ts";

/** Appends run on their own two connections: order per session holds while two commits are in flight. */
const appendShards = 2;
const maxAttempts = 5;

export const postgresDialect: Dialect = {
  name: "postgresql",
  lock: (...aliases) => `FOR NO KEY UPDATE OF ${aliases.join(", ")}`,
  lockFree: (...aliases) => `FOR NO KEY UPDATE OF ${aliases.join(", ")} SKIP LOCKED`,
  inList: (expression, n) => `${expression} = ANY($${n}::text[])`,
  jsonEquals: (expression, n) => `${expression} = $${n}::jsonb`,
  // Timestamps are stored without a zone and mean UTC.
  time: (date) => date.toISOString().slice(0, -1),
  isUniqueViolation,
  isTransient,
  isConnectionLoss,
};

// JSON stays text and timestamps become ISO 8601, as SQLite gives them; rows.ts parses both.
const asText = (text: string): string => text;
const utc = (text: string): string => `${text.replace(" ", "T")}Z`;
const types = {
  getTypeParser(oid: number, format?: "text" | "binary") {
    if (oid === 3802 || oid === 114) return asText;
    if (oid === 1114) return utc;
    if (oid === 20) return Number;
    return format === "binary" ? pg.types.getTypeParser(oid, "binary") : pg.types.getTypeParser(oid, "text");
  },
};

export interface PostgresOptions {
  url: string;
  schema: string;
  maxConnections: number;
  clock: { now(): Date };
  onError: (error: unknown) => void;
  onStatement: (sql: string) => void;
}

/** The settings every connection of an installation has: its schema first, UTC, no JIT for small statements. */
export const connectionConfig = (url: string, schema: string): pg.PoolConfig => ({
  connectionString: url,
  options: `-c search_path="${schema}" -c timezone=UTC -c jit=off`,
  application_name: "wheelhouse",
  keepAlive: true,
});

/** Opens the pools. Nothing connects before the first statement. */
export function openPostgres(options: PostgresOptions): Database & { pool: pg.Pool } {
  const config = { ...connectionConfig(options.url, options.schema), types, pipeline: true };
  const makePool = (max: number) => {
    const pool = new pg.Pool({ ...config, max });
    pool.on("error", options.onError);
    return pool;
  };
  const pool = makePool(options.maxConnections);
  const writers = Array.from({ length: appendShards }, () => makePool(1));
  const now = () => postgresDialect.time(options.clock.now());
  const names = statementNames();
  const send = async (client: pg.Pool | pg.PoolClient, text: string, params: readonly Param[]): Promise<Row[]> => {
    options.onStatement(text);
    const values = params.map((param) => (typeof param === "string" ? storable(param) : param));
    const result = await client.query<Row>({ name: names(text), text, values });
    return result.rows;
  };
  const append = async (client: pg.Pool | pg.PoolClient, groups: readonly AppendGroup[]) => {
    const { sql, params } = appendStatement(groups, now());
    return appendedOf(groups, await send(client, sql, params));
  };

  async function once<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const client = await pool.connect();
    let broken: Error | undefined;
    try {
      // Not awaited: the first statement travels with it.
      options.onStatement("BEGIN");
      const begun = client.query("BEGIN");
      begun.catch(() => undefined);
      const tx = new PostgresTx(client, send, append);
      const value = await work(tx);
      await begun;
      options.onStatement("COMMIT");
      await tx.commit();
      return value;
    } catch (error) {
      if (isConnectionLoss(error)) broken = error instanceof Error ? error : new Error(String(error));
      else await client.query("ROLLBACK").catch((failure: Error) => (broken = failure));
      throw error;
    } finally {
      client.release(broken);
    }
  }

  return {
    dialect: postgresDialect,
    pool,
    appendShards,
    query: (sql, params = []) => send(pool, sql, params),
    async transaction(work) {
      for (let attempt = 1; ; attempt++) {
        try {
          return await once(work);
        } catch (error) {
          if (attempt >= maxAttempts || !isTransient(error)) throw error;
        }
      }
    },
    async appendAlone(shard, groups): Promise<(Appended | null)[]> {
      const writer = writers[shard % writers.length] ?? pool;
      return append(writer, groups);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([pool.end(), ...writers.map((writer) => writer.end())]);
    },
  };
}

class PostgresTx implements Tx {
  #staged: WriteOp[][] = [];
  readonly #client: pg.PoolClient;
  readonly #send: (client: pg.PoolClient, sql: string, params: readonly Param[]) => Promise<Row[]>;
  readonly #append: (client: pg.PoolClient, groups: readonly AppendGroup[]) => Promise<(Appended | null)[]>;

  constructor(
    client: pg.PoolClient,
    send: (client: pg.PoolClient, sql: string, params: readonly Param[]) => Promise<Row[]>,
    append: (client: pg.PoolClient, groups: readonly AppendGroup[]) => Promise<(Appended | null)[]>,
  ) {
    this.#client = client;
    this.#send = send;
    this.#append = append;
  }

  async query(sql: string, params: readonly Param[] = []): Promise<Row[]> {
    return this.#behindWrites(() => this.#send(this.#client, sql, params));
  }

  write(ops: readonly WriteOp[]): void {
    const full = ops.filter((op) => op.rows.length > 0);
    if (full.length > 0) this.#staged.push(full);
  }

  async append(groups: readonly AppendGroup[]): Promise<(Appended | null)[]> {
    return this.#behindWrites(() => this.#append(this.#client, groups));
  }

  /** The last writes and the commit share a round trip; a commit behind a failed write is a rollback. */
  async commit(): Promise<void> {
    await this.#behindWrites(() => this.#client.query("COMMIT"));
  }

  /** Sends the staged writes and what follows them together. When a write failed, its error is the one to tell. */
  async #behindWrites<T>(next: () => Promise<T>): Promise<T> {
    const [writes, following] = await Promise.allSettled([this.#flush(), next()]);
    if (writes.status === "rejected") throw writes.reason;
    if (following.status === "rejected") throw following.reason;
    return following.value;
  }

  #flush(): Promise<unknown> {
    const staged = this.#staged;
    this.#staged = [];
    return Promise.all(
      staged.map((ops) => {
        const { sql, params } = compilePostgres(ops);
        return this.#send(this.#client, sql, params);
      }),
    );
  }
}
