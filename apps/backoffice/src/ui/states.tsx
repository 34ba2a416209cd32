"use client";

import { type Icon, WarningOctagonIcon } from "@phosphor-icons/react";
import type { ReactNode } from "react";

export interface EmptyStateProps {
  icon?: Icon;
  title: string;
  /** What it means and what to do next. */
  children?: ReactNode;
  actions?: ReactNode;
}

/** Nothing here: says why, and what to do next. */
export function EmptyState({ icon: Shape, title, children, actions }: EmptyStateProps) {
  return (
    <div className="flex h-full min-h-64 flex-col items-center justify-center px-6 py-12 text-center">
      {Shape === undefined ? null : (
        <div className="mb-4 flex size-11 items-center justify-center rounded-xl border border-line bg-surface text-muted shadow-[0_1px_2px_rgb(0_0_0/0.04)]">
          <Shape size={20} aria-hidden="true" />
        </div>
      )}
      <h2 className="text-[15px] font-semibold text-ink">{title}</h2>
      {children === undefined ? null : (
        <div className="mt-1.5 max-w-md text-[13px] leading-relaxed text-pretty text-muted">{children}</div>
      )}
      {actions === undefined ? null : (
        <div className="mt-5 flex flex-wrap items-center justify-center gap-2">{actions}</div>
      )}
    </div>
  );
}

export interface ErrorStateProps {
  title: string;
  message: string;
  /** The refusal's code, for a report. */
  code?: string | undefined;
  actions?: ReactNode;
  icon?: Icon;
}

/** Something failed: says what, and what to do next. */
export function ErrorState({ title, message, code, actions, icon: Shape = WarningOctagonIcon }: ErrorStateProps) {
  return (
    <div role="alert" className="flex h-full min-h-64 flex-col items-center justify-center px-6 py-12 text-center">
      <div className="mb-4 flex size-11 items-center justify-center rounded-xl bg-danger-tint text-danger-ink">
        <Shape size={20} aria-hidden="true" />
      </div>
      <h2 className="text-[15px] font-semibold text-ink">{title}</h2>
      <p className="mt-1.5 max-w-md text-[13px] leading-relaxed text-pretty text-muted">{message}</p>
      {code === undefined ? null : <p className="mono mt-2 text-[11px] text-muted">{code}</p>}
      {actions === undefined ? null : (
        <div className="mt-5 flex flex-wrap items-center justify-center gap-2">{actions}</div>
      )}
    </div>
  );
}

/** A grey bar where text will be. Give it a width and a height by class. */
export function Skeleton({ className }: { className?: string }) {
  return (
    <span
      aria-hidden="true"
      className={`block rounded bg-line-soft ${className ?? ""}`}
      style={{ animation: "wh-shimmer 1.6s ease-in-out infinite" }}
    />
  );
}

/** A place for skeletons that tells a screen reader that something is loading. */
export function Loading({ label = "Loading", children }: { label?: string; children: ReactNode }) {
  return (
    <div role="status" aria-busy="true" className="h-full">
      <span className="sr-only">{label}</span>
      {children}
    </div>
  );
}
