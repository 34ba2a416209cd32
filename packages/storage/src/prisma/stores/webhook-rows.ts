import { type Authority, WebhookEvent } from "@wheelhouse/domain";
import { z } from "zod";
import type { WebhookRecord } from "../../webhooks.ts";
import { flag, json, select, text, textOrNull, timeOrNull } from "../rows.ts";
import type { Row, Tx } from "../sql.ts";
import type { StoreContext } from "./context.ts";
import { Params, visibleInProject } from "./visible-rows.ts";

const columns = [
  "id",
  "project_id",
  "url",
  "secret_cipher",
  "previous_secret_cipher",
  "previous_secret_until",
  "events",
  "enabled",
  "disabled_reason",
] as const;
export const webhookSelect = select("w", columns, "w_");

export const webhookOf = (row: Row): WebhookRecord => ({
  id: text(row, "w_id"),
  projectId: text(row, "w_project_id"),
  url: text(row, "w_url"),
  secretCipher: text(row, "w_secret_cipher"),
  previousSecretCipher: textOrNull(row, "w_previous_secret_cipher"),
  previousSecretUntil: timeOrNull(row, "w_previous_secret_until"),
  events: z.array(WebhookEvent).parse(json(row, "w_events")),
  enabled: flag(row, "w_enabled"),
  disabledReason: textOrNull(row, "w_disabled_reason"),
});

/** Locks the webhook's row; false when it does not exist for this caller. */
export async function lockWebhook(context: StoreContext, tx: Tx, authority: Authority, id: string): Promise<boolean> {
  const params = new Params();
  const visible = visibleInProject(authority, params, "w");
  const found = await tx.query(
    `SELECT w.id FROM webhooks w WHERE ${visible} AND w.id = ${params.add(id)} ${context.dialect.lock("w")}`,
    params.values,
  );
  return found.length > 0;
}

export async function readWebhook(tx: Tx, id: string): Promise<WebhookRecord> {
  const [row] = await tx.query(`SELECT ${webhookSelect} FROM webhooks w WHERE w.id = $1`, [id]);
  if (row === undefined) throw new Error("A webhook is gone right after it was written");
  return webhookOf(row);
}

/** Nothing waits for a webhook that is disabled: replaying sends it after all. */
export async function failWaiting(
  { dialect }: StoreContext,
  tx: Tx,
  { webhookId, at }: { webhookId: string; at: Date },
): Promise<void> {
  await tx.query(
    `UPDATE webhook_deliveries SET status = 'FAILED', error = 'The webhook was disabled', next_attempt_at = NULL,
       updated_at = $1
     WHERE webhook_id = $2 AND status = 'PENDING'`,
    [dialect.time(at), webhookId],
  );
}
