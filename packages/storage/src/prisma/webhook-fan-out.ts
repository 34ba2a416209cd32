import { deliveryAttempts } from "@wheelhouse/domain";

// The write that tells a project's webhooks about a moment of a task. It is part of the transition that it tells of, and
// writes one row per webhook that listens: for most projects none, and no other statement is needed to know that.

/** What a transition says of one moment; `id` is the beginning of the deliveries' ids. */
export const fanOutColumns = {
  id: "text",
  project_id: "text",
  task_id: "text",
  event: "text",
  payload: "json!",
  at: "time",
} as const;

const inserted = `INSERT INTO webhook_deliveries (id, project_id, webhook_id, task_id, event, payload, status, attempts, attempt_limit,
  next_attempt_at, created_at, updated_at)`;
// The number of the webhook takes the place of twelve bits of the id behind its version digit.
const values = (number: string): string =>
  `SELECT substr(v.id, 1, 15) || ${number} || substr(v.id, 19), v.project_id, w.id, v.task_id, v.event, v.payload,
     'PENDING', 0, ${deliveryAttempts}, v.at, v.at, v.at`;

/** `record` is a row source with the alias `v`. */
export const fanOutPostgres = (record: string): string =>
  `${inserted} ${values("lpad(to_hex(row_number() OVER (PARTITION BY v.id ORDER BY w.id)), 3, '0')")}
   FROM ${record} JOIN webhooks w ON w.project_id = v.project_id AND w.enabled AND w.events @> to_jsonb(v.event)`;

export const fanOutSqlite = `${inserted} ${values("printf('%03x', row_number() OVER (PARTITION BY v.id ORDER BY w.id))")}
  FROM (SELECT ${Object.keys(fanOutColumns)
    .map((name) => `? AS ${name}`)
    .join(", ")}) v
  JOIN webhooks w ON w.project_id = v.project_id AND w.enabled
    AND EXISTS (SELECT 1 FROM json_each(w.events) e WHERE e.value = v.event)`;

/** Webhooks of one project: as many as their number in a delivery's id can count, and as a transition may pay for. */
export const maxWebhooks = 50;
