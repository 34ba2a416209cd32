"use client";

import { runEventsDocument, sessionEventsDocument } from "@wheelhouse/client";
import { eventCursor } from "@wheelhouse/domain";
import { useEffect, useMemo, useState } from "react";
import { useClient } from "../../data/data-provider.tsx";
import { createFrameQueue } from "./frame-queue.ts";
import type { LogEvent } from "./live-view.ts";
import { readEvent } from "./read-rows.ts";
import { localId } from "./snapshot.ts";
import { nounOf } from "./summarize-event.ts";

/** A log as it is read: from a place on, to its end, and on with it. */
export interface EventFeed {
  /** Oldest first. */
  events: readonly LogEvent[];
  /** How many there are of each noun. */
  counts: ReadonlyMap<string, number>;
  caughtUp: boolean;
  /** More may come. */
  live: boolean;
  error: unknown;
  /** Reads what lies before the first event; null when everything is there. */
  earlier: (() => void) | null;
}

/** Of a long log the newest part is read first: the beginning is rarely asked for, and the reader can have it. */
const newestPart = 1_000;

export type FeedSource = { runId: string } | { sessionId: string; lastSequence: number };

const nothing: Omit<EventFeed, "earlier"> = {
  events: [],
  counts: new Map(),
  caughtUp: false,
  live: true,
  error: undefined,
};

/** Reads the log of a run, or of a session, while mounted. */
export function useEventFeed(source: FeedSource): EventFeed {
  const client = useClient();
  const [whole, setWhole] = useState(false);
  const [feed, setFeed] = useState(nothing);
  const id = "runId" in source ? source.runId : source.sessionId;
  const isRun = "runId" in source;
  // The beginning is chosen once: what comes later must not move it.
  const [begin] = useState(() => ("runId" in source ? 0 : Math.max(0, source.lastSequence - newestPart)));
  useEffect(() => {
    const abort = new AbortController();
    setFeed(nothing);
    const queue = createFrameQueue<LogEvent>((events) =>
      setFeed((before) => ({
        ...before,
        events: [...before.events, ...events],
        counts: counted(before.counts, events),
      })),
    );
    const after = isRun || whole || begin === 0 ? null : eventCursor(localId(id), begin);
    const open = () =>
      isRun
        ? client.watch(runEventsDocument, { runId: id, after: null }, { signal: abort.signal })
        : client.watch(sessionEventsDocument, { sessionId: id, after }, { signal: abort.signal });
    const read = async () => {
      for await (const page of open()) {
        queue.push(page.events.map(readEvent));
        if (page.caughtUp) queue.flush();
        if (page.caughtUp) setFeed((before) => (before.caughtUp ? before : { ...before, caughtUp: true }));
      }
      setFeed((before) => ({ ...before, live: false, caughtUp: true }));
    };
    read().catch((error: unknown) => {
      if (!abort.signal.aborted) setFeed((before) => ({ ...before, error, live: false }));
    });
    return () => {
      abort.abort();
      queue.close();
    };
  }, [client, id, isRun, whole, begin]);
  return useMemo(() => ({ ...feed, earlier: begin > 0 && !whole ? () => setWhole(true) : null }), [feed, begin, whole]);
}

function counted(before: ReadonlyMap<string, number>, events: readonly LogEvent[]): ReadonlyMap<string, number> {
  const counts = new Map(before);
  for (const { type } of events) counts.set(nounOf(type), (counts.get(nounOf(type)) ?? 0) + 1);
  return counts;
}
