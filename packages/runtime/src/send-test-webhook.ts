import type { Authority } from "@wheelhouse/domain";
import { requireRole } from "./check-input.ts";
import type { RuntimeDeps } from "./deps.ts";
import { found } from "./project-authority.ts";

/** Sends a message of the type `webhook.test`, once, also when the webhook is disabled. Answers the delivery's id. */
export async function sendTestWebhook(
  deps: Pick<RuntimeDeps, "storage" | "clock" | "newId">,
  authority: Authority,
  webhookId: string,
): Promise<string> {
  requireRole(authority, "OPERATOR");
  const input = { deliveryId: deps.newId(), at: deps.clock.now() };
  return found("Webhook", await deps.storage.webhooks.sendTest(authority, webhookId, input));
}
