"use client";

import { XIcon } from "@phosphor-icons/react";
import { type ReactNode, useEffect, useState } from "react";
import { useClient } from "../../data/data-provider.tsx";
import { describeError } from "../../data/describe-error.ts";
import type { StepDetailQuery } from "../../generated/graphql.ts";
import { Button } from "../../ui/button.tsx";
import { CopyableId, CopyButton } from "../../ui/copyable-id.tsx";
import { JsonTree } from "../../ui/json-tree.tsx";
import { Scroller } from "../../ui/scroller.tsx";
import { Loading, Skeleton } from "../../ui/states.tsx";
import { StatusBadge } from "../../ui/status.tsx";
import { Time } from "../../ui/time.tsx";
import { formatSpan } from "./format-span.ts";
import type { StepView } from "./live-view.ts";
import { HugeText } from "./message-text.tsx";
import { ModelCallCard } from "./model-call-card.tsx";
import { PromptMessages } from "./prompt-messages.tsx";
import { readMessages } from "./read-prompt.ts";
import { stepDetailDocument } from "./run-documents.ts";
import { StepKindIcon, stepKindLooks } from "./step-kinds.tsx";

type Detail = Extract<StepDetailQuery["node"], { kind: unknown }>;

export interface StepDetailProps {
  step: StepView;
  /** When the run began, ISO 8601. */
  runStartedAt: string;
  onClose: () => void;
}

/** Everything that is known of one step; its payloads are read when it is looked at. */
export function StepDetail({ step, runStartedAt, onClose }: StepDetailProps) {
  const { detail, error, retry } = useStepDetail(step);
  return (
    <div className="flex h-full min-h-0 flex-col">
      <header className="flex shrink-0 items-start gap-2.5 border-b border-line-soft px-4 py-2.5">
        <span className="mt-0.5">
          <StepKindIcon kind={step.kind} size={16} />
        </span>
        <div className="min-w-0 flex-1">
          <h2 className="text-[13.5px] leading-5 font-semibold break-words text-ink">{step.name}</h2>
          <p className="mt-0.5 flex flex-wrap items-center gap-x-3 text-xs text-muted">
            <StatusBadge status={step.status} />
            <span>{stepKindLooks[step.kind].label}</span>
            <span className="tnum">{step.durationMs === null ? "–" : formatSpan(step.durationMs)}</span>
          </p>
        </div>
        <button
          type="button"
          aria-label="Close the step"
          onClick={onClose}
          className="inline-flex size-7 shrink-0 items-center justify-center rounded-md text-muted hover:bg-hover hover:text-ink"
        >
          <XIcon size={14} aria-hidden="true" />
        </button>
      </header>
      <Scroller label={`Step ${step.name}`} className="min-h-0 flex-1 px-4 pb-6">
        {step.error === null ? null : (
          <p
            dir="auto"
            className="mt-3 rounded-md bg-danger-tint px-3 py-2 text-[13px] break-words whitespace-pre-wrap text-danger-ink"
          >
            {step.error}
          </p>
        )}
        {detail !== null ? (
          <Payloads detail={detail} running={step.status === "RUNNING"} />
        ) : error !== undefined ? (
          <div role="alert" className="mt-4 text-[13px] text-danger-ink">
            {describeError(error).message}
            <div className="mt-2">
              <Button size="xs" onClick={retry}>
                Try again
              </Button>
            </div>
          </div>
        ) : (
          <Loading label="Loading the step">
            <div className="mt-4 space-y-3">
              <Skeleton className="h-4 w-24" />
              <Skeleton className="h-20 w-full" />
              <Skeleton className="h-4 w-24" />
              <Skeleton className="h-32 w-full" />
            </div>
          </Loading>
        )}
        <Section title="Timing and identity">
          <dl className="grid grid-cols-[104px_minmax(0,1fr)] gap-x-3 gap-y-1.5 text-xs">
            <Fact name="Began">
              <Time at={step.startedAt} as="clock-ms" />{" "}
              <span className="text-muted">
                (+{formatSpan(Math.max(0, Date.parse(step.startedAt) - Date.parse(runStartedAt)))})
              </span>
            </Fact>
            <Fact name="Ended">{step.finishedAt === null ? "–" : <Time at={step.finishedAt} as="clock-ms" />}</Fact>
            <Fact name="Order">{step.seq}</Fact>
            {detail === null || detail.attempt === 1 ? null : <Fact name="Attempt">{detail.attempt}</Fact>}
            <Fact name="Step id">
              <CopyableId id={`Step_${step.stepId}`} what="step id" />
            </Fact>
            {detail?.toolCallId == null ? null : (
              <Fact name="Tool call">
                <CopyableId id={detail.toolCallId} what="tool call id" />
              </Fact>
            )}
            {detail?.toolUri == null ? null : <Fact name="Tool">{detail.toolUri}</Fact>}
          </dl>
        </Section>
      </Scroller>
    </div>
  );
}

