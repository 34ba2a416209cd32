"use client";

import Link from "next/link";
import { memo } from "react";
import { Cell, HeaderCell } from "../../lists/table-cells.tsx";
import { shortId } from "../../ui/format.ts";
import { StatusBadge, StatusIcon, statusLabel } from "../../ui/status.tsx";
import { Duration, LiveDuration, Time } from "../../ui/time.tsx";
import { Tokens } from "../../ui/tokens.tsx";
import { AgentMark } from "../agents/agent-mark.tsx";
import { titleOf } from "../conversations/conversation-row.tsx";
import type { RunListRow as Row } from "./runs-documents.ts";

/** The columns of the list, for its header and its rows. */
export const runColumns =
  "grid-cols-[104px_minmax(0,1fr)_132px_84px_68px] lg:grid-cols-[104px_112px_minmax(0,1fr)_152px_84px_64px_68px]";

/** The names of the columns. */
export function RunHeader() {
  return (
    <>
      <HeaderCell>Status</HeaderCell>
      <HeaderCell className="max-lg:hidden">Run</HeaderCell>
      <HeaderCell>Conversation</HeaderCell>
      <HeaderCell>Agent</HeaderCell>
      <HeaderCell className="text-right">Duration</HeaderCell>
      <HeaderCell className="text-right max-lg:hidden">Tokens</HeaderCell>
      <HeaderCell className="text-right">Started</HeaderCell>
    </>
  );
}

/** The cells of one run, in columns. */
export const RunCells = memo(function RunCells({ row }: { row: Row }) {
  return (
    <>
      <Cell className="flex items-center">
        <StatusBadge status={row.status} />
      </Cell>
      <Cell className="mono text-xs text-muted max-lg:hidden">{shortId(row.id)}</Cell>
      <Cell className="flex min-w-0 items-baseline gap-2.5">
        <RunLink row={row} />
        {row.error === null ? null : (
          <span className="min-w-0 flex-1 truncate text-xs text-danger-ink" title={row.error.message}>
            {row.error.message}
          </span>
        )}
      </Cell>
      <Cell className="flex min-w-0 items-center gap-2">
        <RunAgent row={row} />
      </Cell>
      <Cell className="text-right text-xs text-ink-2">
        <RunDuration row={row} />
      </Cell>
      <Cell className="text-right text-xs text-muted max-lg:hidden">
        <Tokens usage={row.usage} />
      </Cell>
      <Cell className="text-right text-xs text-muted">
        <Time at={row.startedAt ?? row.queuedAt} />
      </Cell>
    </>
  );
});

/** One run as a card, for narrow screens. */
export const RunCard = memo(function RunCard({ row }: { row: Row }) {
  return (
    <Cell className="flex h-full items-center gap-3">
      <StatusIcon status={row.status} size={16} title={statusLabel(row.status)} />
      <span className="min-w-0 flex-1">
        <span className="flex items-baseline gap-2">
          <RunLink row={row} />
          <Time at={row.startedAt ?? row.queuedAt} className="ml-auto text-xs text-muted" />
        </span>
        <span className="mt-1 flex items-center gap-1.5 text-2xs text-muted">
          <RunAgent row={row} small />
          <span className="ml-auto flex shrink-0 gap-1.5">
            {row.error === null ? null : <span className="mono text-danger-ink">{row.error.code}</span>}
            <RunDuration row={row} />
          </span>
        </span>
      </span>
    </Cell>
  );
});

function RunLink({ row }: { row: Row }) {
  return (
    <Link
      href={`/runs/${row.id}`}
      prefetch={false}
      data-row-link=""
      className={`truncate text-[13px] text-ink outline-none after:absolute after:inset-0 ${row.error === null ? "min-w-0 flex-1" : "max-w-[55%] shrink-0"}`}
    >
      {titleOf(row.session)}
    </Link>
  );
}

function RunAgent({ row, small = false }: { row: Row; small?: boolean }) {
  if (row.agent === null) return <span className="text-xs text-muted">Removed agent</span>;
  return (
    <>
      <AgentMark name={row.agent.name} label={row.agent.displayName} size={small ? 14 : 18} />
      <span className={`truncate ${small ? "" : "text-xs text-ink-2"}`}>{row.agent.displayName}</span>
    </>
  );
}

function RunDuration({ row }: { row: Row }) {
  if (row.status === "RUNNING" && row.startedAt !== null)
    return <LiveDuration since={row.startedAt} className="text-running-ink" />;
  return <Duration ms={row.durationMs} />;
}
