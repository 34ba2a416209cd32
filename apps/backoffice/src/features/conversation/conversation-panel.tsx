"use client";

import { XIcon } from "@phosphor-icons/react";
import type { ReactNode } from "react";
import { CopyableId } from "../../ui/copyable-id.tsx";
import { formatCount } from "../../ui/format.ts";
import { JsonTree } from "../../ui/json-tree.tsx";
import { Scroller } from "../../ui/scroller.tsx";
import { StatusBadge } from "../../ui/status.tsx";
import { Time } from "../../ui/time.tsx";
import { Tokens } from "../../ui/tokens.tsx";
import { AgentMark } from "../agents/agent-mark.tsx";
import { MadeArtifacts } from "../artifacts/made-artifacts.tsx";
import { EventLog } from "../run/event-log.tsx";
import type { LiveView } from "../run/live-view.ts";
import { useEventFeed } from "../run/use-event-feed.ts";
import type { Session } from "./conversation-store.ts";
import { PanelCheckpoints } from "./panel-checkpoints.tsx";
import { PanelRuns } from "./panel-runs.tsx";
import { PlanList } from "./plan-list.tsx";

export const panels = ["details", "runs", "artifacts", "checkpoints", "events"] as const;
export type Panel = (typeof panels)[number];

const labels: Record<Panel, string> = {
  details: "Details",
  runs: "Runs",
  artifacts: "Artifacts",
  checkpoints: "Checkpoints",
  events: "Events",
};

export interface ConversationPanelProps {
  panel: Panel;
  session: Session;
  view: LiveView;
  onPanel: (panel: Panel | null) => void;
}

/** What stands beside the transcript. */
export function ConversationPanel({ panel, session, view, onPanel }: ConversationPanelProps) {
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="flex h-10 shrink-0 items-center gap-1 border-b border-line-soft px-2">
        <div
          role="tablist"
          aria-label="About this conversation"
          className="flex min-w-0 flex-1 gap-0.5 overflow-x-auto"
        >
          {panels.map((each) => (
            <button
              key={each}
              type="button"
              role="tab"
              id={`panel-tab-${each}`}
              aria-selected={each === panel}
              aria-controls="conversation-panel"
              onClick={() => onPanel(each)}
              className="h-7 shrink-0 rounded-md px-2 text-xs font-medium text-muted hover:bg-hover hover:text-ink aria-selected:bg-selected aria-selected:text-ink"
            >
              {labels[each]}
            </button>
          ))}
        </div>
        <button
          type="button"
          aria-label="Close the panel"
          onClick={() => onPanel(null)}
          className="inline-flex size-7 shrink-0 items-center justify-center rounded-md text-muted hover:bg-hover hover:text-ink"
        >
          <XIcon size={14} aria-hidden="true" />
        </button>
      </div>
      <div role="tabpanel" id="conversation-panel" aria-labelledby={`panel-tab-${panel}`} className="min-h-0 flex-1">
        {panel === "details" ? <Details session={session} view={view} /> : null}
        {panel === "runs" ? <PanelRuns sessionId={session.id} view={view} /> : null}
        {panel === "artifacts" ? <MadeArtifacts of={{ sessionId: session.id }} stamp={view.runs.size} /> : null}
        {panel === "checkpoints" ? <PanelCheckpoints sessionId={session.id} runCount={view.runs.size} /> : null}
        {panel === "events" ? <Events session={session} /> : null}
      </div>
    </div>
  );
}

function Events({ session }: { session: Session }) {
  const feed = useEventFeed({ sessionId: session.id, lastSequence: session.lastSequence });
  return <EventLog feed={feed} since={null} compact />;
}

function Details({ session, view }: { session: Session; view: LiveView }) {
  const { usage, agent } = session;
  return (
    <Scroller label="Details" className="h-full px-4 py-3">
      <PlanList todos={view.todos} running={view.status === "BUSY"} />
      <dl className="grid grid-cols-[92px_minmax(0,1fr)] items-center gap-x-3 gap-y-2 text-[13px]">
        <Fact name="Status">
          <StatusBadge status={view.status} />
        </Fact>
        <Fact name="Agent">
          <span className="flex min-w-0 items-center gap-2" title={agent.description ?? undefined}>
            <AgentMark name={agent.name} label={agent.displayName} />
            <span className="truncate">{agent.displayName}</span>
          </span>
        </Fact>
        <Fact name="Id">
          <CopyableId id={session.id} what="conversation id" />
        </Fact>
        {session.externalId === null ? null : (
          <Fact name="External id">
            <CopyableId id={session.externalId} what="external id" whole />
          </Fact>
        )}
        <Fact name="Started">
          <Time at={session.createdAt} as="absolute" className="text-xs" />
        </Fact>
        <Fact name="Last activity">
          <Time at={session.lastActivityAt} as="ago" />
        </Fact>
        <Fact name="Messages">{formatCount(session.messageCount)}</Fact>
        <Fact name="Runs">{formatCount(session.runCount)}</Fact>
        <Fact name="Steps">{formatCount(session.stepCount)}</Fact>
        <Fact name="Failures">
          <span className={session.errorCount > 0 ? "text-danger-ink" : ""}>{formatCount(session.errorCount)}</span>
        </Fact>
        <Fact name="Tokens">
          <Tokens usage={usage} detailed />
        </Fact>
        <Fact name="Model calls">{formatCount(usage.modelCalls)}</Fact>
        {session.tags.length === 0 ? null : (
          <Fact name="Tags">
            <span className="flex flex-wrap gap-1">
              {session.tags.map((tag) => (
                <span key={tag} className="rounded-full border border-line px-2 text-[11.5px] text-ink-2">
                  {tag}
                </span>
              ))}
            </span>
          </Fact>
        )}
      </dl>
      <Heading>Scope</Heading>
      <JsonTree value={session.scope} label="Scope" maxHeight={200} />
      <Heading>Metadata</Heading>
      <JsonTree value={session.metadata} label="Metadata" maxHeight={320} />
    </Scroller>
  );
}

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <>
    <dt className="text-xs text-muted">{name}</dt>
    <dd className="tnum min-w-0 text-ink">{children}</dd>
  </>
);

const Heading = ({ children }: { children: ReactNode }) => (
  <h2 className="mt-5 mb-1.5 text-xs font-medium text-muted">{children}</h2>
);
