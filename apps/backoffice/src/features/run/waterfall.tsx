"use client";

import { CaretRightIcon, WarningCircleIcon } from "@phosphor-icons/react";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, type MouseEvent, memo, useEffect, useMemo, useRef, useState } from "react";
import { formatCount } from "../../ui/format.ts";
import { Spinner, StatusIcon } from "../../ui/status.tsx";
import { formatSpan } from "./format-span.ts";
import { type Waterfall as Layout, spanOf, type WaterfallRow } from "./lay-out-waterfall.ts";
import { barColour, StepKindIcon } from "./step-kinds.tsx";
import type { TimeAxis } from "./time-axis.ts";
import { TimeScale } from "./time-scale.tsx";
import { keyAction } from "./tree-keys.ts";
import { useTimelineGestures } from "./use-timeline-gestures.ts";
import { ticksOf, type ZoomWindow } from "./zoom-window.ts";

const rowHeight = 28;

export interface WaterfallProps {
  layout: Layout;
  /** How many steps the run has, when not all of them are read yet. */
  expected: number | null;
  now: number;
  window: ZoomWindow;
  onWindow: (window: ZoomWindow) => void;
  selected: string | null;
  onSelect: (stepId: string | null) => void;
  onToggle: (stepId: string) => void;
}

/** Steps as a tree on the left and as bars in time on the right; both scroll as one, only rows in view are rendered. */
export function Waterfall({ layout, expected, now, window, onWindow, selected, onSelect, onToggle }: WaterfallProps) {
  const { rows, axis } = layout;
  const scroller = useRef<HTMLDivElement>(null);
  const timeline = useRef<HTMLDivElement>(null);
  const [playhead, setPlayhead] = useState<number | null>(null);
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    getItemKey: (index) => rows[index]?.step.stepId ?? index,
    overscan: 14,
    scrollPaddingStart: 28,
  });
  const selectedIndex = useMemo(() => rows.findIndex((row) => row.step.stepId === selected), [rows, selected]);
  const lastShown = useRef<string | null>(null);
  useEffect(() => {
    if (selectedIndex < 0 || lastShown.current === selected) return;
    lastShown.current = selected;
    virtualizer.scrollToIndex(selectedIndex, { align: "auto" });
  }, [virtualizer, selectedIndex, selected]);
  const gestures = useTimelineGestures({ element: timeline, window, length: axis.length, onWindow });

  const onKeyDown = (event: KeyboardEvent) => {
    const action = keyAction(event, rows, selectedIndex);
    if (action === null) return;
    event.preventDefault();
    event.stopPropagation();
    if (action.kind === "select") onSelect(action.stepId);
    else onToggle(action.stepId);
  };
  const onMove = (event: MouseEvent) => {
    const box = timeline.current?.getBoundingClientRect();
    if (box === undefined || event.clientX < box.left) return setPlayhead(null);
    const part = (event.clientX - box.left) / box.width;
    setPlayhead(Math.min(axis.length, window.from + part * (window.to - window.from)));
  };

  return (
    <div
      ref={scroller}
      role="tree"
      aria-label="Steps"
      tabIndex={0}
      aria-activedescendant={selectedIndex < 0 ? undefined : `step-${selected}`}
      onKeyDown={onKeyDown}
      onMouseMove={onMove}
      onMouseLeave={() => setPlayhead(null)}
      className="relative min-h-0 flex-1 overflow-x-hidden overflow-y-auto [--names:clamp(150px,34%,380px)] focus-visible:outline-offset-[-2px]"
    >
      <div role="none" className="sticky top-0 z-10 flex h-7 border-b border-line bg-surface">
        <div
          role="none"
          className="flex shrink-0 items-center border-r border-line-soft px-3 text-[11.5px] text-muted md:px-4"
          style={{ width: "var(--names)" }}
        >
          {expected === null ? null : <Spinner size={12} className="mr-2 text-running" />}
          {formatCount(rows.length)}
          {expected === null ? "" : ` of ${formatCount(expected)}`} {rows.length === 1 ? "step" : "steps"}
        </div>
        <div
          role="none"
          ref={timeline}
          className="relative min-w-0 flex-1 touch-pan-y overflow-hidden select-none"
          {...gestures}
        >
          <TimeScale axis={axis} window={window} playhead={playhead} />
        </div>
      </div>
      <div
        role="none"
        className="relative min-h-[calc(100%-28px)] w-full"
        style={{ height: virtualizer.getTotalSize() }}
      >
        <Backdrop axis={axis} window={window} playhead={playhead} />
        {virtualizer.getVirtualItems().map((item) => {
          const row = rows[item.index];
          return row === undefined ? null : (
            <div
              key={item.key}
              role="none"
              className="absolute top-0 left-0 w-full"
              style={{ height: rowHeight, transform: `translateY(${item.start}px)` }}
            >
              <Row
                row={row}
                window={window}
                now={row.step.status === "RUNNING" ? now : 0}
                selected={item.index === selectedIndex}
                onSelect={onSelect}
                onToggle={onToggle}
              />
            </div>
          );
        })}
      </div>
    </div>
  );
}

interface RowProps {
  row: WaterfallRow;
  window: ZoomWindow;
  now: number;
  selected: boolean;
  onSelect: (stepId: string) => void;
  onToggle: (stepId: string) => void;
}

