import DataLoader from "dataloader";
import type { GraphQLResolveInfo } from "graphql";
import type { GraphContext } from "./context.ts";

/** The place of a field in the answer, list positions left out: the same for every row of a list. */
export function placeOf(info: GraphQLResolveInfo): string {
  const keys: string[] = [];
  for (let at: GraphQLResolveInfo["path"] | undefined = info.path; at !== undefined; at = at.prev)
    if (typeof at.key === "string") keys.push(`${at.typename}.${at.key}`);
  return keys.reverse().join("/");
}

/**
 * Gathers what the rows of one list ask for in the same field and reads it at once, so that a list of any length costs
 * the same number of statements. One batch per place in the answer: there the arguments and the selection are the same.
 */
export class Batches<Value> {
  readonly #loaders = new WeakMap<GraphContext, Map<string, DataLoader<string, Value>>>();

  /** `read` answers the keys in their order. */
  load(
    context: GraphContext,
    info: GraphQLResolveInfo,
    key: string,
    read: (keys: readonly string[]) => Promise<Value[]>,
  ): Promise<Value> {
    let places = this.#loaders.get(context);
    if (places === undefined) {
      places = new Map();
      this.#loaders.set(context, places);
    }
    const place = placeOf(info);
    let loader = places.get(place);
    if (loader === undefined) {
      // Nothing is remembered: a subscription's operation lives long, and its next frame wants the rows of then.
      loader = new DataLoader(read, { cache: false });
      places.set(place, loader);
    }
    return loader.load(key);
  }
}

/** The rows of each parent, in the order of the parents. */
export function groupBy<Row>(parents: readonly string[], rows: readonly Row[], parentOf: (row: Row) => string | null) {
  const groups = new Map<string, Row[]>(parents.map((parent) => [parent, []]));
  for (const row of rows) groups.get(parentOf(row) ?? "")?.push(row);
  return parents.map((parent) => groups.get(parent) ?? []);
}
