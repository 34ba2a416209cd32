"use client";

import { useCallback, useEffect, useRef, useState } from "react";
import { useClient } from "../../data/data-provider.tsx";
import { useSubscription } from "../../data/use-subscription.ts";
import type { KeysetState, KeysetStore } from "../../lists/keyset-store.ts";
import { countWaiting, type LivePatch, mergePatch, release } from "../../lists/live-merge.ts";
import { useKeysetList } from "../../lists/use-keyset-list.ts";
import { compareConversations } from "./compare-conversations.ts";
import { type ConversationFilters, isFiltered, toSessionFilter } from "./conversation-filters.ts";
import {
  type ConversationRow,
  conversationsByIdDocument,
  conversationsDocument,
  conversationsLiveDocument,
} from "./conversations-documents.ts";

/** How many of the newest rows are followed live; the API's greatest page. */
const liveRows = 100;
/** Rows that left the followed part are asked for together after this time. */
const checkDelayMs = 600;

export interface ConversationList {
  store: KeysetStore<ConversationRow>;
  state: KeysetState<ConversationRow>;
  /** Rows that wait to be shown at their place. */
  waiting: { fresh: number; moved: number };
  /** Shows what waits. */
  release: () => void;
  /** Tells whether the reader is looking at the rows, so that nothing may move. */
  setHold: (hold: boolean) => void;
}

/** The conversations that match, page by page, and live: rows change in place, others wait while the list is held. */
export function useConversationList(filters: ConversationFilters): ConversationList {
  const client = useClient();
  const filter = toSessionFilter(filters);
  const key = JSON.stringify([filter, filters.order]);
  const { store, state } = useKeysetList(
    conversationsDocument,
    { filter, orderBy: filters.order },
    (data) => data.sessions,
  );
  const [waiting, setWaiting] = useState<ReadonlyMap<string, ConversationRow>>(new Map());
  const hold = useRef(false);
  const latest = useRef({ waiting, store, filters });
  latest.current = { waiting, store, filters };

  const apply = useCallback((patch: LivePatch<ConversationRow>) => {
    const { store, filters, waiting } = latest.current;
    const { rows, hasMore } = store.get();
    const compare = compareConversations(filters.order);
    const next = mergePatch({ rows, waiting }, patch, { hold: hold.current, compare, hasMore });
    latest.current.waiting = next.waiting;
    setWaiting(next.waiting);
    store.update(() => next.rows);
  }, []);

  const check = useLeaverCheck(client, latest, apply);
  useSubscription(
    conversationsLiveDocument,
    { filter, first: liveRows },
    {
      onValue: ({ upserted, removed }) => {
        apply({ upserted, removed: [] });
        // A row leaves the followed part when it no longer matches, but also when newer ones push it out.
        if (isFiltered(latest.current.filters)) check(removed);
      },
    },
    { pause: state.phase === "empty" || (state.phase === "loading" && state.rows.length === 0) },
  );

  const releaseNow = useCallback(() => {
    const { store, waiting, filters } = latest.current;
    const next = release({ rows: store.get().rows, waiting }, compareConversations(filters.order));
    latest.current.waiting = next.waiting;
    setWaiting(next.waiting);
    store.update(() => next.rows);
  }, []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: other filters make another list.
  useEffect(() => setWaiting(new Map()), [key]);

  const setHold = useCallback(
    (next: boolean) => {
      hold.current = next;
      if (!next) releaseNow();
    },
    [releaseNow],
  );
  return { store, state, waiting: countWaiting({ rows: state.rows, waiting }), release: releaseNow, setHold };
}

/** Asks what became of rows that left the followed part, and lets go those that no longer match. */
function useLeaverCheck(
  client: ReturnType<typeof useClient>,
  latest: { current: { filters: ConversationFilters; store: KeysetStore<ConversationRow> } },
  apply: (patch: LivePatch<ConversationRow>) => void,
): (ids: readonly string[]) => void {
  const leavers = useRef(new Set<string>());
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  return useCallback(
    (ids) => {
      const shown = new Set(latest.current.store.get().rows.map((row) => row.id));
      for (const id of ids) if (shown.has(id)) leavers.current.add(id);
      if (leavers.current.size === 0) return;
      clearTimeout(timer.current);
      timer.current = setTimeout(async () => {
        const asked = [...leavers.current].slice(0, liveRows);
        leavers.current.clear();
        // A failure leaves the rows as they are; the next patch or reload puts them right.
        const answer = await client.request(conversationsByIdDocument, { ids: asked }).catch(() => null);
        if (answer === null) return;
        const found = answer.nodes.flatMap((node) => (node?.__typename === "Session" ? [node] : []));
        const { agents, statuses } = latest.current.filters;
        const matches = (row: ConversationRow) =>
          (agents.length === 0 || agents.includes(row.agent.name)) &&
          (statuses.length === 0 || statuses.includes(row.status));
        const kept = found.filter(matches);
        const left = asked.filter((id) => !kept.some((row) => row.id === id));
        apply({ upserted: found, removed: left });
      }, checkDelayMs);
    },
    [client, latest, apply],
  );
}
