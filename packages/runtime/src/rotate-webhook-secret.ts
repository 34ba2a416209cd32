import { type Authority, invalid } from "@wheelhouse/domain";
import { requireRole } from "./check-input.ts";
import { secretPurpose, type WebhookWithSecret } from "./create-webhook.ts";
import type { RuntimeDeps } from "./deps.ts";
import { found } from "./project-authority.ts";
import { newSigningSecret } from "./webhook-signature.ts";

export interface RotateWebhookSecretInput {
  webhookId: string;
  /** How long the secret before still signs beside the new one, hours; 24 when absent, 0 ends it now. */
  overlapHours?: number | null | undefined;
}

const hourMs = 3_600_000;
const maxOverlapHours = 720;

/** Gives a webhook a new signing secret, shown this once. Meanwhile every message carries a signature by each. */
export async function rotateWebhookSecret(
  deps: RuntimeDeps,
  authority: Authority,
  input: RotateWebhookSecretInput,
): Promise<WebhookWithSecret> {
  requireRole(authority, "OPERATOR");
  const hours = input.overlapHours ?? 24;
  if (hours < 0 || hours > maxOverlapHours) throw invalid("overlapHours", `use 0 to ${maxOverlapHours} hours`);
  const { storage, secrets, clock } = deps;
  const { id, secretCipher } = found("Webhook", await storage.webhooks.get(authority, input.webhookId));
  const secret = newSigningSecret();
  const at = clock.now();
  const change = {
    secretCipher: secrets.seal(secret, secretPurpose(id)),
    previousSecretCipher: hours === 0 ? null : secretCipher,
    previousSecretUntil: hours === 0 ? null : new Date(at.getTime() + hours * hourMs),
  };
  return { webhook: found("Webhook", await storage.webhooks.update(authority, id, { change, at })), secret };
}
