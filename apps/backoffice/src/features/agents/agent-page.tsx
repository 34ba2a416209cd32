"use client";

import { FlaskIcon, NotePencilIcon, RobotIcon } from "@phosphor-icons/react";
import Link from "next/link";
import type { ReactNode } from "react";
import { useQuery } from "../../data/use-query.ts";
import type { AgentPageQuery } from "../../generated/graphql.ts";
import { ListFailure } from "../../lists/list-failure.tsx";
import { useShell } from "../../shell/shell-context.ts";
import { useMay } from "../../shell/viewer.tsx";
import { Button, LinkButton } from "../../ui/button.tsx";
import { CopyableId } from "../../ui/copyable-id.tsx";
import { formatCount } from "../../ui/format.ts";
import { Page } from "../../ui/page.tsx";
import { EmptyState, Loading, Skeleton } from "../../ui/states.tsx";
import { StatusIcon, statusLabel } from "../../ui/status.tsx";
import { Time } from "../../ui/time.tsx";
import { lastLineOf, titleOf } from "../conversations/conversation-row.tsx";
import { AgentGraph } from "./agent-graph.tsx";
import { AgentMark } from "./agent-mark.tsx";
import { agentConversationsDocument, agentPageDocument } from "./agents-documents.ts";
import { OfferBadges } from "./offer-badges.tsx";
import { SchemaTable } from "./schema-table.tsx";
import { SourceBadge } from "./source-badge.tsx";

type Agent = NonNullable<AgentPageQuery["agent"]>;

const shownConversations = 12;

/** One agent: what it is, how it is built, what it did last. */
export function AgentPage({ name }: { name: string }) {
  const { data, error, refetch } = useQuery(agentPageDocument, { name });
  const mayWrite = useMay("OPERATOR");
  const { newConversation } = useShell();
  const agent = data?.agent;
  const crumbs = [{ label: "Agents", href: "/agents" }, { label: agent?.displayName ?? name }];
  return (
    <Page
      title={agent?.displayName ?? name}
      crumbs={crumbs}
      actions={
        mayWrite && agent && agent.mode !== "SUBAGENT" ? (
          <>
            <LinkButton href={`/playground?left=${encodeURIComponent(agent.name)}`} icon={FlaskIcon}>
              Try it
            </LinkButton>
            <Button variant="primary" icon={NotePencilIcon} onClick={() => newConversation(agent.name)}>
              New conversation
            </Button>
          </>
        ) : null
      }
    >
      {agent ? (
        <AgentDetails agent={agent} />
      ) : agent === null ? (
        <EmptyState
          icon={RobotIcon}
          title="There is no such agent"
          actions={
            <LinkButton href="/agents" variant="primary">
              See all agents
            </LinkButton>
          }
        >
          “{name}” is not registered in this project. It may have been renamed or removed; its conversations are kept.
        </EmptyState>
      ) : error !== undefined ? (
        <ListFailure error={error} onRetry={refetch} />
      ) : (
        <AgentSkeleton />
      )}
    </Page>
  );
}

const definitionPath = (name: string, scope: unknown): string =>
  `/configuration/agent/${encodeURIComponent(name)}?scope=${encodeURIComponent(JSON.stringify(scope))}`;

function AgentDetails({ agent }: { agent: Agent }) {
  return (
    <div className="h-full overflow-y-auto">
      <div className="mx-auto grid max-w-6xl gap-x-8 gap-y-6 px-4 py-6 md:px-8 lg:grid-cols-[minmax(0,1fr)_300px]">
        <div className="min-w-0 space-y-6">
          <div className="flex items-start gap-4">
            <AgentMark name={agent.name} label={agent.displayName} size={44} />
            <div className="min-w-0">
              <div className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
                <h2 className="text-lg leading-tight font-semibold tracking-[-0.014em]">{agent.displayName}</h2>
                <SourceBadge source={agent.source} />
                <OfferBadges agent={agent} />
              </div>
              <p className="mt-1 max-w-prose text-[13px] leading-relaxed text-pretty text-muted">
                {agent.description ?? "This agent has no description."}
              </p>
            </div>
          </div>
          <Panel title="Graph" aside={agent.graph === null ? null : <GraphLegend />}>
            {agent.graph === null ? (
              <p className="text-[13px] text-muted">
                The shape of this agent is not known until it is built; its runs show the steps that it took.
              </p>
            ) : (
              <AgentGraph graph={agent.graph} name={agent.displayName} />
            )}
          </Panel>
          <RecentConversations agent={agent} />
        </div>
        <div className="min-w-0 space-y-6">
          <Panel title="Details">
            <dl className="grid grid-cols-[88px_minmax(0,1fr)] gap-y-2 text-xs">
              <Detail name="Name">
                <CopyableId id={agent.name} what="name" whole />
              </Detail>
              <Detail name="Id">
                <CopyableId id={agent.id} what="agent id" />
              </Detail>
              {agent.configEntity === null ? null : (
                <Detail name="Definition">
                  <Link
                    href={definitionPath(agent.name, agent.configEntity.scope)}
                    className="rounded text-accent-ink hover:underline"
                  >
                    Open it
                  </Link>
                </Detail>
              )}
              <Detail name="First seen">
                <Time at={agent.createdAt} as="ago" />
              </Detail>
              <Detail name="Changed">
                <Time at={agent.updatedAt} as="ago" />
              </Detail>
            </dl>
          </Panel>
          <Panel title="Input">
            {agent.inputSchema === null || agent.inputSchema === undefined ? (
              <p className="text-[13px] text-muted">
                Chat messages. No schema is declared, so any input that the graph takes is accepted.
              </p>
            ) : (
              <SchemaTable schema={agent.inputSchema} label={`Input of ${agent.displayName}`} />
            )}
          </Panel>
          {agent.outputSchema === null || agent.outputSchema === undefined ? null : (
            <Panel title="Output">
              <SchemaTable schema={agent.outputSchema} label={`Output of ${agent.displayName}`} />
            </Panel>
          )}
        </div>
      </div>
    </div>
  );
}

