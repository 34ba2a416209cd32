import { once, type Page, pageRows } from "./connection.ts";
import { type Behind, behind, type Order, type PageArgs, planPage } from "./keyset.ts";

/** One read of a list, for the model to carry out with its visibility, filter and selection. */
export interface RootRead<Where, OrderBy> {
  where: Behind<Where> | Record<string, never>;
  orderBy: (OrderBy | { id: "asc" | "desc" })[];
  take: number;
}

/** A connection at the root: one statement for the rows, one for the count when somebody wants it. */
export function rootPage<Row extends { id: string }, Value extends Date | number | string, Where, OrderBy>(request: {
  list: string;
  order: Order<Row, Value, Where, OrderBy>;
  args: PageArgs;
  find: (read: RootRead<Where, OrderBy>) => Promise<Row[]>;
  count: () => Promise<number>;
}): Page<Row> {
  const { list, order } = request;
  const plan = planPage(list, order, request.args);
  return {
    rows: once(async () => {
      const found = await request.find({
        where: behind(order, plan) ?? {},
        orderBy: [order.orderBy(plan.direction), { id: plan.direction }],
        take: plan.size + 1,
      });
      return pageRows(list, order, plan, found);
    }),
    count: once(request.count),
  };
}
