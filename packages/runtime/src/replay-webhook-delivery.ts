import { type Authority, invalid, notFound } from "@wheelhouse/domain";
import { requireRole } from "./check-input.ts";
import type { RuntimeDeps } from "./deps.ts";

/** Delivers something again that was delivered or given up, under the id that it had. */
export async function replayWebhookDelivery(
  deps: Pick<RuntimeDeps, "storage" | "clock">,
  authority: Authority,
  deliveryId: string,
): Promise<void> {
  requireRole(authority, "OPERATOR");
  switch (await deps.storage.webhooks.replay(authority, deliveryId, deps.clock.now())) {
    case "queued":
      return;
    case "notEnded":
      throw invalid("deliveryId", "it is still being delivered");
    case "disabled":
      throw invalid("deliveryId", "its webhook is disabled; enable it first");
    case "notFound":
      throw notFound("WebhookDelivery");
  }
}
