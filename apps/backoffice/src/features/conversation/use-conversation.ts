"use client";

import { useEffect, useMemo, useSyncExternalStore } from "react";
import { useClient, useConnectionStore } from "../../data/data-provider.tsx";
import { type ConversationState, type ConversationStore, createConversationStore } from "./conversation-store.ts";

/**
 * A conversation of the page: opened when it is mounted, closed when it is left; its connection shows in the shell. Null:
 * there is none yet, and nothing is opened.
 */
export function useConversation(sessionId: string | null): { store: ConversationStore; state: ConversationState } {
  const client = useClient();
  const connection = useConnectionStore();
  const store = useMemo(() => createConversationStore(client, sessionId ?? ""), [client, sessionId]);
  const state = useSyncExternalStore(store.subscribe, store.getState, store.getState);
  useEffect(() => {
    if (sessionId === null) return;
    store.open();
    return store.close;
  }, [store, sessionId]);
  const { connection: reached } = state;
  useEffect(() => {
    if (sessionId === null || reached === "closed") return;
    const reader = connection.register();
    reader.set(reached);
    return reader.end;
  }, [connection, sessionId, reached]);
  return { store, state };
}
