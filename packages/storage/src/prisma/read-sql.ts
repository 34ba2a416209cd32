import { z } from "zod";
import type { Column, ModelTable } from "./data-model.ts";
import type { Dialect, Param, Row } from "./sql.ts";

// Reads in the models' words, said in SQL: the part of them that lists and their details need. What is not understood
// is not guessed at: `NotInSql`, and the models read it themselves.

/** Thrown when a read says something that only the models understand. */
export class NotInSql extends Error {}

export type Tables = ReadonlyMap<string, ModelTable>;
type Words = Readonly<Record<string, unknown>>;
const isWords = (value: unknown): value is Words =>
  typeof value === "object" && value !== null && !(value instanceof Date) && !Array.isArray(value);

/** A statement in the making: its parameters, and how its database speaks. */
export class Statement {
  readonly params: Param[] = [];
  readonly tables: Tables;
  readonly dialect: Dialect;
  #aliases = 0;

  constructor(tables: Tables, dialect: Dialect) {
    this.tables = tables;
    this.dialect = dialect;
  }

  table(model: string): ModelTable {
    const table = this.tables.get(model);
    if (table === undefined) throw new NotInSql(model);
    return table;
  }

  alias(): string {
    this.#aliases += 1;
    return `t${this.#aliases}`;
  }

  bind(value: unknown): string {
    return `$${this.params.push(paramOf(this.dialect, value))}`;
  }

  /** The same for a list of texts: the parameter's number. */
  bindList(values: readonly string[]): number {
    return this.params.push(values);
  }
}

function paramOf(dialect: Dialect, value: unknown): Param {
  if (typeof value === "string" || typeof value === "number") return value;
  if (value instanceof Date) return dialect.time(value);
  throw new NotInSql(typeof value);
}

function columnOf(table: ModelTable, field: string): Column {
  const column = table.columns.get(field);
  if (column === undefined) throw new NotInSql(field);
  return column;
}

/** A `where` of the models as a condition on the rows of `alias`. */
export function conditionOf(statement: Statement, model: string, alias: string, where: unknown): string {
  if (!isWords(where)) throw new NotInSql("where");
  const table = statement.table(model);
  const parts: string[] = [];
  for (const [word, value] of Object.entries(where)) {
    if (value === undefined) continue;
    if (word === "AND" || word === "OR") {
      const all = (Array.isArray(value) ? value : [value]).map((one) => conditionOf(statement, model, alias, one));
      const joined = all.filter((one) => word === "OR" || one !== "TRUE");
      parts.push(joined.length > 0 ? `(${joined.join(` ${word} `)})` : word === "AND" ? "TRUE" : "FALSE");
      continue;
    }
    const parent = table.parents.get(word);
    if (parent !== undefined) {
      const inner = statement.alias();
      const held = conditionOf(statement, parent.model, inner, value);
      const { table: name } = statement.table(parent.model);
      parts.push(`EXISTS (SELECT 1 FROM ${name} ${inner} WHERE ${inner}.id = ${alias}.${parent.column} AND ${held})`);
      continue;
    }
    parts.push(...comparisons(statement, columnOf(table, word), alias, value));
  }
  const said = parts.filter((part) => part !== "TRUE");
  return said.length > 0 ? said.join(" AND ") : "TRUE";
}

const operators: Readonly<Record<string, string>> = { equals: "=", not: "<>", lt: "<", lte: "<=", gt: ">", gte: ">=" };

function comparisons(statement: Statement, { name, type }: Column, alias: string, value: unknown): string[] {
  const column = `${alias}.${name}`;
  if (type === "Json" || type === "Boolean") throw new NotInSql(type);
  if (value === null) return [`${column} IS NULL`];
  if (!isWords(value)) return [`${column} = ${statement.bind(value)}`];
  return Object.entries(value)
    .filter(([, operand]) => operand !== undefined)
    .map(([word, operand]) => {
      if (word === "in") {
        const texts = z.array(z.string()).safeParse(operand);
        if (!texts.success || type !== "String") throw new NotInSql("in");
        return statement.dialect.inList(column, statement.bindList(texts.data));
      }
      const operator = operators[word];
      if (operator === undefined || operand === null) throw new NotInSql(word);
      return `${column} ${operator} ${statement.bind(operand)}`;
    });
}

/** An `orderBy` of the models. */
export function orderOf(statement: Statement, model: string, alias: string, orderBy: unknown): string {
  const table = statement.table(model);
  const keys = (Array.isArray(orderBy) ? orderBy : [orderBy]).flatMap((key) => {
    if (!isWords(key)) throw new NotInSql("orderBy");
    return Object.entries(key);
  });
  return keys
    .map(([field, direction]) => {
      if (direction !== "asc" && direction !== "desc") throw new NotInSql("orderBy");
      return `${alias}.${columnOf(table, field).name} ${direction}`;
    })
    .join(", ");
}

/** What a `select` of the models takes: the columns, the joins they need, and how a row is put together. */
export interface Selected {
  columns: string;
  joins: string;
  read: (row: Row) => object;
}

export function selectionOf(statement: Statement, model: string, alias: string, select: unknown): Selected {
  const columns: string[] = [];
  const joins: string[] = [];
  const read = readerOf(statement, model, alias, select, columns, joins);
  return { columns: columns.join(", "), joins: joins.join(" "), read };
}

type Reader = (row: Row) => object;

function readerOf(
  statement: Statement,
  model: string,
  alias: string,
  select: unknown,
  columns: string[],
  joins: string[],
): Reader {
  if (!isWords(select)) throw new NotInSql("select");
  const table = statement.table(model);
  const members: { field: string; take: (row: Row) => unknown }[] = [];
  const add = (column: Column): ((row: Row) => unknown) => {
    const key = `c${columns.length}`;
    columns.push(`${alias}.${column.name} AS ${key}`);
    const decode = decoders[column.type];
    return (row) => {
      const value = row[key];
      return value === null || value === undefined ? null : decode(value);
    };
  };
  for (const [field, wanted] of Object.entries(select)) {
    if (wanted === undefined || wanted === false) continue;
    const parent = table.parents.get(field);
    if (parent === undefined) {
      if (wanted !== true) throw new NotInSql(field);
      members.push({ field, take: add(columnOf(table, field)) });
      continue;
    }
    if (!isWords(wanted) || Object.keys(wanted).some((word) => word !== "select")) throw new NotInSql(field);
    const joined = statement.alias();
    joins.push(
      `LEFT JOIN ${statement.table(parent.model).table} ${joined} ON ${joined}.id = ${alias}.${parent.column}`,
    );
    const there = `c${columns.length}`;
    columns.push(`${joined}.id AS ${there}`);
    const read = readerOf(statement, parent.model, joined, wanted.select, columns, joins);
    members.push({ field, take: (row) => (row[there] === null ? null : read(row)) });
  }
  return (row) => {
    const made: Record<string, unknown> = {};
    for (const { field, take } of members) made[field] = take(row);
    return made;
  };
}

const same = (value: unknown): unknown => value;
const decoders: Record<Column["type"], (value: unknown) => unknown> = {
  String: same,
  Int: same,
  Float: same,
  Boolean: (value) => value === true || value === 1,
  DateTime: (value) => new Date(String(value)),
  // SQLite's JSON columns have a numeric affinity: a JSON number comes back as the number itself.
  Json: (value) => (typeof value === "string" ? JSON.parse(value) : value),
};
