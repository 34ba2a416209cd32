"use client";

import { CaretDownIcon, CaretUpIcon } from "@phosphor-icons/react";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, useEffect, useMemo, useRef } from "react";
import { useUrlParam } from "../../data/use-url-param.ts";
import { StatusIcon, statusLabel } from "../../ui/status.tsx";
import { formatSpan } from "./format-span.ts";
import { spanOf } from "./lay-out-waterfall.ts";
import type { StepView } from "./live-view.ts";
import { StepKindIcon, stepKindLooks } from "./step-kinds.tsx";

export interface StepListProps {
  /** In executed order. */
  steps: readonly StepView[];
  now: number;
  runStartedAt: string;
  selected: string | null;
  onSelect: (stepId: string | null) => void;
}

const columns =
  "grid grid-cols-[44px_minmax(140px,1fr)_88px] items-center gap-3 px-3 md:grid-cols-[44px_minmax(200px,1fr)_96px_104px_88px_88px] md:px-4";

const sorts = ["order", "duration"] as const;

/** The steps one after the other, in executed order or longest first. */
export function StepList({ steps, now, runStartedAt, selected, onSelect }: StepListProps) {
  const [sortParam, setSort] = useUrlParam("sort");
  const sort = sorts.find((each) => each === sortParam) ?? "order";
  const begin = Date.parse(runStartedAt);
  const sorted = useMemo(
    () => (sort === "order" ? steps : [...steps].sort((a, b) => lengthOf(b, now) - lengthOf(a, now))),
    // A running step grows: while sorted by duration the order follows.
    [steps, sort, now],
  );
  const scroller = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count: sorted.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 30,
    getItemKey: (index) => sorted[index]?.stepId ?? index,
    overscan: 14,
    scrollPaddingStart: 32,
  });
  const index = sorted.findIndex((step) => step.stepId === selected);
  useEffect(() => {
    if (index >= 0) virtualizer.scrollToIndex(index, { align: "auto" });
  }, [virtualizer, index]);
  const onKeyDown = (event: KeyboardEvent) => {
    const move = moves[event.key];
    if (event.ctrlKey || event.metaKey || move === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    onSelect(move === null ? null : (sorted[Math.min(sorted.length - 1, Math.max(0, index + move))]?.stepId ?? null));
  };
  return (
    <div
      ref={scroller}
      className="min-h-0 flex-1 overflow-auto has-[[role=listbox]:focus-visible]:outline-2 has-[[role=listbox]:focus-visible]:outline-offset-[-2px] has-[[role=listbox]:focus-visible]:outline-focus"
    >
      <div
        role="none"
        className={`sticky top-0 z-10 h-8 border-b border-line bg-surface text-[11.5px] text-muted ${columns}`}
      >
        <Sort label="#" active={sort === "order"} ascending onClick={() => setSort(null)} />
        <span>Name</span>
        <span className="max-md:hidden">Kind</span>
        <span className="max-md:hidden">Status</span>
        <span className="text-right max-md:hidden">Began</span>
        <Sort
          label="Duration"
          right
          active={sort === "duration"}
          onClick={() => setSort(sort === "duration" ? null : "duration")}
        />
      </div>
      <div
        role="listbox"
        aria-label="Steps"
        tabIndex={0}
        aria-activedescendant={index < 0 ? undefined : `listed-${selected}`}
        onKeyDown={onKeyDown}
        className="relative w-full outline-none"
        style={{ height: virtualizer.getTotalSize() }}
      >
        {virtualizer.getVirtualItems().map((item) => {
          const step = sorted[item.index];
          return step === undefined ? null : (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the list holds the focus and listens to the keys.
            // biome-ignore lint/a11y/useFocusableInteractive: see above.
            <div
              key={item.key}
              role="option"
              id={`listed-${step.stepId}`}
              aria-selected={step.stepId === selected}
              onClick={() => onSelect(step.stepId)}
              className={`absolute top-0 left-0 h-[30px] w-full cursor-pointer text-xs ${columns} ${step.stepId === selected ? "bg-selected" : "hover:bg-hover"}`}
              style={{ transform: `translateY(${item.start}px)` }}
            >
              <span className="tnum text-right text-muted">{step.seq}</span>
              <span className="flex min-w-0 items-center gap-2">
                <StepKindIcon kind={step.kind} size={13} />
                <span className={`truncate ${step.status === "FAILED" ? "text-danger-ink" : "text-ink"}`}>
                  {step.name}
                </span>
                {step.error === null ? null : (
                  <span className="truncate text-danger-ink max-md:hidden">{step.error}</span>
                )}
              </span>
              <span className="text-muted max-md:hidden">{stepKindLooks[step.kind].label}</span>
              <span className="flex items-center gap-1.5 text-muted max-md:hidden">
                <StatusIcon status={step.status} size={12} />
                {statusLabel(step.status)}
              </span>
              <span className="tnum text-right text-muted max-md:hidden">
                +{formatSpan(Math.max(0, Date.parse(step.startedAt) - begin))}
              </span>
              <span className="tnum text-right text-ink">{formatSpan(lengthOf(step, now))}</span>
            </div>
          );
        })}
      </div>
    </div>
  );
}

const moves: Record<string, number | null> = {
  ArrowDown: 1,
  j: 1,
  ArrowUp: -1,
  k: -1,
  PageDown: 15,
  PageUp: -15,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
  Escape: null,
};

function lengthOf(step: StepView, now: number): number {
  const { from, to } = spanOf(step, now);
  return step.durationMs ?? to - from;
}

interface SortProps {
  label: string;
  active: boolean;
  right?: boolean;
  ascending?: boolean;
  onClick: () => void;
}

function Sort({ label, active, right = false, ascending = false, onClick }: SortProps) {
  const Arrow = ascending ? CaretUpIcon : CaretDownIcon;
  return (
    <button
      type="button"
      aria-pressed={active}
      onClick={onClick}
      className={`flex items-center gap-1 rounded hover:text-ink ${active ? "font-medium text-ink" : ""} ${right || ascending ? "justify-end" : ""}`}
    >
      {label}
      {active ? <Arrow size={10} weight="bold" aria-hidden="true" /> : null}
    </button>
  );
}
