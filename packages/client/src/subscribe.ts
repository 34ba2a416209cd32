import type { TypedDocumentNode } from "@graphql-typed-document-node/core";
import { printDocument, type RootField, rootFieldOf, type Variables } from "./document.ts";
import { abortable, type Closing, follow, type WatchState } from "./follow.ts";
import type { SocketLink } from "./socket-link.ts";
import { changesOnly } from "./watch.ts";

export interface SubscribeOptions {
  /** Ends the iteration without an error. */
  signal?: AbortSignal;
  /** Told every change of the connection's state. */
  onState?: (state: WatchState) => void;
}

export interface LiveValue<T> {
  value: T;
  /** True on the first value of every subscription, also after a lost connection: it replaces all that came before. */
  first: boolean;
}

/**
 * Follows a live value that has no cursor. After a lost connection it subscribes anew, and the value that comes then is
 * marked `first`: what was known before may be stale. Throws a `GraphQLRequestError` when the server refuses.
 */
export function subscribeLive<R, V extends Variables>(
  link: SocketLink,
  document: TypedDocumentNode<R, V>,
  variables: V | undefined,
  options: SubscribeOptions & { closing?: Closing } = {},
): AsyncIterableIterator<LiveValue<RootField<R>>> {
  const operation = printDocument(document);
  const { responseKey } = rootFieldOf(document);
  const onState = changesOnly(options.onState);

  return abortable(options, async function* (signal) {
    const frames = follow(link, {
      payload: () => ({ ...operation, variables: { ...variables } }),
      signal,
      onState,
      onResync: () => undefined,
    });
    for await (const { data, first } of frames) {
      onState("live");
      // The document's type says what the server answers to it.
      yield { value: data[responseKey] as RootField<R>, first };
    }
  });
}
