"use client";

import {
  ArrowsClockwiseIcon,
  ListChecksIcon,
  PaperPlaneTiltIcon,
  PencilSimpleIcon,
  TrashIcon,
} from "@phosphor-icons/react";
import { IconButton } from "../../ui/button.tsx";
import { Time } from "../../ui/time.tsx";
import { eventName, type WebhookRow } from "./webhooks-documents.ts";

export interface WebhookCardProps {
  webhook: WebhookRow;
  /** Its deliveries are the ones that are shown. */
  chosen: boolean;
  may: boolean;
  onChoose: () => void;
  onEdit: () => void;
  onTest: () => void;
  onRotate: () => void;
  onDelete: () => void;
}

/** One webhook: where it goes, what it is told, and what can be done with it. */
export function WebhookCard(props: WebhookCardProps) {
  const { webhook, chosen, may } = props;
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line-soft px-4 py-2.5 last:border-b-0">
      <div className="min-w-0 flex-1 basis-64">
        <p className={`mono truncate text-[12.5px] ${webhook.enabled ? "text-ink" : "text-muted"}`} title={webhook.url}>
          {webhook.url}
        </p>
        <p className="mt-0.5 truncate text-xs text-muted">
          {webhook.enabled ? null : <span className="mr-2 font-medium text-ink-2">Disabled</span>}
          {webhook.disabledReason === null ? (
            webhook.events.map(eventName).join(", ")
          ) : (
            <span className="text-danger-ink">{webhook.disabledReason}</span>
          )}
          {webhook.previousSecretUntil === null || new Date(webhook.previousSecretUntil) < new Date() ? null : (
            <>
              {" · both secrets sign until "}
              <Time at={webhook.previousSecretUntil} as="absolute" />
            </>
          )}
        </p>
      </div>
      <div className="flex shrink-0 items-center gap-0.5">
        <IconButton icon={ListChecksIcon} label="Show only its deliveries" active={chosen} onClick={props.onChoose} />
        {may ? (
          <>
            <IconButton icon={PaperPlaneTiltIcon} label="Send a test" onClick={props.onTest} />
            <IconButton icon={PencilSimpleIcon} label="Change" onClick={props.onEdit} />
            <IconButton icon={ArrowsClockwiseIcon} label="New secret" onClick={props.onRotate} />
            <IconButton icon={TrashIcon} label="Delete" onClick={props.onDelete} />
          </>
        ) : null}
      </div>
    </li>
  );
}