const Row = memo(function Row({ row, window, now, selected, onSelect, onToggle }: RowProps) {
  const { step, depth, descendants, collapsed, parallel } = row;
  const failed = step.status === "FAILED";
  return (
    <div
      role="treeitem"
      id={`step-${step.stepId}`}
      // The tree itself holds the focus and names the active item.
      tabIndex={-1}
      aria-level={depth + 1}
      aria-selected={selected}
      aria-expanded={descendants > 0 ? !collapsed : undefined}
      onClick={() => onSelect(step.stepId)}
      onKeyDown={undefined}
      className={`group/row flex h-full cursor-pointer items-stretch text-xs ${selected ? "bg-selected" : "hover:bg-hover"}`}
    >
      <span
        className="flex min-w-0 shrink-0 items-center gap-1.5 pr-2"
        style={{ width: "var(--names)", paddingLeft: 8 + Math.min(depth, 12) * 14 }}
      >
        {descendants > 0 ? (
          <button
            type="button"
            tabIndex={-1}
            aria-label={collapsed ? "Show the steps beneath" : "Hide the steps beneath"}
            onClick={(event) => {
              event.stopPropagation();
              onToggle(step.stepId);
            }}
            className="inline-flex size-4 shrink-0 items-center justify-center rounded text-muted hover:bg-line hover:text-ink"
          >
            <CaretRightIcon size={10} weight="bold" aria-hidden="true" className={collapsed ? "" : "rotate-90"} />
          </button>
        ) : (
          <span className="w-4 shrink-0" />
        )}
        <StepKindIcon kind={step.kind} size={13} />
        <span
          className={`min-w-0 truncate ${failed ? "text-danger-ink" : "text-ink"} ${step.kind === "NODE" || step.kind === "SUBAGENT" ? "font-medium" : ""}`}
        >
          {step.name}
        </span>
        {collapsed ? (
          <span className="tnum shrink-0 rounded bg-hover px-1 text-[11px] text-muted">
            +{formatCount(descendants)}
          </span>
        ) : null}
        {parallel ? (
          <span title="Ran at the same time as a sibling" className="shrink-0 text-[11px] text-muted">
            <span aria-hidden="true">∥</span>
            <span className="sr-only">in parallel</span>
          </span>
        ) : null}
        <span className="ml-auto flex shrink-0 items-center gap-1.5 pl-1">
          {failed ? <WarningCircleIcon size={13} weight="fill" className="text-danger" aria-label="Failed" /> : null}
          {step.status === "RUNNING" ? <StatusIcon status="RUNNING" size={12} title="Running" /> : null}
          <span className="tnum text-muted max-sm:hidden">{formatSpan(durationOf(row, now))}</span>
        </span>
      </span>
      <span className="relative min-w-0 flex-1 overflow-hidden">
        <Bar row={row} window={window} />
      </span>
    </div>
  );
});

const durationOf = ({ step }: WaterfallRow, now: number): number => {
  const { from, to } = spanOf(step, now);
  return step.durationMs ?? to - from;
};

function Bar({ row, window }: { row: WaterfallRow; window: ZoomWindow }) {
  const { step } = row;
  const width = window.to - window.from;
  const left = ((row.from - window.from) / width) * 100;
  const right = ((row.to - window.from) / width) * 100;
  if (right < 0 || left > 100) return null;
  const container = row.descendants > 0 && !row.collapsed && step.kind !== "MODEL";
  const colour = barColour(step.kind, step.status);
  return (
    <span
      aria-hidden="true"
      className={`absolute top-1/2 -translate-y-1/2 ${container ? "h-[5px] rounded-[2px]" : "h-[13px] rounded-[3px]"}`}
      style={{
        left: `${Math.max(left, -1)}%`,
        width: `max(2px, ${Math.min(right, 101) - Math.max(left, -1)}%)`,
        background: colour,
        opacity: step.status === "CANCELLED" ? 0.45 : container ? 0.7 : 1,
        ...(step.status === "RUNNING" ? { animation: "wh-pulse 1.4s ease-in-out infinite" } : {}),
      }}
    />
  );
}

interface BackdropProps {
  axis: TimeAxis;
  window: ZoomWindow;
  playhead: number | null;
}

/** What lies behind the bars: gaps that were collapsed, and the line under the pointer. */
function Backdrop({ axis, window, playhead }: BackdropProps) {
  const width = window.to - window.from;
  const place = (drawn: number) => ((drawn - window.from) / width) * 100;
  const { ticks } = ticksOf(window, 6);
  return (
    <div
      role="none"
      aria-hidden="true"
      className="pointer-events-none absolute inset-y-0 right-0 overflow-hidden border-l border-line-soft"
      style={{ left: "calc(var(--names) - 1px)" }}
    >
      {ticks.map((tick) => (
        <span key={tick} className="absolute inset-y-0 w-px bg-line-soft/70" style={{ left: `${place(tick)}%` }} />
      ))}
      {axis.gaps.map((gap) => (
        <span
          key={gap.at}
          className="absolute inset-y-0 border-x border-dashed border-line"
          style={{
            left: `${place(gap.at)}%`,
            width: `${(gap.width / width) * 100}%`,
            background: "repeating-linear-gradient(-45deg, var(--color-line-soft) 0 3px, transparent 3px 7px)",
          }}
        />
      ))}
      {playhead === null ? null : (
        <span className="absolute inset-y-0 w-px bg-line-strong" style={{ left: `${place(playhead)}%` }} />
      )}
    </div>
  );
}
