import { type Authority, DeliveryEvent, DeliveryFacts, deliveryAttempts, Scope, TaskStatus } from "@wheelhouse/domain";
import type { AttemptEnding, ClaimedDelivery, DeliveredTask, WebhookStore } from "../../webhooks.ts";
import { flag, int, json, text, textOrNull, time } from "../rows.ts";
import type { Row } from "../sql.ts";
import type { StoreContext } from "./context.ts";
import { Params, visibleInProject } from "./visible-rows.ts";
import { failWaiting, webhookOf, webhookSelect } from "./webhook-rows.ts";

// A claim moves `next_attempt_at` to the end of its lease and counts the attempt. The count is the fence: whoever comes
// back after its lease finds another number and writes nothing, and a process that died is taken over when it is due.

const selected = `SELECT d.id AS d_id, d.attempts AS d_attempts, d.attempt_limit AS d_attempt_limit, d.event AS d_event,
    d.payload AS d_payload, ${webhookSelect}, t.id AS t_id, t.status AS t_status, t.output AS t_output,
    t.metadata AS t_metadata, t.created_at AS t_created_at, t.last_run_id AS t_last_run_id, s.id AS s_id,
    s.external_id AS s_external_id, s.scope AS s_scope, a.name AS a_name
  FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id LEFT JOIN tasks t ON t.id = d.task_id
    LEFT JOIN sessions s ON s.id = t.session_id LEFT JOIN agents a ON a.id = s.agent_id`;
const due = "d.status = 'PENDING' AND d.next_attempt_at <= $1";

type ClaimInput = Parameters<WebhookStore["claim"]>[0];

export async function claimDeliveries(context: StoreContext, input: ClaimInput): Promise<ClaimedDelivery[]> {
  const { db, dialect } = context;
  const at = dialect.time(input.at);
  // Most looks find nothing; they are one statement.
  const some = await db.query(`SELECT 1 AS some FROM webhook_deliveries d WHERE ${due} LIMIT 1`, [at]);
  if (some.length === 0) return [];
  return db.transaction(async (tx) => {
    const rows = await tx.query(
      `${selected} WHERE ${due} AND (w.enabled OR d.task_id IS NULL) AND NOT (${dialect.inList("d.webhook_id", 3)})
       ORDER BY d.next_attempt_at, d.id LIMIT $2 ${dialect.lockFree("d")}`,
      [at, input.limit, input.except],
    );
    const taken = atMostPerWebhook(rows.map(deliveryOf), input.perWebhook);
    const lease = new Date(input.at.getTime() + input.leaseMs);
    tx.write([
      {
        op: "update",
        table: "webhook_deliveries",
        rows: taken.map(({ id, attempt }) => ({
          id,
          attempts: attempt,
          attempted_at: input.at,
          next_attempt_at: lease,
          updated_at: input.at,
        })),
      },
    ]);
    return taken;
  });
}

function atMostPerWebhook(deliveries: readonly ClaimedDelivery[], most: number): ClaimedDelivery[] {
  const counts = new Map<string, number>();
  return deliveries.filter(({ webhook }) => {
    const count = (counts.get(webhook.id) ?? 0) + 1;
    counts.set(webhook.id, count);
    return count <= most;
  });
}

const deliveryOf = (row: Row): ClaimedDelivery => ({
  id: text(row, "d_id"),
  attempt: int(row, "d_attempts") + 1,
  attemptLimit: int(row, "d_attempt_limit"),
  event: DeliveryEvent.parse(row.d_event),
  facts: DeliveryFacts.parse(json(row, "d_payload")),
  webhook: webhookOf(row),
  task: row.t_id === null ? null : taskOf(row),
});

const taskOf = (row: Row): DeliveredTask => ({
  id: text(row, "t_id"),
  status: TaskStatus.parse(row.t_status),
  output: json(row, "t_output"),
  metadata: json(row, "t_metadata"),
  createdAt: time(row, "t_created_at"),
  runId: textOrNull(row, "t_last_run_id"),
  sessionId: text(row, "s_id"),
  externalId: textOrNull(row, "s_external_id"),
  scope: Scope.parse(json(row, "s_scope")),
  agentName: text(row, "a_name"),
});

