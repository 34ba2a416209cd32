import { z } from "zod";
import type { Prisma, PrismaClient } from "../generated/postgresql/client.ts";
import { modelTables } from "./data-model.ts";
import { conditionOf, NotInSql, orderOf, Statement, selectionOf, type Tables } from "./read-sql.ts";
import type { Database } from "./sql.ts";

/** The models whose rows are read in great numbers. */
export const listedModels = [
  "agent",
  "session",
  "task",
  "run",
  "step",
  "event",
  "message",
  "interrupt",
  "modelCall",
  "artifact",
  "artifactVersion",
] as const;
export type ListedModel = (typeof listedModels)[number];

type Args<M extends ListedModel> = Prisma.Args<PrismaClient[M], "findMany">;
type Found<M extends ListedModel, A> = Prisma.Result<PrismaClient[M], A, "findMany">;

/** The rows that a column of theirs hangs below these parents. */
export interface Below {
  field: string;
  parents: readonly string[];
}

/** Reads of lists below many rows at once, which the models would read whole. */
export interface RowReader {
  /** The first `take` rows of every parent; `where` carries the visibility, as in every read. */
  firstOfEach<M extends ListedModel, const A extends Args<M>>(model: M, below: Below, args: A): Promise<Found<M, A>>;
  /** How many rows each parent has, counted no further than `cap`, in the order of the parents. */
  countEach<M extends ListedModel>(
    model: M,
    below: Below,
    read: { where: NonNullable<Args<M>["where"]>; cap: number },
  ): Promise<number[]>;
}

const modelName = (model: ListedModel): string => `${model.slice(0, 1).toUpperCase()}${model.slice(1)}`;
const names = new Set<string>(listedModels.map(modelName));
const known = new Set(["select", "where", "orderBy", "take"]);
const Take = z.int().min(0);
const Ids = z.array(z.object({ id: z.string() }));
const Delegate = z.looseObject({
  findMany: z.custom<(args: object) => Promise<object[]>>((value) => typeof value === "function"),
});

/**
 * The models with their lists read in SQL of our own: a page costs a quarter of the CPU that the models' query compiler
 * and the putting together of its rows take. Reads that say more than `read-sql.ts` understands go the models' own way.
 */
export function openRowReader(db: Database, client: PrismaClient): { models: PrismaClient; rows: RowReader } {
  const tables = modelTables(client);
  const read = async (model: string, args: object): Promise<object[] | null> => {
    if (!names.has(model)) return null;
    try {
      return await findRows(db, tables, model, args);
    } catch (error) {
      if (error instanceof NotInSql) return null;
      throw error;
    }
  };
  const extended: unknown = client.$extends({
    query: {
      $allModels: {
        findMany: async ({ model, args, query }) => (await read(model, args)) ?? query(args),
        findFirst: async ({ model, args, query }) => {
          const found = await read(model, { ...args, take: 1 });
          return found === null ? query(args) : (found[0] ?? null);
        },
      },
    },
  });
  const rows: RowReader = {
    async firstOfEach(model, below, args) {
      const found = await firstRows(db, tables, modelName(model), below, args).catch(async (error: unknown) => {
        if (!(error instanceof NotInSql)) throw error;
        // What is selected takes the models: they read the rows that SQL has found.
        const ids = Ids.parse(await firstRows(db, tables, modelName(model), below, { ...args, select: { id: true } }));
        const where = { id: { in: ids.map((row) => row.id) } };
        return Delegate.parse(client[model]).findMany({ select: args.select, where, orderBy: args.orderBy });
      });
      return found as Found<typeof model, typeof args>;
    },
    countEach: (model, below, { where, cap }) => countRows(db, tables, modelName(model), below, where, cap),
  };
  // An extended client has the same methods for what is read and written here.
  return { models: extended as PrismaClient, rows };
}

interface Words {
  select?: unknown;
  where?: unknown;
  orderBy?: unknown;
  take?: unknown;
}

async function findRows(db: Database, tables: Tables, model: string, args: Words): Promise<object[]> {
  if (Object.entries(args).some(([word, value]) => value !== undefined && !known.has(word))) throw new NotInSql("args");
  const statement = new Statement(tables, db.dialect);
  const alias = statement.alias();
  const { columns, joins, read } = selectionOf(statement, model, alias, args.select);
  const condition = conditionOf(statement, model, alias, args.where ?? {});
  const order = args.orderBy === undefined ? "" : `ORDER BY ${orderOf(statement, model, alias, args.orderBy)}`;
  // In the text: a plan for any number of rows is a plan for very many.
  const limit = args.take === undefined ? "" : `LIMIT ${Take.parse(args.take)}`;
  const { table } = statement.table(model);
  const sql = `SELECT ${columns} FROM ${table} ${alias} ${joins} WHERE ${condition} ${order} ${limit}`;
  return (await db.query(sql, statement.params)).map(read);
}

async function firstRows(db: Database, tables: Tables, model: string, below: Below, args: Words): Promise<object[]> {
  const statement = new Statement(tables, db.dialect);
  const parents = statement.bindList(below.parents);
  const [row, inner] = [statement.alias(), statement.alias()];
  const { columns, joins, read } = selectionOf(statement, model, row, args.select);
  const { table } = statement.table(model);
  const found = `FROM ${table} ${inner} WHERE ${isBelow(statement, model, inner, below)}
    AND ${conditionOf(statement, model, inner, args.where)}
    ORDER BY ${orderOf(statement, model, inner, args.orderBy)} LIMIT ${Take.parse(args.take)}`;
  const sql = `SELECT ${columns} FROM ${db.dialect.eachOf(parents, table, row, inner, found)} ${joins}
    ORDER BY ${orderOf(statement, model, row, args.orderBy)}`;
  return (await db.query(sql, statement.params)).map(read);
}

const Counted = z.object({ counted: z.coerce.number() });

async function countRows(
  db: Database,
  tables: Tables,
  model: string,
  below: Below,
  where: unknown,
  cap: number,
): Promise<number[]> {
  const statement = new Statement(tables, db.dialect);
  const parents = statement.bindList(below.parents);
  const row = statement.alias();
  const condition = `${isBelow(statement, model, row, below)} AND ${conditionOf(statement, model, row, where)}`;
  const { table } = statement.table(model);
  const sql = `SELECT (SELECT count(*) FROM (SELECT 1 FROM ${table} ${row} WHERE ${condition} LIMIT ${cap}) part)
    AS counted FROM ${db.dialect.list(parents)} ORDER BY parent.place`;
  return (await db.query(sql, statement.params)).map((found) => Counted.parse(found).counted);
}

function isBelow(statement: Statement, model: string, alias: string, { field }: Below): string {
  const column = statement.table(model).columns.get(field);
  if (column === undefined) throw new TypeError(`${model} has no column for ${field}`);
  return `${alias}.${column.name} = parent.id`;
}
