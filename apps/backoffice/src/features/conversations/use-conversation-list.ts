"use client";

import { useSubscription } from "../../data/use-subscription.ts";
import { type HeldRows, hasNothingYet, useHeldRows } from "../../lists/use-held-rows.ts";
import { useKeysetList } from "../../lists/use-keyset-list.ts";
import { compareConversations } from "./compare-conversations.ts";
import { type ConversationFilters, toSessionFilter } from "./conversation-filters.ts";
import { type ConversationRow, conversationsDocument, conversationsLiveDocument } from "./conversations-documents.ts";

/** How many of the newest rows are followed live; the API's greatest page. */
const liveRows = 100;

/** The conversations that match, page by page, and live: rows change in place, others wait while the list is held. */
export function useConversationList(filters: ConversationFilters): HeldRows<ConversationRow> {
  const filter = toSessionFilter(filters);
  const key = JSON.stringify([filter, filters.order]);
  const { store, state } = useKeysetList(
    conversationsDocument,
    { filter, orderBy: filters.order },
    (data) => data.sessions,
  );
  const { held, apply } = useHeldRows({ store, state, compare: compareConversations(filters.order), key });
  useSubscription(
    conversationsLiveDocument,
    { filter, first: liveRows },
    // Whatever the order shown: what changes comes to the front of the followed part. Rows that newer ones only pushed out
    // of it stay where they are.
    { onValue: ({ upserted, gone }) => apply({ upserted, removed: gone }) },
    { pause: hasNothingYet(state) },
  );
  return held;
}
