"use client";

import { useCallback, useEffect, useRef } from "react";
import { graphql } from "../generated/index.ts";
import { type FeedNews, FeedReader } from "./feed-reader.ts";
import { useWatch } from "./use-subscription.ts";

export const projectFeedDocument = graphql(`
  subscription ProjectFeed($filter: EventFilter, $after: Cursor, $fromNow: Boolean) {
    projectEvents(filter: $filter, after: $after, fromNow: $fromNow) {
      events { sequence sessionId type runId }
      endCursor
      caughtUp
      terminal
    }
  }
`);

/**
 * Calls `ask` when events of these types happen anywhere in the project, and once when the stream begins: what changed is
 * read by the page itself. One question at a time; what happens meanwhile is the reason for the next one.
 */
export function useFeed(
  types: readonly string[],
  ask: (news: FeedNews, signal: AbortSignal) => Promise<void>,
  { pause = false }: { pause?: boolean } = {},
): void {
  const latest = useRef(ask);
  latest.current = ask;
  const reader = useRef<FeedReader>(undefined);
  useEffect(() => {
    const made = new FeedReader((news, signal) => latest.current(news, signal));
    reader.current = made;
    return () => made.stop();
  }, []);
  const onPage = useCallback((page: { events: readonly { runId?: string | null }[] }) => {
    reader.current?.hear(page.events);
  }, []);
  useWatch(projectFeedDocument, { filter: { types: [...types] }, after: null, fromNow: true }, { onPage }, { pause });
}
