"use client";

import { CaretRightIcon, ListMagnifyingGlassIcon, MagnifyingGlassIcon } from "@phosphor-icons/react";
import { useVirtualizer } from "@tanstack/react-virtual";
import { memo, useCallback, useDeferredValue, useEffect, useMemo, useRef, useState } from "react";
import { describeError } from "../../data/describe-error.ts";
import { useUrlParam } from "../../data/use-url-param.ts";
import { formatCount, formatDuration } from "../../ui/format.ts";
import { JsonTree } from "../../ui/json-tree.tsx";
import { EmptyState, ErrorState } from "../../ui/states.tsx";
import { Spinner } from "../../ui/status.tsx";
import { Time } from "../../ui/time.tsx";
import type { LogEvent } from "./live-view.ts";
import { type EventNoun, eventNouns, matchesFilter, nounOf, summarizeEvent } from "./summarize-event.ts";
import { toggled } from "./toggled.ts";
import type { EventFeed } from "./use-event-feed.ts";

const tones: Record<EventNoun, string> = {
  task: "bg-ink-2",
  run: "bg-ink-2",
  message: "bg-accent",
  step: "bg-faint",
  tool: "bg-warning",
  interrupt: "bg-danger",
  plan: "bg-success",
  subagent: "bg-running",
  artifact: "bg-success",
  mcp: "bg-danger",
  usage: "bg-faint",
  context: "bg-faint",
  custom: "bg-running",
  other: "bg-faint",
};

export interface EventLogProps {
  feed: EventFeed;
  /** Times are shown as distances from here, ISO 8601; null shows the clock. */
  since: string | null;
  /** Leaves out the columns that a narrow panel has no room for. */
  compact?: boolean;
}

/** The log itself, line by line: filtered by what events are about and by text, followed to its end while it grows. */
export function EventLog({ feed, since, compact = false }: EventLogProps) {
  const [typesParam, setTypes] = useUrlParam("types");
  const [textParam, setText] = useUrlParam("q");
  const text = textParam ?? "";
  const nouns = useMemo(() => new Set((typesParam ?? "").split(",").filter((noun) => noun !== "")), [typesParam]);
  const deferred = useDeferredValue(text);
  const shown = useMemo(
    () =>
      nouns.size === 0 && deferred === ""
        ? feed.events
        : feed.events.filter((event) => matchesFilter(event, { nouns, text: deferred })),
    [feed.events, nouns, deferred],
  );
  const present = useMemo(() => eventNouns.filter((noun) => feed.counts.has(noun)), [feed.counts]);
  const [follow, setFollow] = useState(true);
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-2 border-b border-line-soft px-3 py-2 md:px-4">
        <label className="relative flex min-w-40 flex-1 items-center sm:max-w-64">
          <span className="sr-only">Filter events by text</span>
          <MagnifyingGlassIcon
            size={14}
            aria-hidden="true"
            className="pointer-events-none absolute left-2 text-muted"
          />
          <input
            type="search"
            value={text}
            onChange={(event) => setText(event.target.value)}
            placeholder="Filter events"
            className="h-7 w-full rounded-md border border-line bg-surface pr-2 pl-7 text-[13px] text-ink placeholder:text-muted"
          />
        </label>
        <fieldset className="flex flex-wrap gap-1">
          <legend className="sr-only">Kinds of events</legend>
          {present.map((noun) => (
            <button
              key={noun}
              type="button"
              aria-pressed={nouns.has(noun)}
              onClick={() => setTypes([...toggled(nouns, noun)].join(","))}
              className="inline-flex h-6 items-center gap-1.5 rounded-full border border-line px-2 text-[11.5px] text-ink-2 hover:bg-hover aria-pressed:border-accent aria-pressed:bg-accent-tint aria-pressed:text-accent-ink"
            >
              <span aria-hidden="true" className={`size-1.5 rounded-full ${tones[noun]}`} />
              {noun}
              <span className="tnum text-muted">{formatCount(feed.counts.get(noun) ?? 0)}</span>
            </button>
          ))}
        </fieldset>
        <span className="ml-auto flex items-center gap-3 text-xs text-muted">
          <span className="tnum" role="status">
            {shown.length === feed.events.length
              ? formatCount(shown.length)
              : `${formatCount(shown.length)} of ${formatCount(feed.events.length)}`}
          </span>
          <label className="flex cursor-pointer items-center gap-1.5">
            <input
              type="checkbox"
              checked={follow}
              onChange={(event) => setFollow(event.target.checked)}
              className="accent-accent"
            />
            Follow
          </label>
        </span>
      </div>
      {feed.earlier === null ? null : (
        <div className="flex shrink-0 items-center justify-center gap-2 border-b border-line-soft py-1.5 text-xs text-muted">
          The newest {formatCount(feed.events.length)} events are loaded.
          <button
            type="button"
            onClick={feed.earlier}
            className="rounded px-1 font-medium text-accent-ink hover:bg-hover"
          >
            Load all from the beginning
          </button>
        </div>
      )}
      <Lines feed={feed} shown={shown} since={since} compact={compact} follow={follow} onFollow={setFollow} />
    </div>
  );
}

