import { XCircleIcon } from "@phosphor-icons/react";
import Link from "next/link";
import { adviceFor } from "../run/failure-advice.ts";
import type { RunView } from "../run/live-view.ts";

/** Why a run failed, in words, and what can be done. */
export function FailureRow({ run }: { run: RunView }) {
  const { title, advice } = adviceFor(run.error?.code ?? null);
  return (
    <div className="py-2">
      <section aria-label="The run failed" className="rounded-lg border border-danger/40 bg-danger-tint/60 px-3.5 py-3">
        <div className="flex items-start gap-2.5">
          <XCircleIcon size={17} weight="fill" className="mt-px shrink-0 text-danger-ink" aria-hidden="true" />
          <div className="min-w-0 flex-1">
            <div className="flex flex-wrap items-baseline gap-x-2.5">
              <h2 className="text-[13px] font-semibold text-danger-ink">{title}</h2>
              {run.error === null ? null : <code className="mono text-[11.5px] text-danger-ink">{run.error.code}</code>}
            </div>
            {run.error?.message == null ? null : (
              <p dir="auto" className="mt-1 text-[13px] break-words whitespace-pre-wrap text-ink">
                {run.error.message}
              </p>
            )}
            <p className="mt-1.5 text-xs text-ink-2">
              {advice}{" "}
              <Link
                href={`/runs/Run_${run.runId}`}
                className="font-medium whitespace-nowrap text-ink underline decoration-line-strong underline-offset-2 hover:decoration-current"
              >
                See where it failed
              </Link>
            </p>
          </div>
        </div>
      </section>
    </div>
  );
}
