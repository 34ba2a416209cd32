"use client";

import type { TypedDocumentNode } from "@wheelhouse/client";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useClient, useQueryCache } from "./data-provider.tsx";
import { nameOfDocument } from "./document-name.ts";
import { type AnyVariables, untied } from "./untied.ts";

export interface QueryState<R> {
  /** The newest answer for these variables; the cached one until it arrives. */
  data: R | undefined;
  error: unknown;
  /** Nothing to show yet. */
  loading: boolean;
  /** An answer is on its way, with or without an older one to show. */
  fetching: boolean;
  refetch: () => void;
}

interface Answer<R> {
  key: string;
  data: R | undefined;
  error: unknown;
}

/**
 * Asks a query and asks again when its variables change. An answer that was seen before is shown while the new one is
 * on its way. `pause` asks nothing.
 */
export function useQuery<R, V extends AnyVariables>(
  document: TypedDocumentNode<R, V>,
  variables: V,
  { pause = false }: { pause?: boolean } = {},
): QueryState<R> {
  const client = useClient();
  const cache = useQueryCache();
  const key = `${nameOfDocument(document)}:${JSON.stringify(variables)}`;
  const [answer, setAnswer] = useState<Answer<R> | null>(null);
  const [fetching, setFetching] = useState(!pause);
  const [round, setRound] = useState(0);
  const latest = useRef(variables);
  latest.current = variables;

  // biome-ignore lint/correctness/useExhaustiveDependencies: `key` stands for the variables, `round` asks again.
  useEffect(() => {
    if (pause) {
      setFetching(false);
      return;
    }
    const abort = new AbortController();
    setFetching(true);
    client
      .request(untied(document), latest.current, { signal: abort.signal })
      .then((data) => {
        cache.set(key, data);
        setAnswer({ key, data, error: undefined });
        setFetching(false);
      })
      .catch((error: unknown) => {
        if (abort.signal.aborted) return;
        setAnswer((before) => ({ key, data: before?.key === key ? before.data : undefined, error }));
        setFetching(false);
      });
    return () => abort.abort();
  }, [client, cache, document, key, pause, round]);

  const refetch = useCallback(() => setRound((n) => n + 1), []);
  return useMemo(() => {
    const current = answer?.key === key ? answer : null;
    // The cache holds what this same document answered.
    const data = current?.data ?? (cache.get(key) as R | undefined);
    const error = current?.error;
    return { data, error, loading: data === undefined && error === undefined && !pause, fetching, refetch };
  }, [answer, cache, key, pause, fetching, refetch]);
}
