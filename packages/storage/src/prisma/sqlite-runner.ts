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

export function sqliteRunner(handle: SqliteHandle.Database, onStatement: (sql: string) => void): SqliteRunner {
  const prepared = new Map<string, SqliteHandle.Statement<unknown[], Row>>();
  const prepare = (sql: string) => {
    onStatement(sql);
    let statement = prepared.get(sql);
    if (statement === undefined) {
      // `$1` is a named parameter to SQLite; `?1` is the numbered one.
      statement = handle.prepare<unknown[], Row>(sql.replaceAll(/\$(\d+)/g, "?$1")).safeIntegers(false);
      if (prepared.size < maxPrepared) prepared.set(sql, statement);
    }
    return statement;
  };
  const value = (param: Param) =>
    typeof param === "string" ? storable(param) : Array.isArray(param) ? JSON.stringify(param) : param;
  return {
    query(sql, params = []) {
      const statement = prepare(sql);
      // The driver takes `?1` for a parameter with the name 1.
      const values = [Object.fromEntries(params.map((param, i) => [i + 1, value(param)]))];
      if (statement.reader) return statement.all(...values);
      statement.run(...values);
      return [];
    },
    write(op) {
      if (op.rows.length === 0) return;
      const { sql, columns } = compileSqlite(op);
      const statement = prepare(sql);
      for (const row of op.rows) statement.run(...columns.map(({ name, type }) => sqliteValue(row[name], type)));
    },
  };
}
