import type { StepDetailQuery } from "../../generated/graphql.ts";
import { formatCount } from "../../ui/format.ts";
import { StatusBadge } from "../../ui/status.tsx";
import { formatSpan } from "./format-span.ts";

type Detail = Extract<StepDetailQuery["node"], { modelCalls: unknown }>;

/** One call to a provider: which model, how fast, and the tokens that the provider reported. */
export function ModelCallCard({ call }: { call: Detail["modelCalls"][number] }) {
  const speed =
    call.completionTokens !== null && call.durationMs !== null && call.durationMs > 0
      ? (call.completionTokens / call.durationMs) * 1_000
      : null;
  return (
    <div className="overflow-hidden rounded-md border border-line">
      <div className="flex flex-wrap items-center gap-x-2.5 gap-y-1 border-b border-line-soft bg-sunken px-3 py-1.5 text-xs">
        <span className="mono truncate font-medium text-ink">{call.model}</span>
        <span className="text-muted">{call.provider}</span>
        {call.attempt > 1 ? <span className="text-muted">attempt {call.attempt}</span> : null}
        <span className="ml-auto">
          <StatusBadge status={call.status === "ERROR" ? "FAILED" : call.status} />
        </span>
      </div>
      <dl className="grid grid-cols-3 gap-x-3 gap-y-2 px-3 py-2 text-xs">
        <Figure
          name="Prompt"
          value={tokens(call.promptTokens)}
          detail={call.cachedPromptTokens === null ? null : `${formatCount(call.cachedPromptTokens)} cached`}
        />
        <Figure
          name="Completion"
          value={tokens(call.completionTokens)}
          detail={
            call.reasoningTokens === null || call.reasoningTokens === 0
              ? null
              : `${formatCount(call.reasoningTokens)} reasoning`
          }
        />
        <Figure name="Total" value={tokens(call.totalTokens)} detail={null} />
        <Figure name="Latency" value={call.durationMs === null ? "–" : formatSpan(call.durationMs)} detail={null} />
        <Figure
          name="First token"
          value={call.timeToFirstTokenMs === null ? "–" : formatSpan(call.timeToFirstTokenMs)}
          detail={null}
        />
        <Figure name="Speed" value={speed === null ? "–" : `${Math.round(speed)} tok/s`} detail={null} />
      </dl>
      {call.error === null ? null : (
        <p
          dir="auto"
          className="border-t border-line-soft bg-danger-tint px-3 py-1.5 text-xs break-words whitespace-pre-wrap text-danger-ink"
        >
          {call.error}
        </p>
      )}
    </div>
  );
}

const tokens = (count: number | null): string => (count === null ? "–" : formatCount(count));

function Figure({ name, value, detail }: { name: string; value: string; detail: string | null }) {
  return (
    <div>
      <dt className="text-[11.5px] text-muted">{name}</dt>
      <dd className="tnum text-[13px] text-ink">
        {value}
        {detail === null ? null : <span className="block text-[11px] text-muted">{detail}</span>}
      </dd>
    </div>
  );
}
