"use client";

import type { PagedData, RootField, TypedDocumentNode } from "@wheelhouse/client";
import { useEffect, useRef } from "react";
import type { ConnectionState } from "./connection.ts";
import { useClient, useConnectionStore } from "./data-provider.tsx";
import { nameOfDocument } from "./document-name.ts";
import { type AnyVariables, untied } from "./untied.ts";

interface LiveReader<T> {
  open: (signal: AbortSignal, onState: (state: string) => void) => AsyncIterable<T>;
  onValue: (value: T) => void;
  onError: ((error: unknown) => void) | undefined;
  onEnd: (() => void) | undefined;
}

const connectionStates: readonly ConnectionState[] = ["connecting", "live", "catching-up", "reconnecting"];

/** Runs one live reader while mounted and `key` stays the same; its state joins the shell's. */
function useLiveReader<T>(key: string | null, reader: LiveReader<T>): void {
  const connection = useConnectionStore();
  const latest = useRef(reader);
  latest.current = reader;
  useEffect(() => {
    if (key === null) return;
    const abort = new AbortController();
    const registered = connection.register();
    const setState = (state: string) => {
      const known = connectionStates.find((each) => each === state);
      if (known !== undefined) registered.set(known);
    };
    const follow = async () => {
      for await (const value of latest.current.open(abort.signal, setState)) {
        if (abort.signal.aborted) return;
        latest.current.onValue(value);
      }
      if (!abort.signal.aborted) latest.current.onEnd?.();
    };
    follow()
      .catch((error: unknown) => {
        if (!abort.signal.aborted) latest.current.onError?.(error);
      })
      .finally(registered.end);
    return () => {
      abort.abort();
      registered.end();
    };
  }, [connection, key]);
}

export interface SubscriptionHandlers<R> {
  /** `first` is true on the first value after every (re)connection: it replaces what was known before. */
  onValue: (value: RootField<R>, first: boolean) => void;
  /** The stream was refused: trying again does not heal it. */
  onError?: (error: unknown) => void;
}

/** Follows a live value without a cursor (`sessionsLive`) while mounted; reconnects by itself. */
export function useSubscription<R, V extends AnyVariables>(
  document: TypedDocumentNode<R, V>,
  variables: V,
  handlers: SubscriptionHandlers<R>,
  { pause = false }: { pause?: boolean } = {},
): void {
  const client = useClient();
  useLiveReader(pause ? null : `${nameOfDocument(document)}:${JSON.stringify(variables)}`, {
    open: (signal, onState) => client.subscribe(untied(document), variables, { signal, onState }),
    onValue: ({ value, first }) => handlers.onValue(value, first),
    onError: handlers.onError,
    onEnd: undefined,
  });
}

export interface WatchHandlers<R> {
  onPage: (page: RootField<R>) => void;
  onError?: (error: unknown) => void;
  /** The stream is over: its last page was `terminal`. */
  onEnd?: () => void;
}

/**
 * Reads a log of events (`sessionEvents`, `runEvents`) while mounted: backlog, then tail, each event once, over lost
 * connections. Changing `variables` starts anew; the cursor is moved forward by the client, so leave `after` at its start.
 */
export function useWatch<R extends PagedData, V extends AnyVariables>(
  document: TypedDocumentNode<R, V>,
  variables: V,
  handlers: WatchHandlers<R>,
  { pause = false }: { pause?: boolean } = {},
): void {
  const client = useClient();
  useLiveReader(pause ? null : `${nameOfDocument(document)}:${JSON.stringify(variables)}`, {
    open: (signal, onState) => client.watch(untied(document), variables, { signal, onState }),
    onValue: handlers.onPage,
    onError: handlers.onError,
    onEnd: handlers.onEnd,
  });
}
