"use client";

import { CaretRightIcon, WrenchIcon } from "@phosphor-icons/react";
import { useId, useState } from "react";
import { CopyButton } from "../../ui/copyable-id.tsx";
import { formatBytes } from "../../ui/format.ts";
import { JsonTree } from "../../ui/json-tree.tsx";
import { Scroller } from "../../ui/scroller.tsx";
import { StatusIcon } from "../../ui/status.tsx";
import { Duration, LiveDuration } from "../../ui/time.tsx";
import { ArgumentList } from "../interrupt/argument-list.tsx";
import { HugeText } from "../run/message-text.tsx";
import type { ToolCall } from "./lay-out-transcript.ts";
import { previewArguments, readResult } from "./read-result.ts";

export interface ToolRowProps {
  call: ToolCall;
  /** Neighbouring calls share one frame. */
  first: boolean;
  last: boolean;
  open: boolean;
  onToggle: () => void;
}

const statusOf = {
  running: "RUNNING",
  completed: "COMPLETED",
  failed: "FAILED",
  waiting: "INPUT_REQUIRED",
  unanswered: "CANCELLED",
} as const;
const words = {
  running: "Running",
  completed: "Completed",
  failed: "Failed",
  waiting: "Waiting for a decision",
  unanswered: "Ended without an answer",
} as const;
const noResult = {
  running: "The tool is still running",
  completed: "The result is not a part of the loaded messages",
  failed: "",
  waiting: "The tool runs when the request below is decided",
  unanswered: "The run ended before the tool answered; its step says why",
} as const;

/** A call of a tool on one line; open, with its arguments and its result. */
export function ToolRow({ call, first, last, open, onToggle }: ToolRowProps) {
  const id = useId();
  const preview = previewArguments(call.args, call.argumentNames);
  return (
    <div className={`${first ? "pt-2" : ""} ${last ? "pb-2" : ""}`}>
      <div
        className={`overflow-hidden border-x border-t border-line bg-surface ${first ? "rounded-t-lg" : ""} ${last ? "rounded-b-lg border-b" : ""}`}
      >
        <button
          type="button"
          aria-expanded={open}
          aria-controls={id}
          onClick={onToggle}
          className="flex h-9 w-full items-center gap-2.5 px-3 text-left hover:bg-hover focus-visible:outline-offset-[-2px]"
        >
          <WrenchIcon size={14} className="shrink-0 text-muted" aria-hidden="true" />
          <span className="mono shrink-0 text-[12.5px] font-medium text-ink">{call.name}</span>
          <span dir="auto" className="mono min-w-0 flex-1 truncate text-xs text-muted">
            {preview}
          </span>
          <span className="flex shrink-0 items-center gap-2.5 text-xs text-muted">
            {call.state === "running" && call.startedAt !== null ? (
              <LiveDuration since={call.startedAt} />
            ) : call.durationMs === null ? null : (
              <Duration ms={call.durationMs} />
            )}
            <StatusIcon status={statusOf[call.state]} title={words[call.state]} />
            <CaretRightIcon
              size={12}
              aria-hidden="true"
              className={`transition-transform duration-150 ${open ? "rotate-90" : ""}`}
            />
          </span>
        </button>
        {open ? (
          <div id={id} className="border-t border-line-soft px-3 pt-1 pb-3">
            <ToolDetails call={call} />
          </div>
        ) : null}
      </div>
    </div>
  );
}

function ToolDetails({ call }: { call: ToolCall }) {
  const [raw, setRaw] = useState(false);
  const result = readResult(call.result);
  return (
    <>
      <Title text="Arguments" />
      {call.args === undefined ? (
        <p className="text-xs text-muted">
          {call.argumentNames.length === 0
            ? "Not recorded"
            : `${call.argumentNames.join(", ")} (values appear when the message is recorded)`}
        </p>
      ) : (
        <ArgumentList value={call.args} label={`Arguments of ${call.name}`} />
      )}
      {call.error === null ? null : (
        <>
          <Title text="Error" />
          <p
            dir="auto"
            className="rounded-md bg-danger-tint px-3 py-2 text-[13px] break-words whitespace-pre-wrap text-danger-ink"
          >
            {call.error}
          </p>
        </>
      )}
      {call.state === "failed" && call.result === null ? null : (
        <>
          <Title text="Result">
            {call.outputBytes === null ? null : <span>{formatBytes(call.outputBytes)}</span>}
            {result?.kind === "json" ? (
              <button
                type="button"
                onClick={() => setRaw((is) => !is)}
                className="rounded px-1 text-accent-ink hover:bg-hover"
              >
                {raw ? "As tree" : "As text"}
              </button>
            ) : null}
            {call.result === null ? null : <CopyButton text={call.result} what="result" />}
          </Title>
          {result === null ? (
            <p className="text-xs text-muted">{noResult[call.state]}</p>
          ) : result.kind === "json" && !raw ? (
            <JsonTree value={result.value} label={`Result of ${call.name}`} maxHeight={320} />
          ) : (
            <Scroller
              label={`Result of ${call.name}`}
              className="max-h-80 rounded-md border border-line bg-sunken px-3 py-2"
            >
              <HugeText text={call.result ?? ""} mono />
            </Scroller>
          )}
        </>
      )}
    </>
  );
}

function Title({ text, children }: { text: string; children?: React.ReactNode }) {
  return (
    <h3 className="mt-2 mb-1 flex min-h-6 items-center gap-2 text-[11.5px] font-medium text-muted">
      {text}
      <span className="ml-auto flex items-center gap-2 font-normal">{children}</span>
    </h3>
  );
}
