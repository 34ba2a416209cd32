import { storableJson, storableText } from "@wheelhouse/domain";
import { feedPlace } from "./feed.ts";
import { type ColumnType, columnType, type TableName } from "./tables.ts";
import { fanOutColumns, fanOutPostgres, fanOutSqlite } from "./webhook-fan-out.ts";

export type Value = string | number | null | Date | object | boolean | undefined;
export type Values = Readonly<Record<string, unknown>>;

/** One write as data. All rows of an op have the same columns; an update finds its row by `id`. */
export type WriteOp =
  | { op: "insert"; table: TableName; rows: readonly Values[] /** What follows the rows in SQL. */; conflict?: string }
  | { op: "update"; table: TableName; rows: readonly Values[] }
  /** Dispatches runs by `id`, where a queue is kept for them: in PostgreSQL. */
  | { op: "dispatch"; rows: readonly { id: string }[] }
  /** Tells the project's webhooks; see webhook-fan-out.ts. */
  | { op: "deliver"; table: "webhook_deliveries"; rows: readonly Values[] };
type RowOp = Exclude<WriteOp, { op: "dispatch" }>;

/** `sql` with one parameter per op (`$1`…), and the parameters. */
export interface Statement {
  sql: string;
  params: string[];
}

const postgresTypes: Record<ColumnType, string> = {
  text: "text",
  int: "int",
  big: "bigint",
  time: "timestamp(3)",
  json: "jsonb",
  "json!": "jsonb",
  flag: "boolean",
  feed: "bigint",
};

const shapes = new Map<string, string>();

/**
 * The ops as ONE statement for PostgreSQL: each op takes its rows from one JSON parameter. `enqueue` is the SQL that
 * dispatches the runs whose ids are the rows of parameter `$n`.
 */
export function compilePostgres(ops: readonly WriteOp[], enqueue: (n: number) => string): Statement {
  const key = ops
    .map((op) =>
      op.op === "dispatch"
        ? enqueue(0)
        : [op.op, op.table, Object.keys(op.rows[0] ?? {}).join(), conflictOf(op)].join(" "),
    )
    .join("|");
  let sql = shapes.get(key);
  if (sql === undefined) {
    const parts = ops.map((op, i) => (op.op === "dispatch" ? enqueue(i + 1) : postgresText(op, i + 1)));
    // A SELECT among them is executed only as far as somebody reads it.
    const read = ops.flatMap((op, i) => (op.op === "dispatch" ? [`(SELECT count(*) FROM w${i + 1})`] : []));
    sql =
      parts.length === 1
        ? (parts[0] ?? "SELECT 1")
        : `WITH ${parts.map((text, i) => `w${i + 1} AS (${text})`).join(", ")} SELECT ${read.join(", ") || "1"}`;
    shapes.set(key, sql);
  }
  return { sql, params: ops.map((op) => storableJsonText(op.rows)) };
}

const conflictOf = (op: RowOp): string => (op.op === "insert" ? (op.conflict ?? "") : "");

function postgresText(op: RowOp, n: number): string {
  if (op.op === "deliver") return fanOutPostgres(recordset(n, fanOutColumns));
  const names = Object.keys(op.rows[0] ?? {});
  const record = recordset(n, Object.fromEntries(names.map((name) => [name, columnType(op.table, name)])));
  const value = (name: string) => postgresValue(columnType(op.table, name), `v.${name}`);
  if (op.op === "insert")
    return `INSERT INTO ${op.table} (${names.join(", ")}) SELECT ${names.map(value).join(", ")} FROM ${record} ${conflictOf(op)}`;
  const sets = names.filter((name) => name !== "id").map((name) => `${name} = ${value(name)}`);
  return `UPDATE ${op.table} t SET ${sets.join(", ")} FROM ${record} WHERE t.id = v.id`;
}

function postgresValue(type: ColumnType, given: string): string {
  if (type === "json!") return `coalesce(${given}, 'null'::jsonb)`;
  return type === "feed" ? `greatest(${given}, ${feedPlace})` : given;
}

/** Parameter `$n`, a JSON array of objects, as rows `v` with these columns. */
export const recordset = (n: number, columns: Readonly<Record<string, ColumnType>>, alias = "v"): string =>
  `jsonb_to_recordset($${n}::jsonb) AS ${alias}(${Object.entries(columns)
    .map(([name, type]) => `${name} ${postgresTypes[type]}`)
    .join(", ")})`;

// What PostgreSQL refuses in JSON: NUL and halves of surrogate pairs. JSON.stringify writes both as escapes, so one look
// at the text decides whether the value has to be cleaned and written again.
const unstorableEscape = /\\u(?:0000|d[89a-f])/i;

/** JSON text of a value that every database can store. Undefined becomes null in arrays and is left out of objects. */
export function storableJsonText(value: unknown): string {
  const text = JSON.stringify(value ?? null);
  return unstorableEscape.test(text) ? JSON.stringify(storableJson(JSON.parse(text))) : text;
}

/** Text that every database can store; the same text when there is nothing to change. */
export const storable = (text: string): string =>
  text.includes("\0") || !text.isWellFormed() ? storableText(text) : text;

interface SqliteStatement {
  sql: string;
  columns: { name: string; type: ColumnType }[];
}

const fanOut: SqliteStatement = {
  sql: fanOutSqlite,
  columns: Object.entries(fanOutColumns).map(([name, type]) => ({ name, type })),
};
const sqliteShapes = new Map<string, SqliteStatement>();

/** The op as SQLite runs it: one text with `?` placeholders, executed once per row. */
export function compileSqlite(op: RowOp): SqliteStatement {
  const names = Object.keys(op.rows[0] ?? {});
  const key = `${op.op} ${op.table} ${names.join()} ${conflictOf(op)}`;
  const known = sqliteShapes.get(key);
  if (known !== undefined) return known;
  if (op.op === "deliver") return fanOut;
  const columns = (op.op === "insert" ? names : [...names.filter((name) => name !== "id"), "id"]).map((name) => ({
    name,
    type: columnType(op.table, name),
  }));
  const sql =
    op.op === "insert"
      ? `INSERT INTO ${op.table} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")}) ${conflictOf(op)}`
      : `UPDATE ${op.table} SET ${columns
          .slice(0, -1)
          .map(({ name }) => `${name} = ?`)
          .join(", ")} WHERE id = ?`;
  const fresh = { sql, columns };
  sqliteShapes.set(key, fresh);
  return fresh;
}

/** A value as SQLite stores it, the same way as Prisma's adapter does. */
export function sqliteValue(value: unknown, type: ColumnType): string | number | null {
  if (value === undefined || value === null) return type === "json!" ? "null" : null;
  if (type === "json" || type === "json!") return storableJsonText(value);
  if (value instanceof Date) return sqliteTime(value);
  if (typeof value === "number") return value;
  if (typeof value === "boolean") return value ? 1 : 0;
  return storable(String(value));
}

/** A timestamp as SQLite stores it: ISO 8601 with the offset written out, which sorts as text. */
export const sqliteTime = (date: Date): string => date.toISOString().replace("Z", "+00:00");
