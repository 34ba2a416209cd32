import type { TypedDocumentNode } from "@graphql-typed-document-node/core";
import { type CallArguments, printDocument, type RootField, type Variables } from "./document.ts";
import { Closing } from "./follow.ts";
import { type HeaderSource, sendRequest } from "./send-request.ts";
import { createSocketLink, defaultLinkTimings, type LinkTimings, type WebSocketConstructor } from "./socket-link.ts";
import { type LiveValue, type SubscribeOptions, subscribeLive } from "./subscribe.ts";
import { type PagedData, type WatchOptions, watchPages } from "./watch.ts";

export interface ClientOptions {
  /** Address of the API, for example `https://wheelhouse.example.com/graphql`. The live reads go to the same place. */
  url: string;
  /** Sent as a bearer token. Leave it out in a page of the same origin, where the session cookie speaks. */
  apiKey?: string;
  /** Further headers of every request; they are also sent when a live connection opens. */
  headers?: HeaderSource;
  /** Slug of the project to work in, for callers that belong to several. */
  project?: string;
  /** Default: the platform's own. */
  fetch?: typeof globalThis.fetch;
  /** Default: the platform's own. Node before 22 has none: give the one of the package `ws`. */
  webSocket?: WebSocketConstructor;
  /** Milliseconds; the defaults suit networks between people and servers. */
  timings?: Partial<LinkTimings>;
}

export interface RequestOptions {
  signal?: AbortSignal;
}

export interface WheelhouseClient extends AsyncDisposable {
  /** Answers the data of a query or mutation. A refusal of a mutation is data; everything else throws `GraphQLRequestError`. */
  request<R, V extends Variables>(
    document: TypedDocumentNode<R, V>,
    ...rest: CallArguments<V, RequestOptions>
  ): Promise<R>;
  /** Reads a log of events for as long as it goes on, over lost connections, each event once. See `watchPages`. */
  watch<R extends PagedData, V extends Variables>(
    document: TypedDocumentNode<R, V>,
    ...rest: CallArguments<V, WatchOptions>
  ): AsyncIterableIterator<RootField<R>>;
  /** Follows a live value that has no cursor, over lost connections. See `subscribeLive`. */
  subscribe<R, V extends Variables>(
    document: TypedDocumentNode<R, V>,
    ...rest: CallArguments<V, SubscribeOptions>
  ): AsyncIterableIterator<LiveValue<RootField<R>>>;
  /** Tries lost connections now instead of waiting for the next attempt. Browsers' own signals do this by themselves. */
  reconnectNow(): void;
  /** Ends every live read and closes the connection. */
  close(): Promise<void>;
}

/** A client of one Wheelhouse. All of its live reads share one WebSocket, which exists only while there are any. */
export function createClient(options: ClientOptions): WheelhouseClient {
  const url = new URL(options.url);
  const headers = async (): Promise<Record<string, string>> => ({
    ...(typeof options.headers === "function" ? await options.headers() : options.headers),
    ...(options.apiKey === undefined ? {} : { authorization: `Bearer ${options.apiKey}` }),
    ...(options.project === undefined ? {} : { "x-wheelhouse-project": options.project }),
  });
  const transport = { url: url.href, fetch: options.fetch ?? globalThis.fetch.bind(globalThis), headers };
  const link = createSocketLink({
    url: url.href.replace(/^http/, "ws"),
    webSocket: options.webSocket,
    connectionParams: headers,
    timings: { ...defaultLinkTimings, ...options.timings },
  });

  const closing = new Closing();
  const close = async (): Promise<void> => {
    closing.begin();
    await link.close();
  };

  return {
    async request<R, V extends Variables>(
      document: TypedDocumentNode<R, V>,
      ...[variables, more]: CallArguments<V, RequestOptions>
    ) {
      // The document's type says what the server answers to it.
      return (await sendRequest(transport, printDocument(document), variables, more?.signal)) as R;
    },
    watch<R extends PagedData, V extends Variables>(
      document: TypedDocumentNode<R, V>,
      ...rest: CallArguments<V, WatchOptions>
    ) {
      const [variables, more] = rest;
      return watchPages(link, document, variables, { ...more, closing });
    },
    subscribe<R, V extends Variables>(document: TypedDocumentNode<R, V>, ...rest: CallArguments<V, SubscribeOptions>) {
      const [variables, more] = rest;
      return subscribeLive(link, document, variables, { ...more, closing });
    },
    reconnectNow: link.wake,
    close,
    [Symbol.asyncDispose]: close,
  };
}
