import type { Below } from "@wheelhouse/storage/models";
import type { GraphQLResolveInfo } from "graphql";
import { Batches, groupBy } from "./batches.ts";
import { once, type Page, pageRows, wantsRows } from "./connection.ts";
import type { GraphContext } from "./context.ts";
import { type Behind, behind, countCap, type Order, type PageArgs, type PagePlan, planPage } from "./keyset.ts";

/** One read of a nested list, for the model to carry out with its visibility and selection. */
export interface NestedRead<Where, OrderBy> {
  where: { AND: (Where | Behind<Where>)[] };
  orderBy: (OrderBy | { id: "asc" | "desc" })[];
  take: number;
}

interface NestedRequest<Row, Where, OrderBy> {
  context: GraphContext;
  info: GraphQLResolveInfo;
  parentId: string;
  args: PageArgs;
  /** A further condition. */
  only?: Where | undefined;
  find: (below: Below, read: NestedRead<Where, OrderBy>) => Promise<Row[]>;
}

/** How many rows each parent has, at most `cap`; carried out with the visibility of the model. */
type CountEach = (below: Below, cap: number) => Promise<number[]>;

/**
 * A connection below a row. Below a list it is read for all rows at once: one statement takes every page, each with its
 * own limit, so an index is entered per parent and no parent's whole list is read.
 */
export class NestedList<Row extends { id: string }, Value extends Date | number, Where, OrderBy> {
  readonly #rows = new Batches<Row[]>();
  readonly #counts = new Batches<number>();
  readonly #name: string;
  readonly #order: Order<Row, Value, Where, OrderBy>;
  readonly #parent: { field: string; of: (row: Row) => string };

  constructor(definition: {
    /** Names the list in its cursors, together with the parent. */
    name: string;
    order: Order<Row, Value, Where, OrderBy>;
    /** Where a row names its parent. */
    parent: { field: string; of: (row: Row) => string };
  }) {
    this.#name = definition.name;
    this.#order = definition.order;
    this.#parent = definition.parent;
  }

  page(request: NestedRequest<Row, Where, OrderBy> & { count: CountEach }): Page<Row> {
    const { context, info, parentId, count } = request;
    const list = `${this.#name}:${parentId}`;
    const plan = planPage(list, this.#order, request.args);
    const rows = once(async () =>
      pageRows(list, this.#order, plan, wantsRows(request.info) ? await this.#rowsOf(request, plan) : []),
    );
    const countAll = (parents: readonly string[]) => count(this.#below(parents), countCap + 1);
    return { rows, count: once(() => this.#counts.load(context, info, parentId, countAll)) };
  }

  /** The last `size` rows of each parent, the newest first. */
  async newest(request: Omit<NestedRequest<Row, Where, OrderBy>, "args"> & { size: number }): Promise<Row[]> {
    const direction = this.#order.direction === "asc" ? "desc" : "asc";
    const plan: PagePlan<Value> = { size: request.size, backward: true, position: null, direction };
    return (await this.#rowsOf({ ...request, args: {} }, plan)).slice(0, request.size);
  }

  /** The rows of a plan, one more than its size, in reading direction. */
  #rowsOf(request: NestedRequest<Row, Where, OrderBy>, plan: PagePlan<Value>): Promise<Row[]> {
    const { context, info, parentId } = request;
    const position = behind(this.#order, plan);
    const read: NestedRead<Where, OrderBy> = {
      where: { AND: [request.only, position].filter((condition) => condition !== undefined) },
      orderBy: [this.#order.orderBy(plan.direction), { id: plan.direction }],
      take: plan.size + 1,
    };
    // A cursor belongs to one parent, so nothing is gathered behind it.
    if (position !== undefined) return request.find(this.#below([parentId]), read);
    return this.#rows.load(context, info, parentId, async (parents) =>
      groupBy(parents, await request.find(this.#below(parents), read), this.#parent.of),
    );
  }

  #below(parents: readonly string[]): Below {
    return { field: this.#parent.field, parents };
  }
}
