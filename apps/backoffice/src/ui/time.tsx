"use client";

import { createContext, type ReactNode, useContext, useEffect, useState } from "react";
import { formatAbsolute, formatClock, formatDate, formatDuration, formatRelative } from "./format.ts";

const Now = createContext<Date | null>(null);

/** One clock for every relative time on the page: they all move together, every ten seconds. */
export function TimeProvider({ children }: { children: ReactNode }) {
  const [now, setNow] = useState<Date | null>(null);
  useEffect(() => {
    const tick = () => setNow(new Date());
    tick();
    const timer = setInterval(tick, 10_000);
    document.addEventListener("visibilitychange", tick);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", tick);
    };
  }, []);
  return <Now.Provider value={now}>{children}</Now.Provider>;
}

/** The page's clock. Right to ten seconds; never older than the newest render asks for. */
export function useNow(): Date {
  const now = useContext(Now);
  return now ?? new Date();
}

export interface TimeProps {
  /** ISO 8601. */
  at: string;
  /** `relative` (default): "7m"; `ago`: "7m ago", "12 Nov"; `clock`: "14:03:27"; `clock-ms`; `date`: "12 Nov"; `absolute`: everything. */
  as?: "relative" | "ago" | "clock" | "clock-ms" | "date" | "absolute";
  className?: string;
}

/** A moment in the viewer's zone; hovering tells it whole. */
export function Time({ at, as = "relative", className }: TimeProps) {
  const now = useNow();
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return <span className={className}>–</span>;
  const text = {
    relative: () => formatRelative(date, now),
    // What has happened is never ahead of us, though the page's clock may be behind by a tick.
    ago: () => formatRelative(date, date > now ? date : now).replace(/^(\d+[smhd])$/, "$1 ago"),
    clock: () => formatClock(date),
    "clock-ms": () => formatClock(date, true),
    date: () => formatDate(date, now),
    absolute: () => formatAbsolute(date),
  }[as]();
  return (
    <time dateTime={at} title={formatAbsolute(date)} className={`tnum whitespace-nowrap ${className ?? ""}`}>
      {text}
    </time>
  );
}

/** A finished duration in milliseconds; `null` shows a dash. */
export function Duration({ ms, className }: { ms: number | null | undefined; className?: string }) {
  return (
    <span className={`tnum whitespace-nowrap ${className ?? ""}`}>
      {ms === null || ms === undefined ? "–" : formatDuration(ms)}
    </span>
  );
}

/** A duration that is still growing, since an ISO 8601 moment. Ticks ten times a second below ten seconds, then once. */
export function LiveDuration({ since, className }: { since: string; className?: string }) {
  const start = new Date(since).getTime();
  const [elapsed, setElapsed] = useState(() => Date.now() - start);
  const fast = elapsed < 10_000;
  useEffect(() => {
    const timer = setInterval(() => setElapsed(Date.now() - start), fast ? 100 : 1000);
    return () => clearInterval(timer);
  }, [start, fast]);
  const shown = Math.max(0, elapsed);
  return (
    <span className={`tnum whitespace-nowrap ${className ?? ""}`}>
      {shown < 60_000 ? `${(shown / 1000).toFixed(fast ? 1 : 0)} s` : formatDuration(shown)}
    </span>
  );
}
