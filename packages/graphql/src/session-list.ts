import { type Authority, Refusal } from "@wheelhouse/domain";
import { visibleTo } from "@wheelhouse/storage/models";
import { builder } from "./builder.ts";
import { once, type Page, pageRows } from "./connection.ts";
import { authorityOf, type GraphContext } from "./context.ts";
import { type SessionOrder, SessionStatus } from "./enums.ts";
import {
  type Behind,
  behind,
  countCap,
  dateKey,
  type Order,
  type PageArgs,
  type PagePlan,
  planPage,
} from "./keyset.ts";
import { escapeLike, matchesText, needsSecondLook, textCondition } from "./text-filter.ts";

export const SessionFilter = builder.inputType("SessionFilter", {
  description: "Which sessions to list. All conditions must hold; an empty list of agents or statuses lists nothing.",
  fields: (t) => ({
    agents: t.stringList({ description: "Only those of the agents with these names." }),
    statuses: t.field({ type: [SessionStatus], description: "Only those in one of these states." }),
    text: t.string({
      description: "Only those with this in their title, first or last message or external id, in any case.",
    }),
    externalIdPrefix: t.string({ description: "Only those whose external id begins like this." }),
    activeAfter: t.field({ type: "DateTime", description: "Only those active at or after this moment." }),
    activeBefore: t.field({ type: "DateTime", description: "Only those active before this moment." }),
  }),
});
export type SessionFilterInput = typeof SessionFilter.$inferInput;

/** What the list itself reads of a row, whatever the operation selects. */
export interface SessionRow {
  id: string;
  createdAt: Date;
  lastActivityAt: Date;
  title: string | null;
  firstMessage: string | null;
  lastMessage: string | null;
  externalId: string | null;
}
export const sessionRowSelect = {
  id: true,
  createdAt: true,
  lastActivityAt: true,
  title: true,
  firstMessage: true,
  lastMessage: true,
  externalId: true,
} as const;

type SortWhere = { createdAt?: object; lastActivityAt?: object };
type SortOrder = { createdAt: "asc" | "desc" } | { lastActivityAt: "asc" | "desc" };
type SessionSort = Order<SessionRow, Date, SortWhere, SortOrder>;

const byCreation = (name: string, direction: "asc" | "desc"): SessionSort => ({
  name,
  direction,
  read: (row) => row.createdAt,
  parse: dateKey,
  where: (createdAt) => ({ createdAt }),
  orderBy: (towards) => ({ createdAt: towards }),
});
const byActivity = (name: string, direction: "asc" | "desc"): SessionSort => ({
  name,
  direction,
  read: (row) => row.lastActivityAt,
  parse: dateKey,
  where: (lastActivityAt) => ({ lastActivityAt }),
  orderBy: (towards) => ({ lastActivityAt: towards }),
});

const orders: Record<typeof SessionOrder.$inferType, SessionSort> = {
  LAST_ACTIVITY_DESC: byActivity("LAST_ACTIVITY_DESC", "desc"),
  LAST_ACTIVITY_ASC: byActivity("LAST_ACTIVITY_ASC", "asc"),
  CREATED_DESC: byCreation("CREATED_DESC", "desc"),
  CREATED_ASC: byCreation("CREATED_ASC", "asc"),
};

/** The condition of a filter, visibility included. */
export function sessionWhere(context: GraphContext, authority: Authority, filter: SessionFilterInput) {
  const { agents, statuses, text, externalIdPrefix, activeAfter, activeBefore } = filter;
  const like = text ? textCondition(context, text) : undefined;
  const prefix = externalIdPrefix ? escapeLike(context, externalIdPrefix) : undefined;
  return {
    AND: [
      visibleTo(authority).session,
      agents == null ? {} : { agent: { name: { in: [...agents] } } },
      statuses == null ? {} : { status: { in: [...statuses] } },
      like ? { OR: [{ title: like }, { firstMessage: like }, { lastMessage: like }, { externalId: like }] } : {},
      prefix ? { externalId: { startsWith: prefix } } : {},
      activeAfter == null ? {} : { lastActivityAt: { gte: activeAfter } },
      activeBefore == null ? {} : { lastActivityAt: { lt: activeBefore } },
    ],
  };
}

