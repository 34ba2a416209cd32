"use client";

import { KeyIcon } from "@phosphor-icons/react";
import { useEffect, useState } from "react";
import { LinkButton } from "../ui/button.tsx";
import { EmptyState } from "../ui/states.tsx";

/** The session is over: the way back to this very page. */
export function SignedOut() {
  const [next, setNext] = useState("/");
  useEffect(() => setNext(`${location.pathname}${location.search}`), []);
  return (
    <EmptyState
      icon={KeyIcon}
      title="You are signed out"
      actions={
        <LinkButton variant="primary" href={`/sign-in?next=${encodeURIComponent(next)}`}>
          Sign in
        </LinkButton>
      }
    >
      Your session ended, or you have not signed in yet. After signing in you come back to this page.
    </EmptyState>
  );
}