function Panel({ title, aside, children }: { title: string; aside?: ReactNode; children: ReactNode }) {
  return (
    <section className="rounded-lg border border-line">
      <header className="flex h-10 items-center justify-between gap-3 border-b border-line-soft px-4">
        <h3 className="text-[13px] font-semibold">{title}</h3>
        {aside}
      </header>
      <div className="p-4">{children}</div>
    </section>
  );
}

function Detail({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-muted">{name}</dt>
      <dd className="min-w-0">{children}</dd>
    </>
  );
}

function GraphLegend() {
  const line = (className: string, dashed: boolean) => (
    <svg width="22" height="6" aria-hidden="true">
      <line
        x1="0"
        y1="3"
        x2="22"
        y2="3"
        strokeWidth="1.5"
        strokeDasharray={dashed ? "4 3" : undefined}
        className={className}
      />
    </svg>
  );
  return (
    <span className="flex items-center gap-4 text-2xs text-muted max-sm:hidden">
      <span className="flex items-center gap-1.5">{line("stroke-muted", true)} conditional</span>
      <span className="flex items-center gap-1.5">{line("stroke-accent-ink", false)} loop</span>
    </span>
  );
}

function RecentConversations({ agent }: { agent: Agent }) {
  const { data, error, refetch } = useQuery(agentConversationsDocument, {
    agents: [agent.name],
    first: shownConversations,
  });
  const rows = data?.sessions.nodes;
  const all =
    data === undefined ? "" : `${formatCount(data.sessions.totalCount)}${data.sessions.totalCountIsExact ? "" : "+"}`;
  return (
    <section className="overflow-hidden rounded-lg border border-line">
      <header className="flex h-10 items-center justify-between gap-3 border-b border-line-soft px-4">
        <h3 className="text-[13px] font-semibold">Recent conversations</h3>
        {rows === undefined || rows.length === 0 ? null : (
          <Link
            href={`/conversations?agent=${encodeURIComponent(agent.name)}`}
            className="rounded text-xs text-accent-ink hover:underline"
          >
            All {all}
          </Link>
        )}
      </header>
      {rows === undefined ? (
        error === undefined ? (
          <div className="space-y-4 p-4">
            <Skeleton className="h-3 w-1/2" />
            <Skeleton className="h-3 w-2/3" />
            <Skeleton className="h-3 w-2/5" />
          </div>
        ) : (
          <ListFailure error={error} onRetry={refetch} />
        )
      ) : rows.length === 0 ? (
        <p className="p-4 text-[13px] text-muted">Nobody has talked to this agent yet.</p>
      ) : (
        <ul>
          {rows.map((row) => (
            <li key={row.id} className="relative border-b border-line-soft last:border-0 hover:bg-hover">
              <div className="flex h-10 items-center gap-3 px-4">
                <StatusIcon status={row.status} title={statusLabel(row.status)} />
                <Link
                  href={`/conversations/${row.id}`}
                  prefetch={false}
                  className="max-w-[60%] shrink-0 truncate text-[13px] after:absolute after:inset-0"
                >
                  {titleOf(row)}
                </Link>
                <span className="min-w-0 flex-1 truncate text-xs text-muted">{lastLineOf(row)}</span>
                <Time at={row.lastActivityAt} className="text-xs text-muted" />
              </div>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function AgentSkeleton() {
  return (
    <Loading label="Loading the agent">
      <div className="mx-auto grid max-w-6xl gap-8 px-4 py-6 md:px-8 lg:grid-cols-[minmax(0,1fr)_300px]">
        <div className="space-y-6">
          <div className="flex gap-4">
            <Skeleton className="size-11 rounded-xl" />
            <div className="flex-1 space-y-2 pt-1">
              <Skeleton className="h-4 w-48" />
              <Skeleton className="h-3 w-2/3" />
            </div>
          </div>
          <Skeleton className="h-56 w-full rounded-lg" />
        </div>
        <Skeleton className="h-40 w-full rounded-lg" />
      </div>
    </Loading>
  );
}