function Payloads({ detail, running }: { detail: Detail; running: boolean }) {
  const { modelCalls, prompt, inputs, output, metadata } = detail;
  const hasMetadata = typeof metadata === "object" && metadata !== null && Object.keys(metadata).length > 0;
  return (
    <>
      {modelCalls.length === 0 ? null : (
        <Section title={modelCalls.length === 1 ? "Model call" : `${modelCalls.length} model calls`}>
          <div className="space-y-2">
            {modelCalls.map((call) => (
              <ModelCallCard key={call.id} call={call} />
            ))}
          </div>
        </Section>
      )}
      {prompt === null ? null : <Payload title="Prompt" value={prompt} />}
      {inputs === null ? null : <Payload title="Input" value={inputs} />}
      {output !== null ? (
        <Payload title="Output" value={output} />
      ) : running ? (
        <Section title="Output">
          <p className="text-xs text-muted">The step is still running</p>
        </Section>
      ) : null}
      {prompt === null && inputs === null && output === null && !running ? (
        <p className="mt-4 text-xs text-muted">
          This step has no recorded payloads: it carried none, or the agent does not record them.
        </p>
      ) : null}
      {hasMetadata ? <Payload title="Metadata" value={metadata} /> : null}
    </>
  );
}

/** A payload in the form that reads best: messages, a text, or a tree; always with the JSON a click away. */
function Payload({ title, value }: { title: string; value: unknown }) {
  const [raw, setRaw] = useState(false);
  const messages = readMessages(value);
  const text = typeof value === "string" ? value : null;
  const copied = text ?? JSON.stringify(value, null, 2);
  return (
    <Section
      title={title}
      actions={
        <>
          {messages === null ? null : (
            <button
              type="button"
              onClick={() => setRaw((is) => !is)}
              className="rounded px-1 text-[11.5px] text-accent-ink hover:bg-hover"
            >
              {raw ? "Messages" : "JSON"}
            </button>
          )}
          <CopyButton text={copied} what={title.toLowerCase()} />
        </>
      }
    >
      {messages !== null && !raw ? (
        <PromptMessages messages={messages} />
      ) : text !== null ? (
        <div className="rounded-md border border-line bg-sunken px-3 py-2">
          <HugeText text={text} mono />
        </div>
      ) : (
        <JsonTree value={value} label={title} maxHeight={360} />
      )}
    </Section>
  );
}

function Section({ title, actions, children }: { title: string; actions?: ReactNode; children: ReactNode }) {
  return (
    <section className="mt-4">
      <div className="mb-1.5 flex min-h-6 items-center justify-between">
        <h3 className="text-xs font-medium text-muted">{title}</h3>
        <span className="flex items-center gap-1">{actions}</span>
      </div>
      {children}
    </section>
  );
}

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <>
    <dt className="text-muted">{name}</dt>
    <dd className="tnum min-w-0 break-words text-ink">{children}</dd>
  </>
);

/** Reads the payloads of a step, and again when it ends; what is shown stays until the new answer is there. */
function useStepDetail(step: StepView) {
  const client = useClient();
  const [state, setState] = useState<{ id: string; detail: Detail | null; error: unknown }>({
    id: "",
    detail: null,
    error: undefined,
  });
  const [round, setRound] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the status tells that there is more to read, `round` asks again.
  useEffect(() => {
    const abort = new AbortController();
    const read = async () => {
      const { node } = await client.request(
        stepDetailDocument,
        { id: `Step_${step.stepId}` },
        { signal: abort.signal },
      );
      const detail = node !== null && "kind" in node ? node : null;
      setState({
        id: step.stepId,
        detail,
        error: detail === null ? new Error("The step is not recorded yet") : undefined,
      });
    };
    read().catch((error: unknown) => {
      if (!abort.signal.aborted)
        setState((before) => ({ id: step.stepId, detail: before.id === step.stepId ? before.detail : null, error }));
    });
    return () => abort.abort();
  }, [client, step.stepId, step.status, round]);
  const current = state.id === step.stepId;
  return {
    detail: current ? state.detail : null,
    error: current ? state.error : undefined,
    retry: () => setRound((n) => n + 1),
  };
}
