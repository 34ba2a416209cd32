"use client";

import { ChatsCircleIcon, LightningIcon, StopIcon, XCircleIcon } from "@phosphor-icons/react";
import { cancelTaskDocument } from "@wheelhouse/client";
import { isActiveRun } from "@wheelhouse/domain";
import { useMemo } from "react";
import { useClient } from "../../data/data-provider.tsx";
import { describeError } from "../../data/describe-error.ts";
import { useUrlParam } from "../../data/use-url-param.ts";
import { useMay } from "../../shell/viewer.tsx";
import { Button, LinkButton } from "../../ui/button.tsx";
import { type Crumb, Page } from "../../ui/page.tsx";
import { EmptyState, ErrorState, Loading, Skeleton } from "../../ui/states.tsx";
import { StatusBadge } from "../../ui/status.tsx";
import { MadeArtifacts } from "../artifacts/made-artifacts.tsx";
import { ApprovalCard } from "../interrupt/approval-card.tsx";
import { EventLog } from "./event-log.tsx";
import { adviceFor } from "./failure-advice.ts";
import type { RunView } from "./live-view.ts";
import { ManifestView } from "./manifest-view.tsx";
import { RetryButton } from "./retry-button.tsx";
import { RunAction } from "./run-action.tsx";
import { RunFacts } from "./run-facts.tsx";
import { type RunRow, type RunState, type RunStore, stepsOf } from "./run-store.ts";
import { StepsView } from "./steps-view.tsx";
import { useEventFeed } from "./use-event-feed.ts";
import { useRun } from "./use-run.ts";

const tabs = {
  waterfall: "Waterfall",
  list: "List",
  events: "Event log",
  artifacts: "Artifacts",
  manifest: "Manifest",
} as const;
type Tab = keyof typeof tabs;
const tabNames = Object.keys(tabs).filter((each): each is Tab => each in tabs);

const runsCrumb: Crumb = { label: "Runs", href: "/runs" };

/** One run: how it went, step by step, live while it goes on. */
export function RunPage({ runId }: { runId: string }) {
  const { store, state } = useRun(runId);
  if (state.phase === "missing")
    return (
      <Page title="Not found" crumbs={[runsCrumb, { label: "Not found" }]}>
        <EmptyState
          icon={LightningIcon}
          title="This run is not here"
          actions={<LinkButton href="/runs">All runs</LinkButton>}
        >
          It does not exist, was deleted, or belongs to a project that you are not a member of.
        </EmptyState>
      </Page>
    );
  if (state.phase === "failed") {
    const { title, message, code } = describeError(state.error);
    return (
      <Page title="Run" crumbs={[runsCrumb, { label: "Run" }]}>
        <ErrorState
          title={title}
          message={message}
          code={code ?? undefined}
          actions={<Button onClick={store.open}>Try again</Button>}
        />
      </Page>
    );
  }
  const run = [...state.view.runs.values()].find((each) => runId.endsWith(each.runId));
  if (state.run === null || run === undefined)
    return (
      <Page title="Run" crumbs={[runsCrumb, { label: "Run" }]}>
        <RunSkeleton />
      </Page>
    );
  return <Loaded store={store} state={state} row={state.run} run={run} />;
}

interface LoadedProps {
  store: RunStore;
  state: RunState;
  row: RunRow;
  run: RunView;
}

function Loaded({ store, state, row, run }: LoadedProps) {
  const mayWrite = useMay("OPERATOR");
  const [tabParam, setTab] = useUrlParam("tab", { history: "push" });
  const tab = tabNames.find((each) => each === tabParam) ?? "waterfall";
  const steps = useMemo(() => stepsOf(state.view), [state.view]);
  const interrupts = [...state.view.interrupts.values()];
  const conversation = row.session.title ?? row.session.firstMessage?.slice(0, 60) ?? "Conversation";
  const conversationHref = `/conversations/${row.session.id}#run-${run.runId}`;
  const title = `Run of ${(row.agent ?? row.session.agent).displayName}`;
  return (
    <Page
      title={title}
      crumbs={[runsCrumb, { label: <span dir="auto">{conversation}</span>, href: conversationHref }, { label: title }]}
      aside={<StatusBadge status={run.status} variant="pill" />}
      actions={
        <>
          {isActiveRun(run.status) ? <Cancel row={row} store={store} mayWrite={mayWrite} /> : null}
          {isLastAttempt(row, run) && (run.status === "FAILED" || run.status === "CANCELLED") ? (
            <RetryButton taskId={row.task.id} mayWrite={mayWrite} />
          ) : null}
          <LinkButton href={conversationHref} icon={ChatsCircleIcon}>
            <span className="max-sm:sr-only">Conversation</span>
          </LinkButton>
        </>
      }
    >
      <div className="flex h-full min-h-0 flex-col">
        <RunFacts row={row} run={run} stepCount={steps.length} />
        {run.status === "FAILED" ? <Failure run={run} /> : null}
        {state.error === undefined ? null : (
          <p
            role="alert"
            className="flex shrink-0 items-center gap-3 border-b border-line-soft bg-danger-tint px-4 py-2 text-xs text-danger-ink"
          >
            <span className="flex-1">Not everything could be read: {describeError(state.error).message}</span>
            <Button size="xs" onClick={store.open}>
              Try again
            </Button>
          </p>
        )}
        {interrupts.length === 0 ? null : (
          <div className="max-h-[45%] shrink-0 overflow-y-auto border-b border-line-soft px-3 py-2.5 md:px-4">
            <div className="max-w-3xl">
              <ApprovalCard
                interrupts={interrupts}
                blocked={mayWrite ? null : "Operators of the project decide this."}
                onDecided={store.decided}
              />
            </div>
          </div>
        )}
        <Tabs tab={tab} onTab={(next) => setTab(next === "waterfall" ? null : next)} />
        <div role="tabpanel" id="run-tabpanel" aria-labelledby={`run-tab-${tab}`} className="min-h-0 flex-1">
          {tab === "waterfall" || tab === "list" ? (
            <StepsView as={tab} run={run} steps={steps} complete={state.allSteps} stepCount={row.stepCount} />
          ) : null}
          {tab === "events" ? <Events runId={row.id} since={run.startedAt ?? run.queuedAt} /> : null}
          {tab === "artifacts" ? <MadeArtifacts of={{ runId: row.id }} stamp={run.status} /> : null}
          {tab === "manifest" ? <ManifestView runId={row.id} digest={row.manifestDigest} /> : null}
        </div>
      </div>
    </Page>
  );
}

