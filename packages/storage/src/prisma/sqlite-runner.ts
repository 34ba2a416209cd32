import type SqliteHandle from "better-sqlite3";
import type { Param, Row } from "./sql.ts";
import { compileSqlite, sqliteValue, storable, type WriteOp } from "./write-set.ts";

/** Prepared statements kept; texts are few, as every value is a parameter. */
const maxPrepared = 500;

/** Runs SQL at once on a connection that the caller has its turn on. */
export interface SqliteRunner {
  /** Parameters are written `$1`. */
  query(sql: string, params?: readonly Param[]): Row[];
  write(op: WriteOp): void;
}

interface Prepared {
  statement: SqliteHandle.Statement<unknown[], unknown[]>;
  /** Of the columns it answers; null when it answers none. */
  names: readonly string[] | null;
}

export function sqliteRunner(handle: SqliteHandle.Database, onStatement: (sql: string) => void): SqliteRunner {
  const prepared = new Map<string, Prepared>();
  const prepare = (sql: string): Prepared => {
    onStatement(sql);
    const known = prepared.get(sql);
    if (known !== undefined) return known;
    // `$1` is a named parameter to SQLite; `?1` is the numbered one.
    const text = sql.replaceAll(/\$(\d+)/g, "?$1");
    const statement = handle.prepare<unknown[], unknown[]>(text).safeIntegers(false);
    // Rows come as arrays: as objects, the driver makes every column's name anew for every row.
    const names = statement.reader ? statement.columns().map((column) => column.name) : null;
    const fresh = { statement: names === null ? statement : statement.raw(true), names };
    if (prepared.size < maxPrepared) prepared.set(sql, fresh);
    return fresh;
  };
  const value = (param: Param) =>
    typeof param === "string" ? storable(param) : Array.isArray(param) ? JSON.stringify(param) : param;
  return {
    query(sql, params = []) {
      const { statement, names } = prepare(sql);
      // The driver takes `?1` for a parameter with the name 1.
      const values: Record<number, unknown> = {};
      for (const [i, param] of params.entries()) values[i + 1] = value(param);
      if (names !== null) return statement.all(values).map((row) => rowOf(names, row));
      statement.run(values);
      return [];
    },
    write(op) {
      if (op.op === "dispatch" || op.rows.length === 0) return;
      const { sql, columns } = compileSqlite(op);
      const { statement } = prepare(sql);
      for (const row of op.rows) statement.run(...columns.map(({ name, type }) => sqliteValue(row[name], type)));
    },
  };
}

function rowOf(names: readonly string[], values: readonly unknown[]): Row {
  const row: Record<string, unknown> = {};
  for (const [i, name] of names.entries()) row[name] = values[i];
  return row;
}
