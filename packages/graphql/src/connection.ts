import type { OutputRef } from "@pothos/core";
import type { GraphQLResolveInfo } from "graphql";
import { builder } from "./builder.ts";
import { countCap, cursorOf, type Order, type PagePlan } from "./keyset.ts";

/** One page of a list, in list order, read when somebody asks for its rows. */
export interface Page<Row> {
  rows: () => Promise<PageRows<Row>>;
  /** Counted only when asked for, and no further than the cap. */
  count: () => Promise<number>;
}

export interface PageRows<Row> {
  edges: { cursor: string; node: Row }[];
  hasNextPage: boolean;
  hasPreviousPage: boolean;
}

/** The fields of a connection under which its rows are selected. */
export const rowPaths = [["nodes"], ["edges", "node"]];

/** Turns what the database answered (one row more than the page, reading direction) into the page. */
export function pageRows<Row extends { id: string }, Value extends Date | number | string, Where, OrderBy>(
  list: string,
  order: Order<Row, Value, Where, OrderBy>,
  plan: PagePlan<Value>,
  found: readonly Row[],
): PageRows<Row> {
  const more = found.length > plan.size;
  const rows = found.slice(0, plan.size);
  if (plan.backward) rows.reverse();
  return {
    edges: rows.map((node) => ({
      node,
      // Made when asked for: most operations select nodes alone, and a nested page has hundreds.
      get cursor() {
        return cursorOf(list, order, node);
      },
    })),
    hasNextPage: plan.backward ? plan.position !== null : more,
    hasPreviousPage: plan.backward ? more : plan.position !== null,
  };
}

/** A promise that is made once, when first wanted. */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

const PageInfo = builder.objectRef<PageRows<unknown>>("PageInfo").implement({
  description: "Where a page stands in its list.",
  fields: (t) => ({
    hasNextPage: t.exposeBoolean("hasNextPage", { description: "Whether rows follow this page." }),
    hasPreviousPage: t.exposeBoolean("hasPreviousPage", { description: "Whether rows precede this page." }),
    startCursor: t.field({
      type: "Cursor",
      nullable: true,
      description: "The cursor of the first row.",
      resolve: (page) => page.edges[0]?.cursor ?? null,
    }),
    endCursor: t.field({
      type: "Cursor",
      nullable: true,
      description: "The cursor of the last row.",
      resolve: (page) => page.edges.at(-1)?.cursor ?? null,
    }),
  }),
});

/** What a list of this type looks like from outside. */
export const pageArguments = {
  first: { description: "How many rows from the beginning, or behind `after`: 0 to 100, 50 when absent." },
  after: { description: "The cursor to read behind." },
  last: { description: "How many rows from the end, or before `before`." },
  before: { description: "The cursor to read before." },
};

/** Whether the operation wants rows of a connection at all (a mere count needs none). */
export const wantsRows = (info: GraphQLResolveInfo): boolean =>
  info.fieldNodes.some((field) =>
    (field.selectionSet?.selections ?? []).some(
      (selection) => selection.kind !== "Field" || !selection.name.value.startsWith("totalCount"),
    ),
  );

export { PageInfo };
export const isExact = (count: number): boolean => count <= countCap;
export const capped = (count: number): number => Math.min(count, countCap);

/** The connection and edge types of one noun. */
export function connectionType<Row extends { id: string }>(name: string, ref: OutputRef<Row>) {
  const edge = builder.objectRef<{ cursor: string; node: Row }>(`${name}Edge`).implement({
    description: `A ${name} in a list.`,
    fields: (t) => ({
      cursor: t.expose("cursor", { type: "Cursor", description: "The position of the row in this list." }),
      node: t.expose("node", { type: ref, description: "The row." }),
    }),
  });
  return builder.objectRef<Page<Row>>(`${name}Connection`).implement({
    description: `A page of a list of ${name} rows.`,
    fields: (t) => ({
      edges: t.field({
        type: [edge],
        description: "The rows with their cursors.",
        resolve: async (page) => (await page.rows()).edges,
      }),
      nodes: t.field({
        type: [ref],
        description: "The rows.",
        resolve: async (page) => (await page.rows()).edges.map((found) => found.node),
      }),
      pageInfo: t.field({
        type: PageInfo,
        description: "Where this page stands in the list.",
        resolve: (page) => page.rows(),
      }),
      totalCount: t.int({
        description: `How many rows the whole list has; counting stops at ${countCap}.`,
        resolve: async (page) => Math.min(await page.count(), countCap),
      }),
      totalCountIsExact: t.boolean({
        description: `False when the list has more than ${countCap} rows.`,
        resolve: async (page) => (await page.count()) <= countCap,
      }),
    }),
  });
}
