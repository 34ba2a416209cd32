"use client";

import { CircleHalfIcon, LinkIcon, PaperPlaneTiltIcon } from "@phosphor-icons/react";
import { deliveryStatuses } from "@wheelhouse/domain";
import { useCallback, useMemo } from "react";
import { FilterMenu } from "../../lists/filter-menu.tsx";
import { readKnown, writeAll } from "../../lists/list-params.ts";
import { ListToolbar } from "../../lists/list-toolbar.tsx";
import { LiveList } from "../../lists/live-list.tsx";
import { useIsNarrow } from "../../lists/use-is-narrow.ts";
import { useUrlState } from "../../lists/use-url-state.ts";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/states.tsx";
import { StatusIcon, statusLabel } from "../../ui/status.tsx";
import { DeliveryCard, DeliveryCells, DeliveryHeader, deliveryColumns } from "./delivery-row.tsx";
import { type DeliveryFilters, useDeliveryList } from "./use-delivery-list.ts";
import type { DeliveryRow, WebhookRow } from "./webhooks-documents.ts";

export interface DeliveryLogProps {
  webhooks: readonly WebhookRow[];
  may: boolean;
  onReplay: (row: DeliveryRow) => void;
}

/** What the log's address asks for, and how to change it. */
export function useDeliveryFilters(): [DeliveryFilters, (change: Partial<DeliveryFilters>) => void] {
  const { params, update } = useUrlState();
  const query = params.toString();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text of the parameters is their identity.
  const filters = useMemo<DeliveryFilters>(
    () => ({ webhookId: params.get("webhook"), statuses: readKnown(params, "status", deliveryStatuses) }),
    [query],
  );
  const change = useCallback(
    (next: Partial<DeliveryFilters>) =>
      update("push", (params) => {
        if (next.statuses !== undefined) writeAll(params, "status", next.statuses);
        if (next.webhookId !== undefined) writeAll(params, "webhook", next.webhookId === null ? [] : [next.webhookId]);
        params.delete("at");
      }),
    [update],
  );
  return [filters, change];
}

/** Every message to the project's webhooks, newest first. */
export function DeliveryLog({ webhooks, may, onReplay }: DeliveryLogProps) {
  const [filters, change] = useDeliveryFilters();
  const list = useDeliveryList(filters);
  const narrow = useIsNarrow();
  const actions = { may, onReplay };
  const filtered = filters.webhookId !== null || filters.statuses.length > 0;
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <ListToolbar noun={["delivery", "deliveries"]} state={list.state}>
        <FilterMenu
          label="Status"
          icon={CircleHalfIcon}
          options={deliveryStatuses.map((status) => ({
            value: status,
            label: statusLabel(status),
            mark: <StatusIcon status={status} />,
          }))}
          selected={filters.statuses}
          onChange={(values) => change({ statuses: deliveryStatuses.filter((status) => values.includes(status)) })}
        />
        <FilterMenu
          label="Webhook"
          icon={LinkIcon}
          options={webhooks.map(({ id, url }) => ({ value: id, label: url }))}
          selected={filters.webhookId === null ? [] : [filters.webhookId]}
          onChange={(values) => change({ webhookId: values.at(-1) ?? null })}
        />
      </ListToolbar>
      <LiveList
        label="Deliveries"
        list={list}
        rowHeight={{ wide: 38, narrow: 60 }}
        columns={deliveryColumns}
        header={<DeliveryHeader />}
        renderRow={(row) =>
          narrow ? <DeliveryCard row={row} actions={actions} /> : <DeliveryCells row={row} actions={actions} />
        }
        empty={
          filtered ? (
            <EmptyState
              icon={PaperPlaneTiltIcon}
              title="No delivery matches"
              actions={<Button onClick={() => change({ webhookId: null, statuses: [] })}>Clear all filters</Button>}
            >
              Try fewer filters.
            </EmptyState>
          ) : (
            <EmptyState icon={PaperPlaneTiltIcon} title="Nothing was sent yet">
              Messages appear here when tasks end, and when a test is sent.
            </EmptyState>
          )
        }
      />
    </div>
  );
}
