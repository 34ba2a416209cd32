import { appendGroup, nextFeedPlace } from "./append-sqlite.ts";
import { sqliteHorizon } from "./feed.ts";
import type { SerialSqlite } from "./serial-sqlite.ts";
import type { Appended, AppendGroup, Database, Dialect, Param, Row, Tx } from "./sql.ts";
import { type SqliteRunner, sqliteRunner } from "./sqlite-runner.ts";
import { sqliteTime, type WriteOp } from "./write-set.ts";

const codeOf = (error: unknown): string =>
  typeof error === "object" && error !== null && "code" in error && typeof error.code === "string" ? error.code : "";

export const sqliteDialect: Dialect = {
  name: "sqlite",
  lock: () => "",
  lockFree: () => "",
  inList: (expression, n) => `${expression} IN (SELECT value FROM json_each($${n}))`,
  list: (n) => `(SELECT value AS id, key AS place FROM json_each($${n})) AS parent`,
  // Without LATERAL: the ids of a parent's rows are listed anew for each parent.
  eachOf: (n, table, row, inner, found) =>
    `(SELECT value AS id FROM json_each($${n})) AS parent JOIN ${table} ${row} ON ${row}.id IN (SELECT ${inner}.id ${found})`,
  // Scopes are written as canonical JSON, so equal values are equal texts.
  jsonEquals: (expression, n) => `${expression} = $${n}`,
  feedHorizon: sqliteHorizon,
  time: sqliteTime,
  leaseTime: (n) => `lease_time($${n})`,
  // Nothing waits for a dispatch here: the workers of the process look by themselves.
  dispatching: (update) => update,
  isUniqueViolation: (error) =>
    codeOf(error) === "SQLITE_CONSTRAINT_UNIQUE" || codeOf(error) === "SQLITE_CONSTRAINT_PRIMARYKEY",
  // Another process, for example the command line, holds the write lock for longer than the timeout.
  isTransient: (error) => codeOf(error).startsWith("SQLITE_BUSY"),
  isConnectionLoss: () => false,
};

/** The one connection as a database. A transaction holds the connection's turn; appends take it once per tick. */
export function openSqliteDatabase(
  connection: SerialSqlite,
  { clock, onStatement }: { clock: { now(): Date }; onStatement: (sql: string) => void },
): Database {
  const { handle, turns } = connection;
  // Only forward, whatever is done to the machine's clock: all owners of leases live in this process.
  handle.function("lease_time", (ms: unknown) =>
    sqliteTime(new Date(performance.timeOrigin + performance.now() + Number(ms))),
  );
  const run = sqliteRunner(handle, onStatement);
  const append = (groups: readonly AppendGroup[]): (Appended | null)[] => {
    const now = clock.now();
    return groups.map((group) => appendGroup(run, group, now));
  };
  const appendInTransaction = handle.transaction(append);
  return {
    dialect: sqliteDialect,
    appendShards: 1,
    query: (sql, params = []) => turns.run(() => run.query(sql, params)),
    transaction: (work) =>
      turns.run(async () => {
        handle.exec("BEGIN IMMEDIATE");
        try {
          const value = await work(sqliteTx(run, append));
          handle.exec("COMMIT");
          return value;
        } catch (error) {
          if (handle.inTransaction) handle.exec("ROLLBACK");
          throw error;
        }
      }),
    appendAlone: (_shard, groups) => turns.run(() => appendInTransaction.immediate(groups)),
    async [Symbol.asyncDispose]() {
      // Whoever is in a transaction finishes it first.
      await turns.run(() => connection.close());
    },
  };
}

function sqliteTx(run: SqliteRunner, append: (groups: readonly AppendGroup[]) => (Appended | null)[]): Tx {
  return {
    query: async (sql: string, params: readonly Param[] = []): Promise<Row[]> => run.query(sql, params),
    write: (ops: readonly WriteOp[]) => {
      const later: WriteOp[] = [];
      for (const op of ops) run.write(withFeedPlace(run, withoutLastRun(op, later)));
      for (const op of later) run.write(op);
    },
    append: async (groups) => append(groups),
  };
}

/** PostgreSQL finds the place in the statement itself. */
function withFeedPlace(run: SqliteRunner, op: WriteOp): WriteOp {
  if (op.op !== "insert" || op.table !== "events" || op.rows.length === 0) return op;
  const position = nextFeedPlace(run);
  return { ...op, rows: op.rows.map((row) => ({ ...row, position })) };
}

/**
 * A session names its last run, which names its session; SQLite looks at each row as it is written. So the name goes into
 * `later`, to be written behind the run. (`PRAGMA defer_foreign_keys` would do the same, and make SQLite compile every
 * statement of the connection anew: ten times the cost of the transaction.)
 */
function withoutLastRun(op: WriteOp, later: WriteOp[]): WriteOp {
  if (op.op === "dispatch" || op.table !== "sessions" || !op.rows.some((row) => row.last_run_id != null)) return op;
  const names = op.rows.map(({ id, last_run_id }) => ({ id, last_run_id }));
  later.push({ op: "update", table: "sessions", rows: names });
  return { ...op, rows: op.rows.map(({ last_run_id: _, ...row }) => row) };
}
