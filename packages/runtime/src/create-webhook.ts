import { type Authority, invalid, Refusal, type WebhookEvent } from "@wheelhouse/domain";
import type { WebhookRecord } from "@wheelhouse/storage";
import type { RuntimeDeps } from "./deps.ts";
import { requireProjectReach } from "./project-authority.ts";
import { checkWebhook } from "./webhook-input.ts";
import { newSigningSecret } from "./webhook-signature.ts";

export interface CreateWebhookInput {
  url: string;
  events: readonly WebhookEvent[];
}

/** A webhook with its signing secret, which is shown this once. */
export interface WebhookWithSecret {
  webhook: WebhookRecord;
  secret: string;
}

/** What the signing secrets of a webhook are encrypted for. */
export const secretPurpose = (webhookId: string): string => `webhook:${webhookId}`;

/** Makes a webhook: from now on its address is told of these moments of the project's tasks. */
export async function createWebhook(
  deps: RuntimeDeps,
  authority: Authority,
  { url, events }: CreateWebhookInput,
): Promise<WebhookWithSecret> {
  requireProjectReach(authority);
  await checkWebhook(deps, { url, events });
  const id = deps.newId();
  const secret = newSigningSecret();
  const outcome = await deps.storage.webhooks.create(authority, {
    id,
    url,
    events: [...new Set(events)],
    secretCipher: deps.secrets.seal(secret, secretPurpose(id)),
    at: deps.clock.now(),
  });
  switch (outcome.outcome) {
    case "created":
      return { webhook: outcome.webhook, secret };
    case "tooMany":
      throw invalid("url", `a project has at most ${outcome.limit} webhooks; delete one first`);
    case "forbidden":
      throw new Refusal("FORBIDDEN", "Webhooks belong to the whole project");
  }
}
