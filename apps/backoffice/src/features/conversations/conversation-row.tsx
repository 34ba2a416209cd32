"use client";

import Link from "next/link";
import { memo } from "react";
import { Cell, HeaderCell } from "../../lists/table-cells.tsx";
import { formatCompact, plainPreview } from "../../ui/format.ts";
import { StatusBadge, StatusIcon, statusLabel } from "../../ui/status.tsx";
import { Time } from "../../ui/time.tsx";
import { Tokens } from "../../ui/tokens.tsx";
import { AgentMark } from "../agents/agent-mark.tsx";
import type { ConversationRow as Row } from "./conversations-documents.ts";

/** The columns of the list, for its header and its rows. */
export const conversationColumns =
  "grid-cols-[minmax(0,1fr)_132px_92px_68px] lg:grid-cols-[minmax(0,1fr)_152px_96px_48px_44px_44px_60px_76px]";

export const untitled = "Untitled conversation";

export const titleOf = (row: Pick<Row, "title" | "firstMessage">): string =>
  row.title ?? (row.firstMessage === null ? untitled : plainPreview(row.firstMessage)) ?? untitled;

/** What was said last, unless the title says it already. */
export function lastLineOf(row: Row): string {
  const last = row.lastMessage === null ? "" : plainPreview(row.lastMessage);
  if (last !== "" && last !== titleOf(row)) return last;
  return row.status === "BUSY" ? "Working on the first answer…" : "No answer yet";
}

/** The names of the columns. */
export function ConversationHeader() {
  return (
    <>
      <HeaderCell className="pl-[26px]">Conversation</HeaderCell>
      <HeaderCell>Agent</HeaderCell>
      <HeaderCell>Status</HeaderCell>
      <HeaderCell className="text-right max-lg:hidden" title="Messages">
        Msgs
      </HeaderCell>
      <HeaderCell className="text-right max-lg:hidden">Runs</HeaderCell>
      <HeaderCell className="text-right max-lg:hidden">Errors</HeaderCell>
      <HeaderCell className="text-right max-lg:hidden">Tokens</HeaderCell>
      <HeaderCell className="text-right">Active</HeaderCell>
    </>
  );
}

/** The cells of one conversation, in columns. */
export const ConversationCells = memo(function ConversationCells({ row }: { row: Row }) {
  const lastLine = lastLineOf(row);
  const figure = "tnum text-right text-xs text-muted max-lg:hidden";
  return (
    <>
      <Cell className="flex min-w-0 items-center gap-3">
        <StatusIcon status={row.status} />
        <span className="min-w-0 flex-1">
          <TitleLink row={row} />
          <span className="block truncate text-xs leading-[18px] text-muted">{lastLine}</span>
        </span>
      </Cell>
      <Cell className="flex min-w-0 items-center gap-2">
        <AgentMark name={row.agent.name} label={row.agent.displayName} />
        <span className="truncate text-xs text-ink-2">{row.agent.displayName}</span>
      </Cell>
      <Cell className="flex items-center">
        <StatusWord status={row.status} />
      </Cell>
      <Cell className={figure}>{formatCompact(row.messageCount)}</Cell>
      <Cell className={figure}>{formatCompact(row.runCount)}</Cell>
      <Cell className={`${figure} ${row.errorCount > 0 ? "font-medium !text-danger-ink" : ""}`}>
        {row.errorCount === 0 ? "–" : formatCompact(row.errorCount)}
      </Cell>
      <Cell className={figure}>
        <Tokens usage={row.usage} />
      </Cell>
      <Cell className="text-right text-xs text-muted">
        <Time at={row.lastActivityAt} />
      </Cell>
    </>
  );
});

/** One conversation as a card, for narrow screens. */
export const ConversationCard = memo(function ConversationCard({ row }: { row: Row }) {
  const lastLine = lastLineOf(row);
  return (
    <Cell className="flex h-full items-center gap-3">
      <StatusIcon status={row.status} size={16} title={statusLabel(row.status)} />
      <span className="min-w-0 flex-1">
        <span className="flex items-baseline gap-2">
          <span className="min-w-0 flex-1">
            <TitleLink row={row} />
          </span>
          <Time at={row.lastActivityAt} className="text-xs text-muted" />
        </span>
        <span className="block truncate text-xs leading-[18px] text-muted">{lastLine}</span>
        <span className="mt-1 flex items-center gap-1.5 text-2xs text-muted">
          <AgentMark name={row.agent.name} label={row.agent.displayName} size={14} />
          <span className="truncate">{row.agent.displayName}</span>
          <span className="tnum ml-auto shrink-0">
            {formatCompact(row.messageCount)} messages
            {row.errorCount === 0 ? null : <span className="text-danger-ink"> · {row.errorCount} failed</span>}
          </span>
        </span>
      </span>
    </Cell>
  );
});

function TitleLink({ row }: { row: Row }) {
  return (
    <Link
      href={`/conversations/${row.id}`}
      prefetch={false}
      data-row-link=""
      className="block truncate text-[13px] leading-[19px] font-medium text-ink outline-none after:absolute after:inset-0"
    >
      {titleOf(row)}
    </Link>
  );
}

/** The word of a status; an idle conversation needs none. */
function StatusWord({ status }: { status: Row["status"] }) {
  if (status === "IDLE") return <span className="text-xs text-muted">Idle</span>;
  return <StatusBadge status={status} variant="word" />;
}
