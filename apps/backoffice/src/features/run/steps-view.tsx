"use client";

import {
  ArrowsInLineHorizontalIcon,
  CornersOutIcon,
  FrameCornersIcon,
  MagnifyingGlassMinusIcon,
  MagnifyingGlassPlusIcon,
  TreeStructureIcon,
  WarningCircleIcon,
} from "@phosphor-icons/react";
import { stepKinds } from "@wheelhouse/domain";
import { useMemo, useState } from "react";
import { useUrlParam } from "../../data/use-url-param.ts";
import { useShortcuts } from "../../shell/shortcuts.tsx";
import { IconButton } from "../../ui/button.tsx";
import { formatCount } from "../../ui/format.ts";
import { EmptyState } from "../../ui/states.tsx";
import { layOutWaterfall } from "./lay-out-waterfall.ts";
import type { RunView, StepView } from "./live-view.ts";
import { localId } from "./snapshot.ts";
import { StepDetail } from "./step-detail.tsx";
import { stepKindLooks } from "./step-kinds.tsx";
import { StepList } from "./step-list.tsx";
import { StepsSkeleton } from "./steps-skeleton.tsx";
import { toggled } from "./toggled.ts";
import { keyAction } from "./tree-keys.ts";
import { useRunClock } from "./use-run.ts";
import { Waterfall } from "./waterfall.tsx";
import { WaterfallOverview } from "./waterfall-overview.tsx";
import { isWhole, wholeOf, type ZoomWindow, zoomBy, zoomTo } from "./zoom-window.ts";

export interface StepsViewProps {
  as: "waterfall" | "list";
  run: RunView;
  /** In executed order. */
  steps: readonly StepView[];
  /** False while pages of steps are still being read. */
  complete: boolean;
  /** As the run's row says. */
  stepCount: number;
}

