import type { Authority, WebhookEvent } from "@wheelhouse/domain";
import type { WebhookRecord } from "@wheelhouse/storage";
import { requireRole } from "./check-input.ts";
import type { RuntimeDeps } from "./deps.ts";
import { found } from "./project-authority.ts";
import { checkWebhook } from "./webhook-input.ts";

export interface UpdateWebhookInput {
  webhookId: string;
  url?: string | null | undefined;
  events?: readonly WebhookEvent[] | null | undefined;
  enabled?: boolean | null | undefined;
}

/** Changes a webhook; what is absent stays. Disabling it fails what still waits, which can be replayed later. */
export async function updateWebhook(
  deps: RuntimeDeps,
  authority: Authority,
  input: UpdateWebhookInput,
): Promise<WebhookRecord> {
  requireRole(authority, "OPERATOR");
  const { storage, clock } = deps;
  found("Webhook", await storage.webhooks.get(authority, input.webhookId));
  const { url = null, events = null, enabled = null } = input;
  await checkWebhook(deps, { url: url ?? undefined, events: events ?? undefined });
  const change = {
    ...(url !== null && { url }),
    ...(events !== null && { events: [...new Set(events)] }),
    ...(enabled !== null && { enabled }),
  };
  return found("Webhook", await storage.webhooks.update(authority, input.webhookId, { change, at: clock.now() }));
}
