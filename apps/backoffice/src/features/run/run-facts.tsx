import { isActiveRun } from "@wheelhouse/domain";
import Link from "next/link";
import type { ReactNode } from "react";
import { CopyableId } from "../../ui/copyable-id.tsx";
import { formatCount } from "../../ui/format.ts";
import { Duration, LiveDuration, Time } from "../../ui/time.tsx";
import { Tokens } from "../../ui/tokens.tsx";
import { AgentMark } from "../agents/agent-mark.tsx";
import type { RunView } from "./live-view.ts";
import type { RunRow } from "./run-store.ts";
import { localId } from "./snapshot.ts";

const between = (from: string | null, to: string | null): number | null =>
  from === null || to === null ? null : Math.max(0, Date.parse(to) - Date.parse(from));

/** The figures of a run in one line: who ran, how long each part took, what it used. */
export function RunFacts({ row, run, stepCount }: { row: RunRow; run: RunView; stepCount: number }) {
  const agent = row.agent ?? row.session.agent;
  const running = isActiveRun(run.status) && run.startedAt !== null;
  const attempts = row.task.runs.length > 1 ? [...row.task.runs].sort((a, b) => a.attempt - b.attempt) : [];
  return (
    // Positioned, so that what only screen readers get is clipped with the row and does not widen the page.
    <dl className="relative flex shrink-0 gap-x-7 gap-y-2 overflow-x-auto border-b border-line-soft px-3 py-2.5 whitespace-nowrap md:px-4">
      <Fact name="Agent">
        <span className="flex items-center gap-1.5">
          <AgentMark name={agent.name} label={agent.displayName} size={16} />
          {agent.displayName}
        </span>
      </Fact>
      <Fact name="Duration">
        {running && run.startedAt !== null ? (
          <LiveDuration since={run.startedAt} />
        ) : (
          <Duration ms={between(run.startedAt, run.finishedAt)} />
        )}
      </Fact>
      <Fact name="Queue wait">
        {run.startedAt === null && run.status === "QUEUED" ? (
          <LiveDuration since={run.queuedAt} />
        ) : (
          <Duration ms={between(run.queuedAt, run.startedAt)} />
        )}
      </Fact>
      <Fact name="First event">
        <Duration ms={between(run.startedAt, run.firstEventAt)} />
      </Fact>
      <Fact name="Tokens">{run.usage === null ? "–" : <Tokens usage={run.usage} detailed />}</Fact>
      <Fact name="Model calls">{run.usage === null ? "–" : formatCount(run.usage.modelCalls)}</Fact>
      <Fact name="Steps">{formatCount(Math.max(stepCount, row.stepCount))}</Fact>
      <Fact name={run.recoveries > 0 ? "Attempt · recoveries" : "Attempt"}>
        {attempts.length === 0 ? (
          <>
            {run.attempt}
            {run.recoveries > 0 ? ` · ${run.recoveries}` : ""}
          </>
        ) : (
          <span className="flex items-center gap-1">
            {attempts.map((each) => (
              <Link
                key={each.id}
                href={`/runs/${each.id}`}
                aria-current={localId(each.id) === run.runId ? "page" : undefined}
                className="inline-flex h-5 min-w-5 items-center justify-center rounded px-1 text-muted ring-1 ring-line hover:bg-hover aria-[current=page]:bg-selected aria-[current=page]:text-ink"
              >
                {each.attempt}
              </Link>
            ))}
          </span>
        )}
      </Fact>
      <Fact name="Queued">
        <Time at={run.queuedAt} as="absolute" />
      </Fact>
      <Fact name="Run id">
        <CopyableId id={row.id} what="run id" className="max-w-none!" />
      </Fact>
    </dl>
  );
}

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className="shrink-0">
    <dt className="text-[11.5px] leading-4 text-muted">{name}</dt>
    <dd className="tnum mt-0.5 text-[13px] leading-5 text-ink">{children}</dd>
  </div>
);
