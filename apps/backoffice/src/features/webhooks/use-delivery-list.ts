"use client";

import { useRef } from "react";
import { useClient } from "../../data/data-provider.tsx";
import { usePolling } from "../../data/use-polling.ts";
import type { DeliveryStatus, WebhookDeliveryFilter } from "../../generated/graphql.ts";
import { newestFirst } from "../../lists/newest-first.ts";
import { type HeldRows, hasNothingYet, useHeldRows } from "../../lists/use-held-rows.ts";
import { useKeysetList } from "../../lists/use-keyset-list.ts";
import { type DeliveryRow, deliveriesDocument, newestDeliveriesDocument } from "./webhooks-documents.ts";

/** The newest deliveries are asked for again after this time. */
const pollMs = 4000;
const newest = 40;
/** Deliveries that were pending when they were read and may have ended since. */
const mostOpen = 60;

export interface DeliveryFilters {
  webhookId: string | null;
  statuses: DeliveryStatus[];
}

const toFilter = ({ webhookId, statuses }: DeliveryFilters): WebhookDeliveryFilter => ({
  ...(webhookId === null ? {} : { webhookId }),
  ...(statuses.length === 0 ? {} : { statuses }),
});

const compareDeliveries = newestFirst<DeliveryRow>((delivery) => delivery.createdAt);

/** The deliveries that match, page by page; the newest ones and those still pending are looked after. */
export function useDeliveryList(filters: DeliveryFilters): HeldRows<DeliveryRow> {
  const client = useClient();
  const filter = toFilter(filters);
  const { store, state } = useKeysetList(deliveriesDocument, { filter }, (data) => data.webhookDeliveries);
  const { held, apply } = useHeldRows({ store, state, compare: compareDeliveries, key: JSON.stringify(filter) });
  const latest = useRef({ store, filters });
  latest.current = { store, filters };

  usePolling(
    pollMs,
    async (signal) => {
      const asked = latest.current.store;
      const open = asked.get().rows.filter((row) => row.status === "PENDING");
      const answer = await client.request(
        newestDeliveriesDocument,
        {
          first: newest,
          filter: toFilter(latest.current.filters),
          open: open.slice(0, mostOpen).map((row) => row.id),
        },
        { signal },
      );
      const { store, filters } = latest.current;
      if (store !== asked) return;
      const again = answer.nodes.flatMap((node) => (node?.__typename === "WebhookDelivery" ? [node] : []));
      const matches = ({ status }: DeliveryRow) => filters.statuses.length === 0 || filters.statuses.includes(status);
      const removed = again.filter((row) => !matches(row)).map((row) => row.id);
      apply({ upserted: [...again.filter(matches), ...answer.webhookDeliveries.nodes], removed });
    },
    { pause: hasNothingYet(state) },
  );
  return held;
}
