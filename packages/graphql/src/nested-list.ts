import { empty, join, raw, type Sql, sqltag as sql } from "@prisma/client/runtime/client";
import type { GraphQLResolveInfo } from "graphql";
import { z } from "zod";
import { Batches, groupBy } from "./batches.ts";
import { once, type Page, pageRows, wantsRows } from "./connection.ts";
import type { GraphContext } from "./context.ts";
import { type Behind, behind, countCap, type Order, type PageArgs, type PagePlan, planPage } from "./keyset.ts";

/** Selects joined into one statement; SQLite takes at most 500. */
const unionLimit = 400;

const Ids = z.array(z.object({ id: z.string() }));
const Counts = z.array(z.object({ place: z.coerce.number(), counted: z.coerce.number() }));

/** Where the rows of a nested list lie, in SQL's words. Only names written in this package, never a caller's. */
export interface NestedTable {
  table: string;
  parentColumn: string;
  keyColumn: string;
}

/** One read of a nested list, for the model to carry out with its visibility and selection. */
export interface NestedRead<Where, OrderBy> {
  where: { id: { in: string[] } } | { AND: (Where | Behind<Where>)[] };
  orderBy: (OrderBy | { id: "asc" | "desc" })[];
  take?: number;
}

/** A further condition, said twice: to the statement that finds the ids and to the model. */
export interface NestedCondition<Where> {
  sql: Sql;
  where: Where;
}

interface NestedRequest<Row, Where, OrderBy> {
  context: GraphContext;
  info: GraphQLResolveInfo;
  parentId: string;
  args: PageArgs;
  only?: NestedCondition<Where>;
  find: (read: NestedRead<Where, OrderBy>) => Promise<Row[]>;
}

/**
 * A connection below a row. Below a list it is read for all rows at once: one statement takes the ids of every page
 * (each with its own limit, so an index is entered per parent and no parent's whole list is read), one the rows.
 */
export class NestedList<Row extends { id: string }, Value extends Date | number, Where, OrderBy> {
  readonly #rows = new Batches<Row[]>();
  readonly #counts = new Batches<number>();
  readonly #name: string;
  readonly #place: NestedTable;
  readonly #order: Order<Row, Value, Where, OrderBy>;
  readonly #parent: { of: (row: Row) => string; where: (id: string) => Where };

  constructor(definition: {
    /** Names the list in its cursors, together with the parent. */
    name: string;
    place: NestedTable;
    order: Order<Row, Value, Where, OrderBy>;
    parent: { of: (row: Row) => string; where: (id: string) => Where };
  }) {
    this.#name = definition.name;
    this.#place = definition.place;
    this.#order = definition.order;
    this.#parent = definition.parent;
  }

  page(request: NestedRequest<Row, Where, OrderBy>): Page<Row> {
    const { context, info, parentId } = request;
    const list = `${this.#name}:${parentId}`;
    const plan = planPage(list, this.#order, request.args);
    const rows = once(async () =>
      pageRows(list, this.#order, plan, wantsRows(request.info) ? await this.#rowsOf(request, plan) : []),
    );
    const countAll = (parents: readonly string[]) => this.#countAll(context, parents, request.only);
    return { rows, count: once(() => this.#counts.load(context, info, parentId, countAll)) };
  }

  /** The last `size` rows of each parent, the newest first. */
  async newest(request: Omit<NestedRequest<Row, Where, OrderBy>, "args"> & { size: number }): Promise<Row[]> {
    const direction = this.#order.direction === "asc" ? "desc" : "asc";
    const plan: PagePlan<Value> = { size: request.size, backward: true, position: null, direction };
    return (await this.#rowsOf({ ...request, args: {} }, plan)).slice(0, request.size);
  }

  /** The rows of a plan, one more than its size, in reading direction. */
  async #rowsOf(request: NestedRequest<Row, Where, OrderBy>, plan: PagePlan<Value>): Promise<Row[]> {
    const { context, info, parentId } = request;
    // A cursor belongs to one parent, so nothing is gathered behind it.
    if (plan.position !== null) return this.#ofParent(request, plan, parentId);
    return this.#rows.load(context, info, parentId, async (parents) => {
      const [only] = parents;
      if (parents.length === 1 && only !== undefined) return [await this.#ofParent(request, plan, only)];
      return this.#ofParents(request, plan, parents);
    });
  }

  #ofParent(request: NestedRequest<Row, Where, OrderBy>, plan: PagePlan<Value>, parentId: string): Promise<Row[]> {
    const AND: (Where | Behind<Where>)[] = [this.#parent.where(parentId)];
    if (request.only !== undefined) AND.push(request.only.where);
    const position = behind(this.#order, plan);
    if (position !== undefined) AND.push(position);
    return request.find({ where: { AND }, orderBy: this.#orderBy(plan), take: plan.size + 1 });
  }

  async #ofParents(
    request: NestedRequest<Row, Where, OrderBy>,
    plan: PagePlan<Value>,
    parents: readonly string[],
  ): Promise<Row[][]> {
    const { table, parentColumn, keyColumn } = this.#place;
    const towards = raw(plan.direction);
    const pages = parents.map(
      (parent) => sql`SELECT id FROM (SELECT id FROM ${raw(table)} WHERE ${raw(parentColumn)} = ${parent}
        ${request.only === undefined ? empty : sql`AND ${request.only.sql}`}
        ORDER BY ${raw(keyColumn)} ${towards}, id ${towards} LIMIT ${plan.size + 1}) AS page`,
    );
    const ids = Ids.parse(await unionAll(request.context, pages)).map((row) => row.id);
    if (ids.length === 0) return parents.map(() => []);
    const found = await request.find({ where: { id: { in: ids } }, orderBy: this.#orderBy(plan) });
    return groupBy(parents, found, this.#parent.of);
  }

  async #countAll(context: GraphContext, parents: readonly string[], only?: NestedCondition<Where>): Promise<number[]> {
    const { table, parentColumn } = this.#place;
    const counts = parents.map(
      (parent, place) => sql`SELECT ${raw(String(place))} AS place, count(*) AS counted FROM (SELECT 1
        FROM ${raw(table)} WHERE ${raw(parentColumn)} = ${parent} ${only === undefined ? empty : sql`AND ${only.sql}`}
        LIMIT ${countCap + 1}) AS part`,
    );
    const found = new Map<number, number>();
    for (const row of Counts.parse(await unionAll(context, counts))) found.set(row.place, row.counted);
    return parents.map((_, place) => found.get(place) ?? 0);
  }

  #orderBy(plan: PagePlan<Value>): (OrderBy | { id: "asc" | "desc" })[] {
    return [this.#order.orderBy(plan.direction), { id: plan.direction }];
  }
}

/** Runs several SELECTs as one statement (or as few as the database allows). */
export async function unionAll(context: GraphContext, selects: readonly Sql[]): Promise<unknown[]> {
  const rows: unknown[] = [];
  for (let from = 0; from < selects.length; from += unionLimit) {
    const part = selects.slice(from, from + unionLimit);
    rows.push(...(await context.prisma.$queryRaw<unknown[]>(join(part, " UNION ALL "))));
  }
  return rows;
}
