"use client";

import { CompassIcon } from "@phosphor-icons/react";
import { LinkButton } from "../../ui/button.tsx";
import { Page } from "../../ui/page.tsx";
import { EmptyState } from "../../ui/states.tsx";

export default function NotFound() {
  return (
    <Page title="Not found">
      <EmptyState
        icon={CompassIcon}
        title="There is nothing at this address"
        actions={
          <LinkButton href="/conversations" variant="primary">
            Go to Conversations
          </LinkButton>
        }
      >
        The link may be old or mistyped. Ctrl K (⌘ K) finds any page, agent or conversation.
      </EmptyState>
    </Page>
  );
}
