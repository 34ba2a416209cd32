import { decodeCursor, encodeCursor, invalid, Refusal } from "@wheelhouse/domain";

/** Rows of one page when the caller does not say. */
export const defaultPageSize = 50;
/** Most rows of one page. */
export const maxPageSize = 100;
/** A count stops here: beyond it the exact number is not worth reading every row for. */
export const countCap = 10_000;

/** The arguments of every connection. */
export interface PageArgs {
  first?: number | null | undefined;
  after?: string | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
}

type Direction = "asc" | "desc";
type SortValue = Date | number | string;
interface Comparison<Value> {
  lt?: Value;
  lte?: Value;
  gt?: Value;
  gte?: Value;
}

/**
 * The order of a list: a sort key and the id, both in one direction. `Where` is the model's condition on the key;
 * the row only has to carry what the order reads.
 */
export interface Order<Row, Value extends SortValue, Where, OrderBy> {
  /** Part of the cursor, so that a cursor of another order is refused. */
  name: string;
  direction: Direction;
  read: (row: Row) => Value;
  parse: (value: string | number | null | undefined) => Value | null;
  where: (comparison: Comparison<Value>) => Where;
  orderBy: (direction: Direction) => OrderBy;
}

export const dateKey = (value: string | number | null | undefined): Date | null => {
  const date = typeof value === "string" ? new Date(value) : null;
  return date === null || Number.isNaN(date.getTime()) ? null : date;
};
export const numberKey = (value: string | number | null | undefined): number | null =>
  typeof value === "number" && Number.isSafeInteger(value) ? value : null;
export const textKey = (value: string | number | null | undefined): string | null =>
  typeof value === "string" ? value : null;

/** A page as it is asked of the database: rows behind `position` in `direction`, one more than `size`. */
export interface PagePlan<Value> {
  size: number;
  /** True for `last`: rows are read from the end and turned round. */
  backward: boolean;
  position: { value: Value; id: string } | null;
  direction: Direction;
}

/** Checks the arguments of a connection and turns them into a plan. `list` names the list in its cursors. */
export function planPage<Row, Value extends SortValue, Where, OrderBy>(
  list: string,
  order: Order<Row, Value, Where, OrderBy>,
  args: PageArgs,
): PagePlan<Value> {
  const { first, last, after, before } = args;
  if (first != null && last != null) throw invalid("last", "ask for the first rows or for the last ones, not for both");
  if (after != null && before != null) throw invalid("before", "give one cursor, after or before");
  if (after != null && last != null) throw invalid("last", "use first with after, and last with before");
  if (before != null && first != null) throw invalid("first", "use first with after, and last with before");
  const backward = last != null || before != null;
  const cursor = after ?? before;
  return {
    size: pageSize(backward ? last : first, backward ? "last" : "first"),
    backward,
    position: cursor == null ? null : positionOf(list, order, cursor),
    direction: backward ? (order.direction === "asc" ? "desc" : "asc") : order.direction,
  };
}

/** The size of a page that the caller asks for with the argument `name`. */
export function pageSize(value: number | null | undefined, name = "first"): number {
  const size = value ?? defaultPageSize;
  if (size < 0 || size > maxPageSize) throw invalid(name, `a page has 0 to ${maxPageSize} rows`);
  return size;
}

function positionOf<Row, Value extends SortValue, Where, OrderBy>(
  list: string,
  order: Order<Row, Value, Where, OrderBy>,
  cursor: string,
): { value: Value; id: string } {
  const [key, id] = decodeCursor(`${list}:${order.name}`, cursor);
  const value = order.parse(key);
  if (value === null || typeof id !== "string") throw new Refusal("INVALID_CURSOR", "The cursor is malformed");
  return { value, id };
}

/** The cursor of a row in a list. */
export function cursorOf<Row extends { id: string }, Value extends SortValue, Where, OrderBy>(
  list: string,
  order: Order<Row, Value, Where, OrderBy>,
  row: Row,
): string {
  const value = order.read(row);
  return encodeCursor(`${list}:${order.name}`, [value instanceof Date ? value.toISOString() : value, row.id]);
}

/** A condition on the key and the id together. */
export type Behind<Where> = { AND: (Where | { OR: (Where | { id: { lt?: string; gt?: string } })[] })[] };

/**
 * The rows behind a position, as a WHERE. Unlike paging from a cursor row it holds when that row changed or is gone.
 * The first condition repeats the bound so that an index on the key can be entered at it.
 */
export function behind<Row, Value extends SortValue, Where, OrderBy>(
  order: Order<Row, Value, Where, OrderBy>,
  plan: PagePlan<Value>,
): Behind<Where> | undefined {
  if (plan.position === null) return undefined;
  const { value, id } = plan.position;
  return plan.direction === "asc"
    ? { AND: [order.where({ gte: value }), { OR: [order.where({ gt: value }), { id: { gt: id } }] }] }
    : { AND: [order.where({ lte: value }), { OR: [order.where({ lt: value }), { id: { lt: id } }] }] };
}
