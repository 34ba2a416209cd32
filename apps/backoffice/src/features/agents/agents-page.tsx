"use client";

import { RobotIcon } from "@phosphor-icons/react";
import Link from "next/link";
import { useQuery } from "../../data/use-query.ts";
import { DataList } from "../../lists/data-list.tsx";
import { ListFailure } from "../../lists/list-failure.tsx";
import { ListSkeleton } from "../../lists/list-skeleton.tsx";
import { Cell, HeaderCell } from "../../lists/table-cells.tsx";
import { useActiveRow } from "../../lists/use-active-row.ts";
import { useIsNarrow } from "../../lists/use-is-narrow.ts";
import { CodeBlock } from "../../ui/code-block.tsx";
import { formatCount } from "../../ui/format.ts";
import { Page } from "../../ui/page.tsx";
import { EmptyState, Skeleton } from "../../ui/states.tsx";
import { StatusIcon } from "../../ui/status.tsx";
import { Time } from "../../ui/time.tsx";
import { AgentMark } from "./agent-mark.tsx";
import { agentActivityDocument } from "./agents-documents.ts";
import { OfferBadges } from "./offer-badges.tsx";
import { SourceBadge } from "./source-badge.tsx";
import { type AgentName, agentNamesDocument } from "./use-agent-names.ts";

const columns = "grid-cols-[minmax(0,1fr)_64px_116px_76px] lg:grid-cols-[minmax(0,1fr)_64px_116px_76px_76px_76px_76px]";

const registration = `import { defineConfig } from "@wheelhouse/registry";
import { supportGraph } from "./graphs/support.ts";

export default defineConfig({
  agents: {
    support: { graph: supportGraph, displayName: "Support desk" },
  },
});
`;

/** Every agent of the project and what it is doing. */
export function AgentsPage() {
  const { data, error, refetch } = useQuery(agentNamesDocument, {});
  const agents = data?.agents.nodes;
  return (
    <Page title="Agents">
      {error !== undefined && agents === undefined ? (
        <ListFailure error={error} onRetry={refetch} />
      ) : agents === undefined ? (
        <ListSkeleton rowHeight={56} rows={6} />
      ) : agents.length === 0 ? (
        <NoAgents />
      ) : (
        <AgentRows agents={agents} />
      )}
    </Page>
  );
}

function AgentRows({ agents }: { agents: readonly AgentName[] }) {
  const narrow = useIsNarrow();
  const [activeId, setActive] = useActiveRow();
  return (
    <DataList
      label="Agents"
      rows={agents}
      totalCount={agents.length}
      rowHeight={{ wide: 56, narrow: 76 }}
      columns={columns}
      header={
        <>
          <HeaderCell className="pl-[42px]">Agent</HeaderCell>
          <HeaderCell>Source</HeaderCell>
          <HeaderCell className="text-right">Conversations</HeaderCell>
          <HeaderCell className="text-right max-lg:hidden">Running</HeaderCell>
          <HeaderCell className="text-right max-lg:hidden">Waiting</HeaderCell>
          <HeaderCell className="text-right max-lg:hidden">Failed</HeaderCell>
          <HeaderCell className="text-right">Active</HeaderCell>
        </>
      }
      renderRow={(agent) => (narrow ? <AgentCard agent={agent} /> : <AgentCells agent={agent} />)}
      activeId={activeId}
      onActive={setActive}
      onEndReached={() => undefined}
      loadingMore={false}
      failedMore={false}
    />
  );
}

function AgentLink({ agent }: { agent: AgentName }) {
  return (
    <Link
      href={`/agents/${encodeURIComponent(agent.name)}`}
      prefetch={false}
      data-row-link=""
      className="block truncate text-[13px] font-medium outline-none after:absolute after:inset-0"
    >
      {agent.displayName}
      <span className="mono ml-2 text-2xs font-normal text-muted">{agent.name}</span>
    </Link>
  );
}

function AgentCells({ agent }: { agent: AgentName }) {
  const { data } = useQuery(agentActivityDocument, { agents: [agent.name] });
  const [newest] = data?.all.nodes ?? [];
  const figure = "tnum text-right text-xs text-muted";
  const count = (n: number | undefined, status: "BUSY" | "WAITING" | "ERROR") =>
    n === undefined ? (
      <Skeleton className="ml-auto h-3 w-8" />
    ) : n === 0 ? (
      "–"
    ) : (
      <span className="inline-flex items-center gap-1.5 text-ink-2">
        <StatusIcon status={status} size={12} />
        {formatCount(n)}
      </span>
    );
  return (
    <>
      <Cell className="flex min-w-0 items-center gap-3.5">
        <AgentMark name={agent.name} label={agent.displayName} size={28} />
        <span className="min-w-0 flex-1">
          <span className="flex min-w-0 items-center gap-2">
            <AgentLink agent={agent} />
            <OfferBadges agent={agent} />
          </span>
          <span className="block truncate text-xs leading-[18px] text-muted">{agent.description ?? "\u00a0"}</span>
        </span>
      </Cell>
      <Cell>
        <SourceBadge source={agent.source} />
      </Cell>
      <Cell className={figure}>
        {data === undefined ? (
          <Skeleton className="ml-auto h-3 w-12" />
        ) : (
          `${formatCount(data.all.totalCount)}${data.all.totalCountIsExact ? "" : "+"}`
        )}
      </Cell>
      <Cell className={`${figure} max-lg:hidden`}>{count(data?.busy.totalCount, "BUSY")}</Cell>
      <Cell className={`${figure} max-lg:hidden`}>{count(data?.waiting.totalCount, "WAITING")}</Cell>
      <Cell className={`${figure} max-lg:hidden`}>{count(data?.failed.totalCount, "ERROR")}</Cell>
      <Cell className={figure}>{newest === undefined ? "–" : <Time at={newest.lastActivityAt} />}</Cell>
    </>
  );
}

function AgentCard({ agent }: { agent: AgentName }) {
  return (
    <Cell className="flex h-full items-center gap-3.5">
      <AgentMark name={agent.name} label={agent.displayName} size={32} />
      <span className="min-w-0 flex-1">
        <span className="flex min-w-0 items-center gap-2">
          <AgentLink agent={agent} />
          <OfferBadges agent={agent} />
        </span>
        <span className="line-clamp-2 text-xs leading-[17px] text-muted">{agent.description}</span>
      </span>
    </Cell>
  );
}

function NoAgents() {
  return (
    <EmptyState icon={RobotIcon} title="No agents yet">
      <p>
        Register any compiled LangGraph graph in <code className="text-xs">wheelhouse.config.ts</code> and restart the
        server, or describe one by a file in the workspace.
      </p>
      <div className="mt-4 text-left">
        <CodeBlock text={registration} language="ts" title="wheelhouse.config.ts" />
      </div>
    </EmptyState>
  );
}
