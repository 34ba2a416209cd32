"use client";

import type { TypedDocumentNode } from "@wheelhouse/client";
import { useEffect, useSyncExternalStore } from "react";
import { useClient, useListCache } from "../data/data-provider.tsx";
import { nameOfDocument } from "../data/document-name.ts";
import { type AnyVariables, untied } from "../data/untied.ts";
import { createKeysetStore, type KeysetPage, type KeysetState, type KeysetStore } from "./keyset-store.ts";

/** The part of a connection that lists read. */
export interface Connection<Row> {
  nodes: readonly Row[];
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
  totalCount: number;
  totalCountIsExact: boolean;
}

export const pageSize = 60;

/** A list read by cursor, as it was left when one comes back to it. The document takes `$first` and `$after`. */
export function useKeysetList<Row extends { id: string }, R, V extends AnyVariables>(
  document: TypedDocumentNode<R, V>,
  variables: Omit<V, "first" | "after">,
  connectionOf: (data: R) => Connection<Row>,
): { store: KeysetStore<Row>; state: KeysetState<Row> } {
  const client = useClient();
  const cache = useListCache();
  const key = `${nameOfDocument(document)}:${JSON.stringify(variables)}`;
  // The key names the document, and the document the type of its rows.
  const store = cache.open(key, () =>
    createKeysetStore(async (after) => {
      const data = await client.request(untied(document), { ...variables, first: pageSize, after });
      return pageOf(connectionOf(data));
    }),
  ) as KeysetStore<Row>;
  const state = useSyncExternalStore(store.subscribe, store.get, store.get);
  useEffect(() => store.load(), [store]);
  return { store, state };
}

const pageOf = <Row>(connection: Connection<Row>): KeysetPage<Row> => ({
  rows: connection.nodes,
  endCursor: connection.pageInfo.endCursor,
  hasMore: connection.pageInfo.hasNextPage,
  totalCount: connection.totalCount,
  totalCountIsExact: connection.totalCountIsExact,
});
