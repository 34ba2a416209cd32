"use client";

import type { TypedDocumentNode } from "@wheelhouse/client";
import { useCallback, useState } from "react";
import { useClient } from "./data-provider.tsx";
import { type AnyVariables, untied } from "./untied.ts";

export interface MutationState {
  running: boolean;
  /** The failure of the last call (network, server). Refusals are data: look at `__typename`. */
  error: unknown;
  reset: () => void;
}

/** A mutation to call. Resolves to the answer, or to `undefined` after a failure, which `error` then holds. */
export function useMutation<R, V extends AnyVariables>(
  document: TypedDocumentNode<R, V>,
): [run: (variables: V) => Promise<R | undefined>, state: MutationState] {
  const client = useClient();
  const [running, setRunning] = useState(false);
  const [error, setError] = useState<unknown>(undefined);
  const run = useCallback(
    async (variables: V) => {
      setRunning(true);
      setError(undefined);
      try {
        return await client.request(untied(document), variables);
      } catch (failure) {
        setError(failure);
        return undefined;
      } finally {
        setRunning(false);
      }
    },
    [client, document],
  );
  const reset = useCallback(() => setError(undefined), []);
  return [run, { running, error, reset }];
}
