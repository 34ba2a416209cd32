import pg from "pg";
import { appendedOf, appendStatement } from "./append-postgres.ts";
import { postgresHorizon } from "./feed.ts";
import { dispatchCall, enqueueRows } from "./graphile-schema.ts";
import { isConnectionLoss, isTransient, isUniqueViolation } from "./postgres-errors.ts";
import { connectionConfig, openPool } from "./postgres-pool.ts";
import type { Appended, AppendGroup, Database, Dialect, Param, Row, Tx } from "./sql.ts";
import { statementNames } from "./statement-names.ts";
import { compilePostgres, storable, type WriteOp } from "./write-set.ts";

/** Appends run on their own two connections: order per session holds while two commits are in flight. */
const appendShards = 2;
const maxAttempts = 5;

const postgresDialect: Omit<Dialect, "dispatching"> = {
  name: "postgresql",
  lock: (...aliases) => `FOR NO KEY UPDATE OF ${aliases.join(", ")}`,
  lockFree: (...aliases) => `FOR NO KEY UPDATE OF ${aliases.join(", ")} SKIP LOCKED`,
  inList: (expression, n) => `${expression} = ANY($${n}::text[])`,
  list: (n) => `unnest($${n}::text[]) WITH ORDINALITY AS parent(id, place)`,
  eachOf: (n, _table, row, inner, found) =>
    `unnest($${n}::text[]) AS parent(id) CROSS JOIN LATERAL (SELECT ${inner}.* ${found}) ${row}`,
  jsonEquals: (expression, n) => `${expression} = $${n}::jsonb`,
  feedHorizon: postgresHorizon,
  // Timestamps are stored without a zone and mean UTC.
  time: (date) => date.toISOString().slice(0, -1),
  leaseTime: (n) => `(timezone('UTC', clock_timestamp()) + $${n}::float8 * interval '1 millisecond')::timestamp(3)`,
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
  /** Where the job queue lives. */
  dispatchSchema: string;
  maxConnections: number;
  clock: { now(): Date };
  onError: (error: unknown) => void;
  onStatement: (sql: string) => void;
}

const readsOnly = (sql: string): boolean => /^\s*SELECT\b/i.test(sql);

/**
 * Opens the pools. A statement that only reads, and a transaction whose commit was not sent, are done again when their
 * connection is lost: a pool learns of a dead connection by using it. Nothing connects before the first statement.
 */
export function openPostgres(options: PostgresOptions): Database & { pool: pg.Pool } {
  const config = { ...connectionConfig(options.url, options.schema), types, pipeline: true };
  const makePool = (max: number) => openPool({ ...config, max }, options.onError);
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

  const enqueue = enqueueRows(options.dispatchSchema);

  async function once<T>(work: (tx: Tx) => Promise<T>, onCommit: () => void): Promise<T> {
    const client = await pool.connect();
    let broken: Error | undefined;
    try {
      // Not awaited: the first statement travels with it.
      options.onStatement("BEGIN");
      const begun = client.query("BEGIN");
      begun.catch(() => undefined);
      const tx = new PostgresTx(client, { send, append, enqueue });
      const value = await work(tx);
      await begun;
      options.onStatement("COMMIT");
      onCommit();
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

  const dialect: Dialect = {
    ...postgresDialect,
    dispatching: (update) =>
      `WITH released AS (${update}) SELECT id, ${dispatchCall(options.dispatchSchema, "id")} IS NOT NULL AS dispatched FROM released`,
  };
  return {
    dialect,
    pool,
    appendShards,
    async query(sql, params = []) {
      for (let attempt = 1; ; attempt++) {
        try {
          return await send(pool, sql, params);
        } catch (error) {
          if (attempt >= maxAttempts || !readsOnly(sql) || !isConnectionLoss(error)) throw error;
        }
      }
    },
    async transaction(work) {
      for (let attempt = 1; ; attempt++) {
        let committing = false;
        try {
          return await once(work, () => {
            committing = true;
          });
        } catch (error) {
          // Without its commit the server forgot it; with it, nobody knows whether the server did it.
          const forgotten = isConnectionLoss(error) && !committing;
          if (attempt >= maxAttempts || !(forgotten || isTransient(error))) throw error;
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

interface TxParts {
  send: (client: pg.PoolClient, sql: string, params: readonly Param[]) => Promise<Row[]>;
  append: (client: pg.PoolClient, groups: readonly AppendGroup[]) => Promise<(Appended | null)[]>;
  enqueue: (n: number) => string;
}

class PostgresTx implements Tx {
  #staged: WriteOp[][] = [];
  readonly #client: pg.PoolClient;
  readonly #parts: TxParts;

  constructor(client: pg.PoolClient, parts: TxParts) {
    this.#client = client;
    this.#parts = parts;
  }

  async query(sql: string, params: readonly Param[] = []): Promise<Row[]> {
    return this.#behindWrites(() => this.#parts.send(this.#client, sql, params));
  }

  write(ops: readonly WriteOp[]): void {
    const full = ops.filter((op) => op.rows.length > 0);
    if (full.length > 0) this.#staged.push(full);
  }

  async append(groups: readonly AppendGroup[]): Promise<(Appended | null)[]> {
    return this.#behindWrites(() => this.#parts.append(this.#client, groups));
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
        const { sql, params } = compilePostgres(ops, this.#parts.enqueue);
        return this.#parts.send(this.#client, sql, params);
      }),
    );
  }
}
