"use client";

import Link from "next/link";
import { useEffect, useState } from "react";
import { useClient } from "../../data/data-provider.tsx";
import { describeError } from "../../data/describe-error.ts";
import { Button } from "../../ui/button.tsx";
import { Scroller } from "../../ui/scroller.tsx";
import { Loading, Skeleton } from "../../ui/states.tsx";
import { StatusIcon, statusLabel } from "../../ui/status.tsx";
import { Time } from "../../ui/time.tsx";
import { Tokens } from "../../ui/tokens.tsx";
import type { LiveView, RunView } from "../run/live-view.ts";
import { readRun } from "../run/read-rows.ts";
import { conversationRunsDocument } from "./conversation-documents.ts";
import { RunDuration } from "./run-strip.tsx";

const pageSize = 50;

/** The runs of a conversation, newest first; live ones as the page knows them. */
export function PanelRuns({ sessionId, view }: { sessionId: string; view: LiveView }) {
  const { runs, more, loading, error, load } = useRuns(sessionId);
  const known = new Map(runs.map((run) => [run.runId, run]));
  for (const run of view.runs.values()) known.set(run.runId, run);
  const sorted = [...known.values()].sort((a, b) => (a.queuedAt < b.queuedAt ? 1 : -1));
  if (loading && sorted.length === 0)
    return (
      <Loading label="Loading runs">
        <div className="space-y-3 p-4">
          {[1, 2, 3].map((n) => (
            <Skeleton key={n} className="h-9 w-full" />
          ))}
        </div>
      </Loading>
    );
  return (
    <Scroller label="Runs" className="h-full">
      {sorted.length === 0 ? (
        <p className="p-4 text-[13px] text-muted">No runs yet. The first message starts one.</p>
      ) : null}
      <ul>
        {sorted.map((run) => (
          <li key={run.runId} className="border-b border-line-soft">
            <RunLine run={run} />
          </li>
        ))}
      </ul>
      {error === undefined ? null : <p className="p-4 text-xs text-danger-ink">{describeError(error).message}</p>}
      {more ? (
        <div className="p-3 text-center">
          <Button size="xs" loading={loading} onClick={load}>
            Earlier runs
          </Button>
        </div>
      ) : null}
    </Scroller>
  );
}

function RunLine({ run }: { run: RunView }) {
  return (
    <Link
      href={`/runs/Run_${run.runId}`}
      className="flex items-center gap-3 px-4 py-2 text-xs hover:bg-hover focus-visible:outline-offset-[-2px]"
    >
      <StatusIcon status={run.status} title={statusLabel(run.status)} />
      <span className="min-w-0 flex-1">
        <span className="block truncate text-ink">
          {run.error === null ? (
            statusLabel(run.status)
          ) : (
            <span className="mono text-danger-ink">{run.error.code}</span>
          )}
          {run.attempt > 1 ? <span className="text-muted"> · attempt {run.attempt}</span> : null}
        </span>
        <span className="text-muted">
          <Time at={run.queuedAt} as="ago" />
        </span>
      </span>
      <span className="tnum text-right text-muted">
        <span className="block text-ink-2">
          <RunDuration run={run} />
        </span>
        {run.usage === null ? null : <Tokens usage={run.usage} />}
      </span>
    </Link>
  );
}

function useRuns(sessionId: string) {
  const client = useClient();
  const [state, setState] = useState<{
    runs: RunView[];
    before: string | null;
    more: boolean;
    loading: boolean;
    error: unknown;
  }>({
    runs: [],
    before: null,
    more: false,
    loading: true,
    error: undefined,
  });
  const read = async (before: string | null, kept: RunView[]) => {
    setState((now) => ({ ...now, loading: true, error: undefined }));
    try {
      const { session } = await client.request(conversationRunsDocument, { id: sessionId, last: pageSize, before });
      const info = session?.runs.pageInfo;
      setState({
        runs: [...(session?.runs.nodes.map(readRun) ?? []), ...kept],
        before: info?.startCursor ?? null,
        more: info?.hasPreviousPage ?? false,
        loading: false,
        error: undefined,
      });
    } catch (error) {
      setState((now) => ({ ...now, loading: false, error }));
    }
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: the first page is read once per conversation.
  useEffect(() => {
    void read(null, []);
  }, [sessionId]);
  return { ...state, load: () => void read(state.before, state.runs) };
}
