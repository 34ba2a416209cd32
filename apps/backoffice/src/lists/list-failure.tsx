"use client";

import { describeError } from "../data/describe-error.ts";
import { SignedOut } from "../shell/signed-out.tsx";
import { Button } from "../ui/button.tsx";
import { ErrorState } from "../ui/states.tsx";

/** A list that could not be read: what happened, and what to do. */
export function ListFailure({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const { kind, title, message, code, retryable } = describeError(error);
  if (kind === "signed-out") return <SignedOut />;
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