/** How the row stands after an attempt. */
const standing = (ending: AttemptEnding) => ({
  status: ending.status === "RETRY" ? "PENDING" : ending.status === "GONE" ? "FAILED" : ending.status,
  error: ending.status === "DELIVERED" ? null : ending.error,
  nextAttemptAt: ending.status === "RETRY" ? ending.nextAttemptAt : null,
});

export function settleDelivery(
  context: StoreContext,
  { id, attempt, ending, at }: Parameters<WebhookStore["settle"]>[0],
): Promise<boolean> {
  const { dialect } = context;
  const { status, error, nextAttemptAt } = standing(ending);
  return context.db.transaction(async (tx) => {
    const [row] = await tx.query(
      `UPDATE webhook_deliveries SET status = $1, response_code = $2, error = $3, next_attempt_at = $4, updated_at = $5
       WHERE id = $6 AND attempts = $7 AND status = 'PENDING' RETURNING webhook_id`,
      [
        ...[status, ending.responseCode, error, nextAttemptAt === null ? null : dialect.time(nextAttemptAt)],
        ...[dialect.time(at), id, attempt],
      ],
    );
    if (row === undefined) return false;
    if (ending.status === "GONE") {
      const webhookId = text(row, "webhook_id");
      await tx.query("UPDATE webhooks SET enabled = (1 = 0), disabled_reason = $1, updated_at = $2 WHERE id = $3", [
        ...[ending.error, dialect.time(at), webhookId],
      ]);
      await failWaiting(context, tx, { webhookId, at });
    }
    return true;
  });
}

export function replayDelivery(
  context: StoreContext,
  authority: Authority,
  deliveryId: string,
  at: Date,
): ReturnType<WebhookStore["replay"]> {
  const { dialect } = context;
  return context.db.transaction(async (tx) => {
    const params = new Params();
    const visible = visibleInProject(authority, params, "w");
    const [row] = await tx.query(
      `SELECT d.status, d.attempts, w.enabled FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id
       WHERE ${visible} AND d.id = ${params.add(deliveryId)} ${dialect.lock("d")}`,
      params.values,
    );
    if (row === undefined) return "notFound";
    if (row.status === "PENDING") return "notEnded";
    if (!flag(row, "enabled")) return "disabled";
    const again = {
      id: deliveryId,
      status: "PENDING",
      attempt_limit: int(row, "attempts") + deliveryAttempts,
      next_attempt_at: at,
      updated_at: at,
    };
    tx.write([{ op: "update", table: "webhook_deliveries", rows: [again] }]);
    return "queued";
  });
}

export function sendTest(
  context: StoreContext,
  authority: Authority,
  webhookId: string,
  { deliveryId, at }: { deliveryId: string; at: Date },
): Promise<string | null> {
  return context.db.transaction(async (tx) => {
    const params = new Params();
    const visible = visibleInProject(authority, params, "w");
    const found = await tx.query(
      `SELECT w.id FROM webhooks w WHERE ${visible} AND w.id = ${params.add(webhookId)}`,
      params.values,
    );
    if (found.length === 0) return null;
    const facts: DeliveryFacts = { at: at.toISOString() };
    const delivery = {
      id: deliveryId,
      project_id: authority.projectId,
      webhook_id: webhookId,
      task_id: null,
      event: "webhook.test" satisfies DeliveryEvent,
      payload: facts,
      status: "PENDING",
      attempts: 0,
      // A try is for the person who watches: it is not repeated.
      attempt_limit: 1,
      next_attempt_at: at,
      created_at: at,
      updated_at: at,
    };
    tx.write([{ op: "insert", table: "webhook_deliveries", rows: [delivery] }]);
    return deliveryId;
  });
}

export async function pruneDeliveries(
  { db, dialect }: StoreContext,
  { before, limit }: { before: Date; limit: number },
): Promise<number> {
  const gone = await db.query(
    `DELETE FROM webhook_deliveries WHERE id IN (SELECT d.id FROM webhook_deliveries d
       WHERE d.status <> 'PENDING' AND d.created_at < $1 ORDER BY d.created_at LIMIT $2) RETURNING id`,
    [dialect.time(before), limit],
  );
  return gone.length;
}