/** The test that a row must pass besides the condition; null when the condition is exact. */
export function secondLook(context: GraphContext, filter: SessionFilterInput): ((row: SessionRow) => boolean) | null {
  const { text, externalIdPrefix } = filter;
  const checkText = text ? needsSecondLook(context, text) : false;
  const checkPrefix = externalIdPrefix ? context.runtime.storage.kind !== "postgres" : false;
  if (!checkText && !checkPrefix) return null;
  return (row) =>
    (!checkText || matchesText(text ?? "", [row.title, row.firstMessage, row.lastMessage, row.externalId])) &&
    (!checkPrefix || (row.externalId?.startsWith(externalIdPrefix ?? "") ?? false));
}

export interface SessionRead {
  where: { AND: (ReturnType<typeof sessionWhere> | Behind<SortWhere>)[] };
  orderBy: (SortOrder | { id: "asc" | "desc" })[];
  take: number;
}

/** Rows read at once while a second look is needed. */
const scanRows = 200;

/** A page of the sessions that a filter lists. `find` reads with the operation's selection. */
export function sessionPage<Row extends SessionRow>(request: {
  context: GraphContext;
  args: PageArgs;
  filter: SessionFilterInput;
  orderBy: typeof SessionOrder.$inferType;
  find: (read: SessionRead) => Promise<Row[]>;
}): Page<Row> {
  const { context, args, filter } = request;
  const authority = authorityOf(context);
  const order = orders[request.orderBy];
  const plan = planPage("sessions", order, args);
  const where = sessionWhere(context, authority, filter);
  const accepts = secondLook(context, filter);
  return {
    rows: once(async () =>
      pageRows("sessions", order, plan, await readRows(request.find, where, order, plan, accepts)),
    ),
    count: once(async () => {
      if (accepts === null) return context.prisma.session.count({ where, take: countCap + 1 });
      const find = (read: SessionRead) => context.prisma.session.findMany({ ...read, select: sessionRowSelect });
      const all: PagePlan<Date> = { size: countCap, backward: false, position: null, direction: order.direction };
      return (await readRows<SessionRow>(find, where, order, all, accepts)).length;
    }),
  };
}

async function readRows<Row extends SessionRow>(
  find: (read: SessionRead) => Promise<Row[]>,
  where: ReturnType<typeof sessionWhere>,
  order: SessionSort,
  plan: PagePlan<Date>,
  accepts: ((row: SessionRow) => boolean) | null,
): Promise<Row[]> {
  const wanted = plan.size + 1;
  const take = accepts === null ? wanted : Math.max(scanRows, wanted);
  const rows: Row[] = [];
  let position = plan.position;
  for (;;) {
    const bound = behind(order, { ...plan, position });
    const found = await find({
      where: { AND: bound === undefined ? [where] : [where, bound] },
      orderBy: [order.orderBy(plan.direction), { id: plan.direction }],
      take,
    });
    for (const row of found) if (rows.length < wanted && (accepts === null || accepts(row))) rows.push(row);
    const last = found.at(-1);
    if (accepts === null || rows.length >= wanted || found.length < take || last === undefined) return rows;
    position = { value: order.read(last), id: last.id };
  }
}

/** Which of these sessions the filter lists, wherever they stand. */
export async function stillListed(
  context: GraphContext,
  filter: SessionFilterInput,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const where = sessionWhere(context, authorityOf(context), filter);
  const found = await context.prisma.session.findMany({
    where: { AND: [where, { id: { in: [...ids] } }] },
    select: sessionRowSelect,
  });
  const accepts = secondLook(context, filter) ?? (() => true);
  return new Set(found.filter(accepts).map((row) => row.id));
}

/** Refuses text that no database can look for. */
export function checkFilter(filter: SessionFilterInput): SessionFilterInput {
  for (const [name, value] of Object.entries({ text: filter.text, externalIdPrefix: filter.externalIdPrefix }))
    if (value != null && (value.includes("\0") || !value.isWellFormed() || value.length > 1000))
      throw new Refusal("INVALID_INPUT", `filter.${name}: at most 1000 characters, no NUL, no lone surrogates`, {
        issues: [{ path: `filter.${name}`, message: "at most 1000 characters, no NUL, no lone surrogates" }],
      });
  return filter;
}
