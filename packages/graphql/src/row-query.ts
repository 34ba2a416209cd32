import { queryFromInfo } from "@pothos/plugin-prisma";
import type { GraphQLResolveInfo } from "graphql";
import type { GraphContext } from "./context.ts";

type Columns = Readonly<Record<string, true>>;

const made = new WeakMap<GraphQLResolveInfo, object>();

/**
 * What to read of the rows that a field answers with: `select` and what the operation selects on them. The rows of a list
 * ask in turn; in a compiled query they do so with one `info`, and are answered once.
 */
export function rowQuery<const Select extends Columns>(field: {
  context: GraphContext;
  info: GraphQLResolveInfo;
  typeName: string;
  paths?: string[][];
  select: Select;
}): { select: Select } {
  let query = made.get(field.info);
  if (query === undefined) {
    query = queryFromInfo(field);
    made.set(field.info, query);
  }
  // One `info` is one field's, and a field always asks for the same columns besides what is selected.
  return query as { select: Select };
}
