"use client";

import { Button, LinkButton } from "../../ui/button.tsx";
import { Page } from "../../ui/page.tsx";
import { ErrorState } from "../../ui/states.tsx";

export default function PageError({ error, reset }: { error: Error & { digest?: string }; reset: () => void }) {
  return (
    <Page title="Error">
      <ErrorState
        title="This page broke"
        message={`${error.message || "An unexpected error"}. Your data is safe: only the display of it failed.`}
        code={error.digest}
        actions={
          <>
            <Button variant="primary" onClick={reset}>
              Try again
            </Button>
            <LinkButton href="/conversations">Go to Conversations</LinkButton>
          </>
        }
      />
    </Page>
  );
}
