import { type Authority, notFound } from "@wheelhouse/domain";
import { requireRole } from "./check-input.ts";
import type { RuntimeDeps } from "./deps.ts";

/** Deletes a webhook with its deliveries. */
export async function deleteWebhook(
  deps: Pick<RuntimeDeps, "storage">,
  authority: Authority,
  webhookId: string,
): Promise<void> {
  requireRole(authority, "OPERATOR");
  if (!(await deps.storage.webhooks.delete(authority, webhookId))) throw notFound("Webhook");
}
