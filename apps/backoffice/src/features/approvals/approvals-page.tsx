"use client";

import { ArrowSquareOutIcon, CheckCircleIcon } from "@phosphor-icons/react";
import Link from "next/link";
import { useEffect, useRef, useState } from "react";
import { useClient } from "../../data/data-provider.tsx";
import { useFeed } from "../../data/use-feed.ts";
import { useQuery } from "../../data/use-query.ts";
import type { InterruptRowFragment } from "../../generated/graphql.ts";
import { ListFailure } from "../../lists/list-failure.tsx";
import { useCardKeys } from "../../lists/use-card-keys.ts";
import { approvalEvents, approvalsChanged } from "../../shell/use-approval-count.ts";
import { useMay, useViewer } from "../../shell/viewer.tsx";
import { plainPreview } from "../../ui/format.ts";
import { Page } from "../../ui/page.tsx";
import { EmptyState, Loading, Skeleton } from "../../ui/states.tsx";
import { AgentMark } from "../agents/agent-mark.tsx";
import { titleOf } from "../conversations/conversation-row.tsx";
import { ApprovalCard } from "../interrupt/approval-card.tsx";
import { readInterrupt } from "../run/read-rows.ts";
import { type ApprovalRow, approvalsDocument } from "./approvals-documents.ts";
import { type ApprovalGroup, groupApprovals, keepDecided } from "./group-approvals.ts";

const pending = { first: 100, filter: { pendingOnly: true } };

/** What the agents ask of humans, across all conversations, answered in place. */
export function ApprovalsPage() {
  const { rows, error, total, refetch, decide } = useApprovals();
  const mayDecide = useMay("OPERATOR");
  const viewer = useViewer();
  const blocked = viewer === null || mayDecide ? null : "Your role may look at approvals but not decide them.";
  const groups = rows === undefined ? [] : groupApprovals(rows);
  const box = useCardKeys();
  return (
    <Page
      title="Approvals"
      aside={total === 0 ? null : <span className="tnum text-xs text-muted">{total} waiting</span>}
    >
      {rows === undefined ? (
        error === undefined ? (
          <ApprovalsSkeleton />
        ) : (
          <ListFailure error={error} onRetry={refetch} />
        )
      ) : groups.length === 0 ? (
        <EmptyState icon={CheckCircleIcon} title="Nothing waits for you">
          When an agent needs a human — to approve a tool call, to correct its arguments, to answer a question — it asks
          here and in the conversation itself.
        </EmptyState>
      ) : (
        <div ref={box} className="h-full overflow-y-auto">
          <ul className="mx-auto max-w-3xl space-y-6 px-4 py-6">
            {groups.map((group) => (
              <li key={group.runId}>
                <Request group={group} blocked={blocked} onDecided={decide} />
              </li>
            ))}
          </ul>
        </div>
      )}
    </Page>
  );
}

function useApprovals() {
  const client = useClient();
  const { data, error, refetch } = useQuery(approvalsDocument, pending);
  const [rows, setRows] = useState<readonly ApprovalRow[] | undefined>(data?.interrupts.nodes);
  const [decided, setDecided] = useState<ReadonlyMap<string, ApprovalRow>>(new Map());
  const latestDecided = useRef(decided);
  latestDecided.current = decided;
  useEffect(() => {
    if (data !== undefined) setRows((shown) => keepDecided(shown ?? [], data.interrupts.nodes, decided));
  }, [data, decided]);
  useFeed(approvalEvents, async (_, signal) => {
    const { interrupts } = await client.request(approvalsDocument, pending, { signal });
    setRows((shown) => keepDecided(shown ?? [], interrupts.nodes, latestDecided.current));
  });
  const decide = (answers: readonly InterruptRowFragment[]) => {
    setDecided((before) => {
      const next = new Map(before);
      for (const answer of answers) {
        const row = rows?.find((each) => each.id === answer.id);
        if (row !== undefined) next.set(row.id, { ...row, ...answer });
      }
      return next;
    });
    window.dispatchEvent(new Event(approvalsChanged));
  };
  const total = rows?.filter((row) => row.decision === null).length ?? 0;
  return { rows, error, total, refetch, decide };
}

interface RequestProps {
  group: ApprovalGroup;
  blocked: string | null;
  onDecided: (rows: readonly InterruptRowFragment[]) => void;
}

function Request({ group, blocked, onDecided }: RequestProps) {
  const { session, rows } = group;
  return (
    <article aria-label={`${session.agent.displayName}: ${titleOf(session)}`}>
      <div className="mb-2 flex min-w-0 items-center gap-2.5 px-1">
        <AgentMark name={session.agent.name} label={session.agent.displayName} size={22} />
        <div className="min-w-0 flex-1">
          <Link
            href={`/conversations/${session.id}`}
            data-card-link=""
            className="group flex min-w-0 items-center gap-1.5 rounded text-[13px] font-medium hover:underline"
          >
            <span className="truncate">{titleOf(session)}</span>
            <ArrowSquareOutIcon
              size={13}
              aria-hidden="true"
              className="shrink-0 text-muted opacity-0 group-hover:opacity-100"
            />
          </Link>
          <p className="truncate text-xs text-muted">
            {session.agent.displayName}
            {session.lastMessage === null ? "" : ` · ${plainPreview(session.lastMessage)}`}
          </p>
        </div>
      </div>
      <ApprovalCard interrupts={rows.map(readInterrupt)} blocked={blocked} onDecided={onDecided} />
    </article>
  );
}

function ApprovalsSkeleton() {
  return (
    <Loading label="Loading the approvals">
      <div className="mx-auto max-w-3xl space-y-8 px-4 py-6">
        {[0, 1, 2].map((each) => (
          <div key={each} className="space-y-3">
            <Skeleton className="h-3.5 w-1/2" />
            <Skeleton className="h-36 w-full rounded-lg" />
          </div>
        ))}
      </div>
    </Loading>
  );
}