interface LinesProps extends EventLogProps {
  shown: readonly LogEvent[];
  follow: boolean;
  onFollow: (follow: boolean) => void;
}

const nearEnd = 40;

function Lines({ feed, shown, since, compact = false, follow, onFollow }: LinesProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const virtualizer = useVirtualizer({
    count: shown.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 28,
    getItemKey: (index) => shown[index]?.sequence ?? index,
    overscan: 16,
  });
  const count = shown.length;
  useEffect(() => {
    if (follow && count > 0) virtualizer.scrollToEnd();
  }, [virtualizer, follow, count]);
  const toggle = useCallback((sequence: number) => setOpen((before) => toggled(before, sequence)), []);
  if (feed.error !== undefined && feed.events.length === 0) {
    const { title, message, code } = describeError(feed.error);
    return <ErrorState title={title} message={message} code={code ?? undefined} />;
  }
  if (count === 0)
    return feed.caughtUp ? (
      <EmptyState
        icon={ListMagnifyingGlassIcon}
        title={feed.events.length === 0 ? "No events yet" : "No event matches"}
      >
        {feed.events.length === 0
          ? "Everything that happens is written here, in order."
          : "Take a filter away to see more."}
      </EmptyState>
    ) : (
      <p role="status" className="flex items-center justify-center gap-2 py-10 text-xs text-muted">
        <Spinner size={13} /> Reading the log
      </p>
    );
  return (
    <div
      ref={scroller}
      role="log"
      aria-label="Events"
      aria-live="off"
      // A scroller must be reachable by keyboard.
      // biome-ignore lint/a11y/noNoninteractiveTabindex: see above.
      tabIndex={0}
      onWheel={(event) => event.deltaY < 0 && onFollow(false)}
      onScroll={(event) => {
        const { scrollHeight, scrollTop, clientHeight } = event.currentTarget;
        if (!follow && scrollHeight - scrollTop - clientHeight < nearEnd && feed.live) onFollow(true);
      }}
      className="min-h-0 flex-1 overflow-auto focus-visible:outline-offset-[-2px]"
    >
      <div className="relative w-full" style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map((item) => {
          const event = shown[item.index];
          return event === undefined ? null : (
            <div
              key={item.key}
              data-index={item.index}
              ref={virtualizer.measureElement}
              className="absolute top-0 left-0 w-full"
              style={{ transform: `translateY(${item.start}px)` }}
            >
              <EventLine
                event={event}
                since={since}
                compact={compact}
                open={open.has(event.sequence)}
                onToggle={toggle}
              />
            </div>
          );
        })}
      </div>
    </div>
  );
}

interface EventLineProps {
  event: LogEvent;
  since: string | null;
  compact: boolean;
  open: boolean;
  onToggle: (sequence: number) => void;
}

const EventLine = memo(function EventLine({ event, since, compact, open, onToggle }: EventLineProps) {
  const failed = event.type.endsWith(".failed");
  return (
    <div className={open ? "bg-sunken" : ""}>
      <button
        type="button"
        aria-expanded={open}
        onClick={() => onToggle(event.sequence)}
        className="flex h-7 w-full items-center gap-3 px-3 text-left text-xs hover:bg-hover focus-visible:outline-offset-[-2px] md:px-4"
      >
        <CaretRightIcon
          size={10}
          weight="bold"
          aria-hidden="true"
          className={`shrink-0 text-muted ${open ? "rotate-90" : ""}`}
        />
        {compact ? null : <span className="tnum w-10 shrink-0 text-right text-muted">{event.sequence}</span>}
        <span className="tnum w-20 shrink-0 text-right text-muted max-sm:hidden" title={event.at}>
          {since === null ? <Time at={event.at} as="clock" /> : offset(event.at, since)}
        </span>
        <span className={`flex shrink-0 items-center gap-2 ${compact ? "w-36" : "w-40"}`}>
          <span
            aria-hidden="true"
            className={`size-1.5 shrink-0 rounded-full ${failed ? "bg-danger" : tones[nounOf(event.type)]}`}
          />
          <span className={`mono truncate ${failed ? "text-danger-ink" : "text-ink"}`}>{event.type}</span>
        </span>
        <span dir="auto" className="min-w-0 flex-1 truncate text-muted">
          {summarizeEvent(event)}
        </span>
        {compact || event.visibility === "END_USER" ? null : (
          <span className="shrink-0 text-[11px] text-muted max-md:hidden">{event.visibility.toLowerCase()}</span>
        )}
      </button>
      {open ? (
        <div className="px-3 pb-3 md:px-4 md:pl-[46px]">
          <JsonTree
            value={{
              sequence: event.sequence,
              at: event.at,
              visibility: event.visibility,
              runId: event.runId,
              taskId: event.taskId,
              payload: event.payload,
            }}
            label={`Event ${event.sequence}`}
            openDepth={3}
            maxHeight={320}
          />
        </div>
      ) : null}
    </div>
  );
});

function offset(at: string, since: string): string {
  const ms = Date.parse(at) - Date.parse(since);
  return ms < 0 ? `−${formatDuration(-ms)}` : `+${formatDuration(ms)}`;
}
