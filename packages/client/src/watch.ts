import type { TypedDocumentNode } from "@graphql-typed-document-node/core";
import { printDocument, type RootField, rootFieldOf, takesVariable, type Variables } from "./document.ts";
import { abortable, type Closing, follow, type WatchState } from "./follow.ts";
import type { SocketLink } from "./socket-link.ts";

/** What `watch` needs of a page; `events` should select `sequence`, so that a repeated delivery is recognised. */
export interface WatchedPage {
  endCursor: string;
  caughtUp: boolean;
  /** True on the last page of a stream that has an end. */
  terminal?: boolean;
  events: readonly { sequence?: number; sessionId?: string }[];
}

/** The data of a subscription whose root field yields pages. */
export type PagedData = { [rootField: string]: WatchedPage };

export interface WatchOptions {
  /** Ends the iteration without an error. */
  signal?: AbortSignal;
  /** Told every change of the connection's state. */
  onState?: (state: WatchState) => void;
  /**
   * Told when the server could not keep its promise and continues from `cursor` (null: from the first event). `reason`:
   * SLOW (too much waited for this reader) and CLOSED (by an operator) lose nothing; PRUNED: the log before the cursor is
   * gone; SET_BACK: the log is not the one that was read (its database was restored), and is told from the cursor on.
   */
  onResync?: (cursor: string | null, reason: string | null) => void;
}

/**
 * Reads a log page by page, from `variables.after` (or the first event) on: what is there, then what comes. A lost
 * connection is replaced and resumed behind the last page that was taken, so every event arrives once and in order.
 * Ends after the page that says `terminal`; throws a `GraphQLRequestError` when the server refuses.
 */
export function watchPages<R extends PagedData, V extends Variables>(
  link: SocketLink,
  document: TypedDocumentNode<R, V>,
  variables: V | undefined,
  options: WatchOptions & { closing?: Closing } = {},
): AsyncIterableIterator<RootField<R>> {
  const operation = printDocument(document);
  const rootField = rootFieldOf(document);
  if (!takesVariable(document, "after"))
    throw new TypeError("watch: the document must take $after, to go on from a cursor");
  const onState = changesOnly(options.onState);

  return abortable(options, async function* (signal) {
    let moved: { after: string | null } | undefined;
    const seen = new SeenEvents(rootField.ofOneSession);
    const frames = follow(link, {
      payload: () => ({ ...operation, variables: { ...variables, ...moved } }),
      signal,
      onState,
      onResync(cursor, reason) {
        // Other events have the sequences of those that were read.
        if (reason === "SET_BACK") seen.forget();
        moved = { after: cursor };
        options.onResync?.(cursor, reason);
      },
    });
    for await (const { data } of frames) {
      // The document's type says what the server answers to it.
      const page = data[rootField.responseKey] as RootField<R>;
      const events = page.events.filter((event) => seen.add(event));
      if (page.caughtUp) onState("live");
      yield events.length === page.events.length ? page : { ...page, events };
      moved = { after: page.endCursor };
      if (page.terminal === true) return;
    }
  });
}

/** Lets each event of each session through once. Within a session sequences only grow. */
class SeenEvents {
  readonly #ofOneSession: boolean;
  readonly #lastBySession = new Map<string, number>();

  constructor(ofOneSession: boolean) {
    this.#ofOneSession = ofOneSession;
  }

  /** False when the event was there before. */
  add({ sequence, sessionId }: WatchedPage["events"][number]): boolean {
    if (sequence === undefined || (sessionId === undefined && !this.#ofOneSession)) return true;
    const session = this.#ofOneSession ? "" : (sessionId ?? "");
    if (sequence <= (this.#lastBySession.get(session) ?? 0)) return false;
    this.#lastBySession.set(session, sequence);
    return true;
  }

  forget(): void {
    this.#lastBySession.clear();
  }
}

/** Passes on a state only when it is another than the last one. */
export function changesOnly(onState: ((state: WatchState) => void) | undefined): (state: WatchState) => void {
  let last: WatchState | undefined;
  return (state) => {
    if (state === last) return;
    last = state;
    onState?.(state);
  };
}
