"use client";

import { describeError } from "../data/describe-error.ts";
import { Button } from "../ui/button.tsx";
import { ErrorState } from "../ui/states.tsx";

/** A list that could not be read: what happened, and what to do. */
export function ListFailure({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const { title, message, code, retryable } = describeError(error);
  return (
    <ErrorState
      title={title}
      message={message}
      code={code ?? undefined}
      actions={
        retryable ? (
          <Button variant="primary" onClick={onRetry}>
            Try again
          </Button>
        ) : null
      }
    />
  );
}