/** The steps of a run, as a waterfall or as a list, with the selected one beside them. */
export function StepsView({ as, run, steps, complete, stepCount }: StepsViewProps) {
  const now = useRunClock(run.status);
  const [stepParam, setStep] = useUrlParam("step");
  const [gapsParam, setGaps] = useUrlParam("gaps");
  const [collapsed, setCollapsed] = useState<ReadonlySet<string>>(new Set());
  const [zoom, setZoom] = useState<ZoomWindow | null>(null);
  const collapseGaps = gapsParam !== "shown";
  const selectedId = stepParam === null ? null : localId(stepParam);
  const active = run.status === "RUNNING";
  const layout = useMemo(
    () => layOutWaterfall(steps, { now, collapsed, collapseGaps: collapseGaps && !active }),
    [steps, now, collapsed, collapseGaps, active],
  );
  const { length } = layout.axis;
  const shown = zoom === null || zoom.to > length + 1e-6 ? wholeOf(length) : zoom;
  const show = (window: ZoomWindow) => setZoom(isWhole(window, length) ? null : window);
  const zoomAround = (factor: number) => show(zoomBy(shown, factor, (shown.from + shown.to) / 2, length));
  const selected = steps.find((step) => step.stepId === selectedId) ?? null;
  const select = (stepId: string | null) => setStep(stepId === null ? null : `Step_${stepId}`);
  const toggle = (stepId: string) => setCollapsed((before) => toggled(before, stepId));
  const failures = useMemo(() => steps.filter((step) => step.status === "FAILED"), [steps]);
  const index = layout.rows.findIndex((row) => row.step.stepId === selectedId);
  const press = (key: string) => {
    const action = keyAction({ key, ctrlKey: false, metaKey: false, altKey: false }, layout.rows, index);
    if (action?.kind === "select") select(action.stepId);
    else if (action !== null) toggle(action.stepId);
  };
  const zoomToSelected = () => {
    const row = layout.rows[index];
    if (row !== undefined) show(zoomTo(row.from, row.to, length));
  };
  const nextFailure = () => {
    const at = failures.findIndex((step) => step.stepId === selectedId);
    const next = failures[(at + 1) % failures.length];
    if (next === undefined) return;
    setCollapsed((before) => withoutAncestors(before, next, steps));
    select(next.stepId);
  };
  useShortcuts([
    { keys: "j", label: "Next step", group: "Run", run: () => press("j") },
    { keys: "k", label: "Previous step", group: "Run", run: () => press("k") },
    { keys: "escape", label: "Close the step", group: "Run", run: () => select(null) },
    { keys: "e", label: "Next failed step", group: "Run", run: nextFailure },
    { keys: "f", label: "Zoom to the step", group: "Run", run: zoomToSelected },
    { keys: "=", label: "Zoom in", group: "Run", run: () => zoomAround(0.6) },
    { keys: "-", label: "Zoom out", group: "Run", run: () => zoomAround(1 / 0.6) },
    { keys: "0", label: "Show the whole run", group: "Run", run: () => setZoom(null) },
  ]);

  if (steps.length === 0 && complete)
    return (
      <EmptyState
        icon={TreeStructureIcon}
        title={run.status === "QUEUED" ? "Waiting for a worker" : "No steps were recorded"}
      >
        {run.status === "QUEUED"
          ? "Steps appear here as soon as the run begins."
          : "The run ended before its first step began."}
      </EmptyState>
    );
  if (steps.length === 0 && !active) return <StepsSkeleton />;
  const startedAt = run.startedAt ?? run.queuedAt;
  return (
    <div className="relative flex h-full min-h-0">
      <div className="flex min-w-0 flex-1 flex-col">
        <div className="flex min-h-10 shrink-0 items-center gap-x-4 gap-y-1 border-b border-line-soft px-3 max-sm:flex-wrap md:px-4">
          <Legend steps={steps} />
          <span className="ml-auto flex shrink-0 items-center">
            {failures.length === 0 ? null : (
              <button
                type="button"
                onClick={nextFailure}
                title="Go to the next failed step (E)"
                className="mr-1 inline-flex h-6 items-center gap-1.5 rounded-full bg-danger-tint px-2 text-xs font-medium text-danger-ink"
              >
                <WarningCircleIcon size={13} weight="fill" aria-hidden="true" />
                {formatCount(failures.length)} failed
              </button>
            )}
            {as === "list" ? null : (
              <>
                <IconButton
                  icon={ArrowsInLineHorizontalIcon}
                  label={collapseGaps ? "Show idle time" : "Collapse idle time"}
                  active={collapseGaps}
                  disabled={active}
                  onClick={() => setGaps(collapseGaps ? "shown" : null)}
                />
                <IconButton
                  icon={FrameCornersIcon}
                  label="Zoom to the step"
                  keys="f"
                  disabled={index < 0}
                  onClick={zoomToSelected}
                />
                <IconButton
                  icon={MagnifyingGlassMinusIcon}
                  label="Zoom out"
                  keys="-"
                  disabled={zoom === null}
                  onClick={() => zoomAround(1 / 0.6)}
                />
                <IconButton icon={MagnifyingGlassPlusIcon} label="Zoom in" keys="=" onClick={() => zoomAround(0.6)} />
                <IconButton
                  icon={CornersOutIcon}
                  label="Whole run"
                  keys="0"
                  disabled={zoom === null}
                  onClick={() => setZoom(null)}
                />
              </>
            )}
          </span>
        </div>
        {as === "waterfall" ? (
          <>
            {steps.length > 12 || zoom !== null ? (
              <WaterfallOverview layout={layout} window={shown} onWindow={show} />
            ) : null}
            <Waterfall
              layout={layout}
              expected={complete || active ? null : stepCount}
              now={now}
              window={shown}
              onWindow={show}
              selected={selectedId}
              onSelect={select}
              onToggle={toggle}
            />
          </>
        ) : (
          <StepList steps={steps} now={now} runStartedAt={startedAt} selected={selectedId} onSelect={select} />
        )}
      </div>
      {selected === null ? null : (
        <aside
          aria-label="Selected step"
          className="w-[440px] max-w-full shrink-0 border-l border-line bg-surface max-lg:absolute max-lg:inset-y-0 max-lg:right-0 max-lg:z-20 max-lg:shadow-pop max-sm:w-full"
        >
          <StepDetail step={selected} runStartedAt={startedAt} onClose={() => select(null)} />
        </aside>
      )}
    </div>
  );
}

/** The kinds that occur, each with its colour and count. */
function Legend({ steps }: { steps: readonly StepView[] }) {
  const counts = useMemo(() => {
    const byKind = new Map<string, number>();
    for (const step of steps) byKind.set(step.kind, (byKind.get(step.kind) ?? 0) + 1);
    return byKind;
  }, [steps]);
  return (
    <ul
      aria-label="Kinds of steps"
      className="flex min-w-0 flex-wrap items-center gap-x-3.5 gap-y-1 py-1.5 text-[11.5px] text-muted"
    >
      {stepKinds
        .filter((kind) => counts.has(kind))
        .map((kind) => (
          <li key={kind} className="flex items-center gap-1.5">
            <span
              aria-hidden="true"
              className="size-2 rounded-[2px]"
              style={{ background: stepKindLooks[kind].colour }}
            />
            {stepKindLooks[kind].label}
            <span className="tnum">{formatCount(counts.get(kind) ?? 0)}</span>
          </li>
        ))}
    </ul>
  );
}

/** What is collapsed, without the steps above `step`: so that it can be seen. */
function withoutAncestors(
  collapsed: ReadonlySet<string>,
  step: StepView,
  steps: readonly StepView[],
): ReadonlySet<string> {
  const parents = new Map(steps.map((each) => [each.stepId, each.parentStepId]));
  const next = new Set(collapsed);
  const seen = new Set<string>();
  for (let id = step.parentStepId; id !== null && !seen.has(id); id = parents.get(id) ?? null) {
    seen.add(id);
    next.delete(id);
  }
  return next;
}
