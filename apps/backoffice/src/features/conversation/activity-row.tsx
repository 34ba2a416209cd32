import { CircleDashedIcon } from "@phosphor-icons/react";
import { Spinner } from "../../ui/status.tsx";
import { LiveDuration } from "../../ui/time.tsx";
import type { RunView } from "../run/live-view.ts";

/** What an active run does while it writes nothing. */
export function ActivityRow({ run, doing }: { run: RunView; doing: string | null }) {
  const queued = run.status === "QUEUED";
  return (
    <p role="status" className="flex items-center gap-2 py-2 text-[13px] text-muted">
      {queued ? (
        <CircleDashedIcon size={14} weight="bold" className="text-faint" aria-hidden="true" />
      ) : (
        <Spinner className="text-running" />
      )}
      {queued
        ? "Queued: it begins when a worker is free and no earlier run of this conversation is active"
        : doing === null
          ? "Thinking"
          : null}
      {!queued && doing !== null ? (
        <span>
          Calling <span className="mono text-ink-2">{doing}</span>
        </span>
      ) : null}
      {!queued && run.startedAt !== null ? <LiveDuration since={run.startedAt} className="text-xs" /> : null}
    </p>
  );
}
