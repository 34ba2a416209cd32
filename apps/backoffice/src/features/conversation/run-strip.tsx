import { ArrowClockwiseIcon, ArrowRightIcon } from "@phosphor-icons/react";
import { isActiveRun } from "@wheelhouse/domain";
import Link from "next/link";
import { memo } from "react";
import { StatusBadge } from "../../ui/status.tsx";
import { Duration, LiveDuration } from "../../ui/time.tsx";
import { Tokens } from "../../ui/tokens.tsx";
import type { RunView } from "../run/live-view.ts";

/** How long a run took, or has been taking; milliseconds. Null before it began. */
export function RunDuration({ run }: { run: RunView }) {
  if (run.startedAt === null) return null;
  if (isActiveRun(run.status)) return <LiveDuration since={run.startedAt} />;
  return <Duration ms={run.finishedAt === null ? null : Date.parse(run.finishedAt) - Date.parse(run.startedAt)} />;
}

/** The line that opens a run in the transcript: how it stands, what it took, and the way to its page. */
export const RunStrip = memo(function RunStrip({ run, continued }: { run: RunView; continued: boolean }) {
  const tokens = run.usage?.totalTokens ?? null;
  return (
    <div className={`flex items-center gap-3 pb-1 text-xs text-muted ${continued ? "pt-5" : "pt-2"}`}>
      <StatusBadge status={run.status} />
      <span className="flex min-w-0 items-center gap-3">
        <RunDuration run={run} />
        {tokens === null || run.usage === null ? null : (
          <span className="max-sm:hidden">
            <Tokens usage={run.usage} /> tokens
          </span>
        )}
        {run.attempt > 1 ? <span className="whitespace-nowrap">attempt {run.attempt}</span> : null}
        {run.recoveries > 0 ? (
          <span
            className="inline-flex items-center gap-1 whitespace-nowrap"
            title="A worker was lost; the run went on from its last checkpoint"
          >
            <ArrowClockwiseIcon size={12} aria-hidden="true" />
            recovered{run.recoveries > 1 ? ` ${run.recoveries} times` : ""}
          </span>
        ) : null}
      </span>
      <span aria-hidden="true" className="h-px min-w-4 flex-1 bg-line-soft" />
      <Link
        href={`/runs/Run_${run.runId}`}
        className="inline-flex shrink-0 items-center gap-1 rounded px-1 py-0.5 text-muted hover:bg-hover hover:text-ink"
      >
        Run details
        <ArrowRightIcon size={12} aria-hidden="true" />
      </Link>
    </div>
  );
});
