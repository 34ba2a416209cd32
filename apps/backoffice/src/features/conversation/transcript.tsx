"use client";

import { ArrowDownIcon } from "@phosphor-icons/react";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { describeError } from "../../data/describe-error.ts";
import type { InterruptRowFragment } from "../../generated/graphql.ts";
import { Button } from "../../ui/button.tsx";
import { Spinner } from "../../ui/status.tsx";
import { ApprovalCard } from "../interrupt/approval-card.tsx";
import { toggled } from "../run/toggled.ts";
import { ActivityRow } from "./activity-row.tsx";
import type { ConversationState } from "./conversation-store.ts";
import { FailureRow } from "./failure-row.tsx";
import { layOutTranscript, type TranscriptRow } from "./lay-out-transcript.ts";
import { MessageRow } from "./message-row.tsx";
import { PendingRow } from "./pending-row.tsx";
import { RunStrip } from "./run-strip.tsx";
import type { PendingSend } from "./sends.ts";
import { ToolRow } from "./tool-row.tsx";
import { useRowTarget } from "./use-row-target.ts";
import { useStickToEnd } from "./use-stick-to-end.ts";

/** Closer to the beginning than this, earlier messages are read; pixels. */
const nearBeginning = 600;

type Row = TranscriptRow | { kind: "pending"; key: string; send: PendingSend };

export interface TranscriptProps {
  state: ConversationState;
  pending: readonly PendingSend[];
  /** Why the viewer may not decide; null when they may. */
  blocked: string | null;
  onEarlier: () => Promise<boolean>;
  onDecided: (rows: readonly InterruptRowFragment[]) => void;
  onResend: (key: string) => void;
  onDiscard: (key: string) => void;
  /** Shown instead of an empty transcript. */
  empty: ReactNode;
}

/** The conversation from its loaded beginning to what is being written now. Only rows in view are rendered. */
export function Transcript(props: TranscriptProps) {
  const { state, pending, onEarlier } = props;
  const rows = useMemo<Row[]>(
    () => [
      ...layOutTranscript(state.view),
      ...pending.map((send): Row => ({ kind: "pending", key: `pending-${send.key}`, send })),
    ],
    [state.view, pending],
  );
  const scroller = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => estimateOf(rows[index]),
    getItemKey: (index) => rows[index]?.key ?? index,
    // Earlier messages are put above what is being read without moving it.
    anchorTo: "end",
    // Whether the end is kept in view is decided by useStickToEnd alone.
    scrollEndThreshold: -1,
    overscan: 8,
    paddingEnd: 24,
  });
  const hasRows = rows.length > 0;
  const target = useRowTarget({ rows, virtualizer, hasEarlier: state.earlier.has, onEarlier });
  const stick = useStickToEnd({ scroller, virtualizer, begin: hasRows && target === null });

  // What the viewer sends is always shown to them.
  const sent = pending.length;
  const sentBefore = useRef(sent);
  useEffect(() => {
    if (sent > sentBefore.current) stick.toEnd();
    sentBefore.current = sent;
  }, [stick.toEnd, sent]);

  const onScroll = useCallback(() => {
    stick.onScroll();
    const element = scroller.current;
    if (element !== null && element.scrollTop < nearBeginning) void onEarlier();
  }, [stick.onScroll, onEarlier]);

  const toggle = useCallback(
    (key: string) => {
      stick.letGo();
      setOpen((before) => toggled(before, key));
    },
    [stick.letGo],
  );

  if (!hasRows) return <div className="min-h-0 flex-1 overflow-auto">{props.empty}</div>;
  return (
    <div className="relative min-h-0 flex-1">
      <h2 className="sr-only">Transcript</h2>
      <div
        ref={scroller}
        role="log"
        aria-label="Transcript"
        aria-live="off"
        // A scroller must be reachable by keyboard.
        // biome-ignore lint/a11y/noNoninteractiveTabindex: see above.
        tabIndex={0}
        onScroll={onScroll}
        {...stick.intents}
        className="h-full overflow-y-auto overscroll-contain focus-visible:outline-offset-[-2px]"
        style={{ overflowAnchor: "none" }}
      >
        <Beginning state={state} onEarlier={onEarlier} />
        <div className="relative w-full" style={{ height: virtualizer.getTotalSize() }}>
          {virtualizer.getVirtualItems().map((item) => {
            const row = rows[item.index];
            if (row === undefined) return null;
            return (
              <div
                key={item.key}
                data-index={item.index}
                ref={virtualizer.measureElement}
                className="absolute top-0 left-0 w-full"
                style={{ transform: `translateY(${item.start}px)` }}
              >
                <div
                  className={`mx-auto w-full max-w-[808px] px-4 md:px-6 ${row.key === target ? "rounded-lg" : ""}`}
                  style={row.key === target ? { animation: "wh-flash 2.4s ease-out" } : undefined}
                >
                  <RowContent
                    {...props}
                    row={row}
                    previous={rows[item.index - 1]}
                    next={rows[item.index + 1]}
                    open={open.has(row.key)}
                    onToggle={toggle}
                  />
                </div>
              </div>
            );
          })}
        </div>
      </div>
      {stick.atEnd ? null : (
        <div className="pointer-events-none absolute inset-x-0 bottom-3 flex justify-center">
          <button
            type="button"
            onClick={stick.toEnd}
            className="pointer-events-auto inline-flex h-8 items-center gap-1.5 rounded-full bg-raised pr-3.5 pl-2.5 text-xs font-medium text-ink shadow-pop hover:bg-hover"
          >
            {state.view.status === "BUSY" ? (
              <Spinner size={13} className="text-running" />
            ) : (
              <ArrowDownIcon size={13} aria-hidden="true" />
            )}
            Jump to latest
          </button>
        </div>
      )}
    </div>
  );
}

