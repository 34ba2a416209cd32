"use client";

import { PlayIcon, TrashIcon } from "@phosphor-icons/react";
import Link from "next/link";
import { Cell, HeaderCell } from "../../lists/table-cells.tsx";
import { IconButton } from "../../ui/button.tsx";
import { StatusBadge } from "../../ui/status.tsx";
import { Time } from "../../ui/time.tsx";
import { AgentMark } from "../agents/agent-mark.tsx";
import type { ScheduleRow } from "./schedules-documents.ts";

/** The columns of the list, for its header and its rows. */
export const scheduleColumns =
  "grid-cols-[minmax(0,1.4fr)_minmax(0,1fr)_116px_minmax(0,1fr)_96px] lg:grid-cols-[minmax(0,1.2fr)_176px_148px_116px_minmax(0,1fr)_96px]";

/** The names of the columns. */
export function ScheduleHeader() {
  return (
    <>
      <HeaderCell>Schedule</HeaderCell>
      <HeaderCell>When</HeaderCell>
      <HeaderCell className="max-lg:hidden">Agent</HeaderCell>
      <HeaderCell>Next</HeaderCell>
      <HeaderCell>Last</HeaderCell>
      <HeaderCell className="text-right">
        <span className="sr-only">Actions</span>
      </HeaderCell>
    </>
  );
}

export interface ScheduleActions {
  /** False when the viewer may change nothing. */
  may: boolean;
  busy: boolean;
  onTrigger: (row: ScheduleRow) => void;
  onDelete: (row: ScheduleRow) => void;
}

/** The cells of one schedule, in columns. */
export function ScheduleCells({ row, actions }: { row: ScheduleRow; actions: ScheduleActions }) {
  return (
    <>
      <Cell className="min-w-0">
        <ScheduleLink row={row} />
      </Cell>
      <Cell className="min-w-0">
        <When row={row} />
      </Cell>
      <Cell className="flex min-w-0 items-center gap-2 max-lg:hidden">
        <AgentMark name={row.agent} label={row.agent} size={18} />
        <span className="truncate text-xs text-ink-2">{row.agent}</span>
      </Cell>
      <Cell className="text-xs text-ink-2">
        <Next row={row} />
      </Cell>
      <Cell className="min-w-0">
        <Last row={row} />
      </Cell>
      <Cell className="relative z-10 flex justify-end gap-0.5">
        <Buttons row={row} actions={actions} />
      </Cell>
    </>
  );
}

/** One schedule as a card, for narrow screens. */
export function ScheduleCard({ row, actions }: { row: ScheduleRow; actions: ScheduleActions }) {
  return (
    <Cell className="flex h-full items-center gap-3">
      <span className="min-w-0 flex-1">
        <ScheduleLink row={row} />
        <span className="mt-1 flex items-center gap-2 text-2xs text-muted">
          <span className="mono truncate">{row.cron}</span>
          <span className="shrink-0">
            <Next row={row} />
          </span>
        </span>
        <span className="mt-1 block min-w-0">
          <Last row={row} />
        </span>
      </span>
      <span className="relative z-10 flex shrink-0 gap-0.5">
        <Buttons row={row} actions={actions} />
      </span>
    </Cell>
  );
}

function ScheduleLink({ row }: { row: ScheduleRow }) {
  return (
    <Link
      href={`/schedules?open=${row.id}`}
      prefetch={false}
      data-row-link=""
      className={`block truncate text-[13px] font-medium outline-none after:absolute after:inset-0 ${row.enabled ? "" : "text-muted"}`}
    >
      {row.name}
    </Link>
  );
}

function When({ row }: { row: ScheduleRow }) {
  return (
    <>
      <span className="mono block truncate text-xs text-ink-2">{row.cron}</span>
      <span className="block truncate text-2xs text-muted">{row.timeZone}</span>
    </>
  );
}

function Next({ row }: { row: ScheduleRow }) {
  if (!row.enabled) return <span className="text-muted">Disabled</span>;
  if (row.nextAt === null) return <span className="text-muted">Never</span>;
  return (
    <>
      <Time at={row.nextAt} as="date" /> <Time at={row.nextAt} as="clock" className="text-muted" />
    </>
  );
}

/** What came of the last time: the conversation, or why there is none. */
function Last({ row }: { row: ScheduleRow }) {
  if (row.lastError !== null)
    return (
      <span className="block truncate text-xs text-danger-ink" title={row.lastError}>
        {row.lastError}
      </span>
    );
  if (row.lastTask === null) return <span className="text-xs text-muted">Not yet</span>;
  return (
    <Link
      href={`/conversations/${row.lastTask.session.id}`}
      prefetch={false}
      className="relative z-10 inline-flex max-w-full items-center gap-1.5 rounded hover:underline"
    >
      <StatusBadge status={row.lastTask.status} />
      {row.lastAt === null ? null : <Time at={row.lastAt} as="ago" className="text-2xs text-muted" />}
    </Link>
  );
}

function Buttons({ row, actions }: { row: ScheduleRow; actions: ScheduleActions }) {
  if (!actions.may) return null;
  return (
    <>
      <IconButton
        icon={PlayIcon}
        label={`Run ${row.name} now`}
        disabled={actions.busy}
        onClick={() => actions.onTrigger(row)}
      />
      <IconButton icon={TrashIcon} label={`Delete ${row.name}`} onClick={() => actions.onDelete(row)} />
    </>
  );
}