const isLastAttempt = (row: RunRow, run: RunView): boolean =>
  row.task.runs.every((attempt) => attempt.attempt <= run.attempt);

function Events({ runId, since }: { runId: string; since: string }) {
  const feed = useEventFeed({ runId });
  return <EventLog feed={feed} since={since} />;
}

function Tabs({ tab, onTab }: { tab: Tab; onTab: (tab: Tab) => void }) {
  return (
    <div
      role="tablist"
      aria-label="Views of the run"
      className="flex h-9 shrink-0 items-stretch gap-4 border-b border-line px-3 md:px-4"
    >
      {tabNames.map((each) => (
        <button
          key={each}
          type="button"
          role="tab"
          id={`run-tab-${each}`}
          aria-selected={each === tab}
          aria-controls="run-tabpanel"
          onClick={() => onTab(each)}
          className="relative text-[13px] text-muted hover:text-ink aria-selected:font-medium aria-selected:text-ink aria-selected:after:absolute aria-selected:after:inset-x-0 aria-selected:after:-bottom-px aria-selected:after:h-0.5 aria-selected:after:rounded-full aria-selected:after:bg-accent"
        >
          {tabs[each]}
        </button>
      ))}
    </div>
  );
}

function Failure({ run }: { run: RunView }) {
  const { title, advice } = adviceFor(run.error?.code ?? null);
  return (
    <div className="flex shrink-0 items-start gap-2.5 border-b border-danger/25 bg-danger-tint/60 px-3 py-2.5 md:px-4">
      <XCircleIcon size={16} weight="fill" className="mt-0.5 shrink-0 text-danger-ink" aria-hidden="true" />
      <p className="min-w-0 text-[13px] text-ink">
        <span className="font-semibold text-danger-ink">{title}</span>
        {run.error === null ? null : <code className="mono ml-2 text-[11.5px] text-danger-ink">{run.error.code}</code>}
        {run.error?.message == null ? null : (
          <span dir="auto" className="mt-0.5 block max-h-24 overflow-y-auto break-words whitespace-pre-wrap">
            {run.error.message}
          </span>
        )}
        <span className="mt-0.5 block text-xs text-ink-2">{advice}</span>
      </p>
    </div>
  );
}

function Cancel({ row, store, mayWrite }: { row: RunRow; store: RunStore; mayWrite: boolean }) {
  const client = useClient();
  const cancel = async () => {
    const { cancelTask: answer } = await client.request(cancelTaskDocument, {
      input: { taskId: row.task.id, reason: "Stopped in the backoffice" },
    });
    await store.refresh();
    return answer.__typename === "CancelTaskSuccess" || answer.code === "NOT_CANCELLABLE" ? null : answer.message;
  };
  return (
    <RunAction
      icon={StopIcon}
      disabled={!mayWrite}
      title={mayWrite ? undefined : "Your role may read this run; operators can stop it"}
      act={cancel}
    >
      Stop
    </RunAction>
  );
}

function RunSkeleton() {
  return (
    <Loading label="Loading the run">
      <div className="space-y-5 p-4">
        <div className="flex gap-8">
          {[1, 2, 3, 4, 5].map((n) => (
            <Skeleton key={n} className="h-8 w-20" />
          ))}
        </div>
        <div className="space-y-3">
          {[88, 70, 52, 64, 40, 58, 34].map((width) => (
            <Skeleton key={width} className="h-4" />
          ))}
        </div>
      </div>
    </Loading>
  );
}
