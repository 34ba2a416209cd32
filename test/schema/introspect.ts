import SqliteHandle from "better-sqlite3";
import pg from "pg";

/** A database's schema in words that both databases share. */
export interface Schema {
  /** table → column → "type" or "type?" */
  columns: Record<string, Record<string, string>>;
  /** "table name unique? (columns)" and whether partial */
  indexes: Record<string, { table: string; unique: boolean; columns: string[]; partial: boolean }>;
  /** "table(columns) → table(columns) onDelete" */
  foreignKeys: string[];
  /** constraint name → its values */
  checks: Record<string, string[]>;
}

const own = (table: string): boolean => table !== "_prisma_migrations";

const quotedIn = (text: string): string[] => [...text.matchAll(/'([^']+)'/g)].map((match) => match[1] ?? "");

export function sqliteSchema(file: string): Schema {
  const db = new SqliteHandle(file, { readonly: true });
  try {
    const rows = <T>(sql: string, ...params: unknown[]) => db.prepare<unknown[], T>(sql).all(...params);
    const tables = rows<{ name: string; sql: string }>(
      "SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
    ).filter(({ name }) => own(name));
    const schema: Schema = { columns: {}, indexes: {}, foreignKeys: [], checks: {} };
    for (const { name: table, sql } of tables) {
      schema.columns[table] = sqliteColumns(rows("SELECT name, type, [notnull], pk FROM pragma_table_info(?)", table));
      for (const index of rows<SqliteIndex>(
        "SELECT name, [unique], origin, partial FROM pragma_index_list(?)",
        table,
      )) {
        if (index.origin === "pk") continue;
        const columns = rows<{ name: string; desc: number }>(
          "SELECT name, desc FROM pragma_index_xinfo(?) WHERE key = 1 ORDER BY seqno",
          index.name,
        ).map(({ name, desc }) => (desc ? `${name} desc` : name));
        schema.indexes[index.name] = { table, unique: index.unique === 1, columns, partial: index.partial === 1 };
      }
      for (const key of rows<SqliteKey>(
        "SELECT [from], [table], [to], on_delete FROM pragma_foreign_key_list(?)",
        table,
      ))
        schema.foreignKeys.push(`${table}(${key.from}) → ${key.table}(${key.to}) ${key.on_delete}`);
      for (const [, name = "", values = ""] of sql.matchAll(/CONSTRAINT "(\w+_check)" CHECK \("\w+" IN \(([^)]*)\)\)/g))
        schema.checks[name] = quotedIn(values);
    }
    return { ...schema, foreignKeys: schema.foreignKeys.sort() };
  } finally {
    db.close();
  }
}

interface SqliteIndex {
  name: string;
  unique: number;
  origin: string;
  partial: number;
}
interface SqliteKey {
  from: string;
  table: string;
  to: string;
  on_delete: string;
}
interface SqliteColumn {
  name: string;
  type: string;
  notnull: number;
  pk: number;
}

const sqliteTypes: Record<string, string> = {
  TEXT: "text",
  INTEGER: "int",
  BIGINT: "bigint",
  DATETIME: "time",
  JSONB: "json",
  BOOLEAN: "boolean",
  BLOB: "bytes",
  REAL: "float",
};

const sqliteColumns = (columns: SqliteColumn[]): Record<string, string> =>
  Object.fromEntries(
    columns.map(({ name, type, notnull, pk }) => [name, `${sqliteTypes[type] ?? type}${notnull || pk ? "" : "?"}`]),
  );

const postgresTypes: Record<string, string> = {
  text: "text",
  integer: "int",
  bigint: "bigint",
  "timestamp(3) without time zone": "time",
  jsonb: "json",
  boolean: "boolean",
  bytea: "bytes",
  "double precision": "float",
};

export async function postgresSchema(url: string, name = "public"): Promise<Schema> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const rows = async <T extends object>(sql: string): Promise<T[]> => (await client.query<T>(sql, [name])).rows;
    const columns: Schema["columns"] = {};
    for (const column of await rows<{ table: string; name: string; type: string; required: boolean }>(columnSql)) {
      if (!own(column.table)) continue;
      columns[column.table] = {
        ...columns[column.table],
        [column.name]: `${postgresTypes[column.type] ?? column.type}${column.required ? "" : "?"}`,
      };
    }
    const indexes: Schema["indexes"] = {};
    for (const { name: index, ...rest } of await rows<Schema["indexes"][string] & { name: string }>(indexSql))
      if (own(rest.table)) indexes[index] = rest;
    const keys = await rows<{ text: string }>(keySql);
    const checks = await rows<{ name: string; text: string }>(checkSql);
    return {
      columns,
      indexes,
      foreignKeys: keys.map(({ text }) => text).sort(),
      checks: Object.fromEntries(checks.map((check) => [check.name, quotedIn(check.text)])),
    };
  } finally {
    await client.end();
  }
}

const columnSql = `SELECT c.relname AS table, a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type,
    a.attnotnull AS required
  FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid AND c.relkind = 'r'
  JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = $1 AND a.attnum > 0 AND NOT a.attisdropped ORDER BY c.relname, a.attnum`;

const indexSql = `SELECT i.relname AS name, c.relname AS table, x.indisunique AS unique, x.indpred IS NOT NULL AS partial,
    (SELECT array_agg(a.attname || CASE WHEN x.indoption[k.n - 1] & 1 = 1 THEN ' desc' ELSE '' END ORDER BY k.n)
     FROM unnest(x.indkey) WITH ORDINALITY AS k(attnum, n)
     JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.attnum)::text[] AS columns
  FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_class c ON c.oid = x.indrelid
  JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND NOT x.indisprimary`;

const keySql = `SELECT c.relname || '(' || (SELECT string_agg(a.attname, ',') FROM unnest(k.conkey) AS u(attnum)
      JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = u.attnum) || ') → ' || r.relname || '(' ||
    (SELECT string_agg(a.attname, ',') FROM unnest(k.confkey) AS u(attnum)
      JOIN pg_attribute a ON a.attrelid = r.oid AND a.attnum = u.attnum) || ') ' ||
    CASE k.confdeltype WHEN 'c' THEN 'CASCADE' WHEN 'n' THEN 'SET NULL' WHEN 'r' THEN 'RESTRICT' ELSE 'NO ACTION' END AS text
  FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_class r ON r.oid = k.confrelid
  JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND k.contype = 'f'`;

const checkSql = `SELECT k.conname AS name, pg_get_constraintdef(k.oid) AS text FROM pg_constraint k
  JOIN pg_class c ON c.oid = k.conrelid JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = $1 AND k.contype = 'c'`;