function estimateOf(row: Row | undefined): number {
  if (row === undefined) return 40;
  switch (row.kind) {
    case "run":
      return 32;
    case "tool":
      return 42;
    case "message":
      return 70 + Math.min(1_200, Math.ceil(row.message.text.length / 90) * 23);
    case "pending":
      return 90;
    case "interrupt":
      return 220;
    case "failure":
      return 110;
    case "activity":
      return 38;
  }
}

interface RowContentProps extends TranscriptProps {
  row: Row;
  previous: Row | undefined;
  next: Row | undefined;
  open: boolean;
  onToggle: (key: string) => void;
}

function RowContent({ row, previous, next, open, onToggle, ...props }: RowContentProps) {
  switch (row.kind) {
    case "run":
      return <RunStrip run={row.run} continued={row.continued} />;
    case "message":
      return <MessageRow message={row.message} />;
    case "tool":
      return (
        <ToolRow
          call={row.call}
          first={previous?.kind !== "tool"}
          last={next?.kind !== "tool"}
          open={open}
          onToggle={() => onToggle(row.key)}
        />
      );
    case "interrupt":
      return (
        <div className="py-2">
          <ApprovalCard interrupts={row.interrupts} blocked={props.blocked} onDecided={props.onDecided} />
        </div>
      );
    case "failure":
      return <FailureRow run={row.run} />;
    case "activity":
      return <ActivityRow run={row.run} doing={row.doing} />;
    case "pending":
      return (
        <PendingRow
          send={row.send}
          onResend={() => props.onResend(row.send.key)}
          onDiscard={() => props.onDiscard(row.send.key)}
        />
      );
  }
}

function Beginning({ state, onEarlier }: { state: ConversationState; onEarlier: () => Promise<boolean> }) {
  const { has, loading, error } = state.earlier;
  if (error !== undefined)
    return (
      <div role="alert" className="flex items-center justify-center gap-3 py-4 text-xs text-danger-ink">
        {describeError(error).message}
        <Button size="xs" onClick={() => void onEarlier()}>
          Try again
        </Button>
      </div>
    );
  if (has)
    return (
      <div className="flex h-12 items-center justify-center gap-2 text-xs text-muted" aria-busy={loading}>
        <Spinner size={13} /> Earlier messages
      </div>
    );
  return <div className="h-2" />;
}
