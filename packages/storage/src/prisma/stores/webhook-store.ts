import type { WebhookChange, WebhookStore } from "../../webhooks.ts";
import { int } from "../rows.ts";
import { noHint } from "../wake-hub.ts";
import { maxWebhooks } from "../webhook-fan-out.ts";
import type { Values } from "../write-set.ts";
import type { StoreContext } from "./context.ts";
import { claimDeliveries, pruneDeliveries, replayDelivery, sendTest, settleDelivery } from "./deliveries.ts";
import { Params, visibleInProject } from "./visible-rows.ts";
import { failWaiting, lockWebhook, readWebhook, webhookOf, webhookSelect } from "./webhook-rows.ts";

export function webhookStore(context: StoreContext): WebhookStore {
  const { db } = context;
  const wake = () => context.wake({ ...noHint, deliveries: true });
  return {
    async create(authority, { id, url, events, secretCipher, at }) {
      if (authority.reach !== "PROJECT") return { outcome: "forbidden" };
      const { projectId } = authority;
      const row = { id, project_id: projectId, url, events, secret_cipher: secretCipher, enabled: true };
      return db.transaction(async (tx) => {
        // Two at once may both find room: the limit is about order of magnitude, and the ids have room for more.
        const [counted] = await tx.query("SELECT count(*) AS n FROM webhooks WHERE project_id = $1", [projectId]);
        if (counted !== undefined && int(counted, "n") >= maxWebhooks)
          return { outcome: "tooMany", limit: maxWebhooks } as const;
        tx.write([{ op: "insert", table: "webhooks", rows: [{ ...row, created_at: at, updated_at: at }] }]);
        return { outcome: "created", webhook: await readWebhook(tx, id) } as const;
      });
    },
    async get(authority, id) {
      const params = new Params();
      const visible = visibleInProject(authority, params, "w");
      const [row] = await db.query(
        `SELECT ${webhookSelect} FROM webhooks w WHERE ${visible} AND w.id = ${params.add(id)}`,
        params.values,
      );
      return row === undefined ? null : webhookOf(row);
    },
    update: (authority, id, { change, at }) =>
      db.transaction(async (tx) => {
        if (!(await lockWebhook(context, tx, authority, id))) return null;
        const row = { id, ...changedColumns(change), updated_at: at };
        tx.write([{ op: "update", table: "webhooks", rows: [row] }]);
        if (change.enabled === false) await failWaiting(context, tx, { webhookId: id, at });
        return readWebhook(tx, id);
      }),
    async delete(authority, id) {
      const params = new Params();
      const visible = visibleInProject(authority, params, "webhooks");
      const gone = await db.query(
        `DELETE FROM webhooks WHERE ${visible} AND id = ${params.add(id)} RETURNING id`,
        params.values,
      );
      return gone.length > 0;
    },
    async sendTest(authority, id, input) {
      const made = await sendTest(context, authority, id, input);
      if (made !== null) wake();
      return made;
    },
    async replay(authority, deliveryId, at) {
      const outcome = await replayDelivery(context, authority, deliveryId, at);
      if (outcome === "queued") wake();
      return outcome;
    },
    claim: (input) => claimDeliveries(context, input),
    settle: (input) => settleDelivery(context, input),
    prune: (input) => pruneDeliveries(context, input),
    async secrets() {
      const rows = await db.query(`SELECT ${webhookSelect} FROM webhooks w ORDER BY w.id`);
      return rows.map(webhookOf);
    },
    async reseal({ id, from, secretCipher, previousSecretCipher, at }) {
      const rows = await db.query(
        `UPDATE webhooks SET secret_cipher = $1, previous_secret_cipher = $2, updated_at = $3
         WHERE id = $4 AND secret_cipher = $5 RETURNING id`,
        [secretCipher, previousSecretCipher, context.dialect.time(at), id, from],
      );
      return rows.length > 0;
    },
  };
}

const changeColumns: Record<keyof WebhookChange, string> = {
  url: "url",
  events: "events",
  enabled: "enabled",
  secretCipher: "secret_cipher",
  previousSecretCipher: "previous_secret_cipher",
  previousSecretUntil: "previous_secret_until",
};

function changedColumns(change: WebhookChange): Values {
  const given: Readonly<Record<string, unknown>> = change;
  const changed = Object.entries(changeColumns).flatMap(([name, column]) =>
    given[name] === undefined ? [] : [[column, given[name]]],
  );
  // Whoever switches it decides for themselves: what the product had to say about it is over.
  if (change.enabled !== undefined) changed.push(["disabled_reason", null]);
  return Object.fromEntries(changed);
}
