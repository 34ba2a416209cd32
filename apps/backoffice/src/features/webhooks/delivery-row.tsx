"use client";

import { ArrowCounterClockwiseIcon } from "@phosphor-icons/react";
import Link from "next/link";
import { Cell, HeaderCell } from "../../lists/table-cells.tsx";
import { IconButton } from "../../ui/button.tsx";
import { StatusBadge, StatusIcon, statusLabel } from "../../ui/status.tsx";
import { Time } from "../../ui/time.tsx";
import { type DeliveryRow, eventName } from "./webhooks-documents.ts";

/** The columns of the log, for its header and its rows. */
export const deliveryColumns =
  "grid-cols-[100px_148px_minmax(0,1fr)_64px_72px_36px] lg:grid-cols-[100px_148px_minmax(0,1fr)_minmax(0,1.4fr)_64px_72px_36px]";

/** The names of the columns. */
export function DeliveryHeader() {
  return (
    <>
      <HeaderCell>Status</HeaderCell>
      <HeaderCell>Event</HeaderCell>
      <HeaderCell className="max-lg:hidden">To</HeaderCell>
      <HeaderCell>Outcome</HeaderCell>
      <HeaderCell className="text-right">Attempts</HeaderCell>
      <HeaderCell className="text-right">Made</HeaderCell>
      <HeaderCell>
        <span className="sr-only">Actions</span>
      </HeaderCell>
    </>
  );
}

export interface DeliveryActions {
  may: boolean;
  onReplay: (row: DeliveryRow) => void;
}

/** The cells of one delivery, in columns. */
export function DeliveryCells({ row, actions }: { row: DeliveryRow; actions: DeliveryActions }) {
  return (
    <>
      <Cell className="flex items-center">
        <StatusBadge status={row.status} />
      </Cell>
      <Cell className="min-w-0">
        <EventLink row={row} />
      </Cell>
      <Cell className="mono truncate text-xs text-muted max-lg:hidden" title={row.webhook.url}>
        {row.webhook.url}
      </Cell>
      <Cell className="min-w-0">
        <Outcome row={row} />
      </Cell>
      <Cell className="tnum text-right text-xs text-muted">{row.attempts}</Cell>
      <Cell className="text-right text-xs text-muted">
        <Time at={row.createdAt} />
      </Cell>
      <Cell className="relative z-10 flex justify-end">
        <Replay row={row} actions={actions} />
      </Cell>
    </>
  );
}

/** One delivery as a card, for narrow screens. */
export function DeliveryCard({ row, actions }: { row: DeliveryRow; actions: DeliveryActions }) {
  return (
    <Cell className="flex h-full items-center gap-3">
      <StatusIcon status={row.status} size={16} title={statusLabel(row.status)} />
      <span className="min-w-0 flex-1">
        <span className="flex items-baseline gap-2">
          <EventLink row={row} />
          <Time at={row.createdAt} className="ml-auto text-xs text-muted" />
        </span>
        <span className="mt-0.5 block min-w-0">
          <Outcome row={row} />
        </span>
      </span>
      <span className="relative z-10">
        <Replay row={row} actions={actions} />
      </span>
    </Cell>
  );
}

/** What it is about; the conversation is behind it. */
function EventLink({ row }: { row: DeliveryRow }) {
  const name = <span className="mono text-xs">{eventName(row.event)}</span>;
  if (row.task === null) return name;
  return (
    <Link
      href={`/conversations/${row.task.session.id}`}
      prefetch={false}
      data-row-link=""
      className="block truncate outline-none after:absolute after:inset-0"
    >
      {name}
    </Link>
  );
}

function Outcome({ row }: { row: DeliveryRow }) {
  const again = row.status === "PENDING" && row.attempts > 0 && row.nextAttemptAt !== null;
  if (row.error === null)
    return (
      <span className="block truncate text-xs text-muted">
        {row.responseCode === null ? "Not sent yet" : `Answered ${row.responseCode}`}
      </span>
    );
  return (
    <span className="block truncate text-xs text-danger-ink" title={row.error}>
      {again && row.nextAttemptAt !== null ? (
        <span className="text-muted">
          Again at <Time at={row.nextAttemptAt} as="clock" />
          {" · "}
        </span>
      ) : null}
      {row.error}
    </span>
  );
}

function Replay({ row, actions }: { row: DeliveryRow; actions: DeliveryActions }) {
  if (!actions.may || row.status === "PENDING") return null;
  return <IconButton icon={ArrowCounterClockwiseIcon} label="Send it again" onClick={() => actions.onReplay(row)} />;
}
