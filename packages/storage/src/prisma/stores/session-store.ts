import { type Authority, sameScope } from "@wheelhouse/domain";
import { scopeKeyOf } from "@wheelhouse/domain/digest";
import type { SessionStore } from "../../port.ts";
import type { CreateSessionOutcome, SessionRecord } from "../../records.ts";
import { partsOf } from "../models.ts";
import { sessionOf, sessionSelect, text, textOrNull } from "../rows.ts";
import type { Row, Tx } from "../sql.ts";
import { storableJsonText } from "../write-set.ts";
import { findAgentId } from "./agent-store.ts";
import { pruningStore } from "./checkpoint-anchors.ts";
import { type StoreContext, untilRaceIsOver } from "./context.ts";
import { headJoin, headOf, headSelect } from "./conversation-head.ts";
import { forkStore } from "./fork-session.ts";
import { newSessionValues } from "./new-session.ts";
import { Params, visibleSession } from "./visible-rows.ts";

const from = "FROM sessions s JOIN agents a ON a.id = s.agent_id";

export function sessionStore(context: StoreContext): SessionStore {
  return {
    ...forkStore(context),
    ...pruningStore(context),
    create: (authority, input) =>
      untilRaceIsOver(context, () => context.db.transaction((tx) => createSession(context, tx, authority, input))),
    get: (authority, id) => readSession(context, context.db, authority, (params) => `s.id = ${params.add(id)}`),
    async head(authority, id) {
      const params = new Params();
      const visible = visibleSession(context.dialect, authority, params);
      const [row] = await context.db.query(
        `SELECT s.thread_id AS s_thread_id, s.head_run_id AS s_head_run_id, s.head_checkpoint AS s_head_checkpoint,
           ${headSelect} FROM sessions s ${headJoin} WHERE ${visible} AND s.id = ${params.add(id)}`,
        params.values,
      );
      return row === undefined ? null : { threadId: text(row, "s_thread_id"), head: headOf(row) };
    },
    findByExternalId: (authority, agentName, externalId) => findByExternalId(context, authority, agentName, externalId),
    page: async (authority, { after, limit, only = null }) => {
      const params = new Params();
      const visible = visibleSession(context.dialect, authority, params);
      const one = only === null ? "" : `AND s.id = ${params.add(only)}`;
      const rows = await context.db.query(
        `SELECT s.id, s.last_run_id FROM sessions s WHERE ${visible} ${one} AND s.id > ${params.add(after ?? "")}
         ORDER BY s.id LIMIT ${params.add(limit)}`,
        params.values,
      );
      return rows.map((row) => ({ id: text(row, "id"), lastRunId: textOrNull(row, "last_run_id") }));
    },
    update: async (authority, id, change) => {
      const params = new Params();
      const sets = [`updated_at = ${params.add(context.dialect.time(change.at))}`];
      if (change.title !== undefined) sets.push(`title = ${params.add(change.title)}`);
      if (change.metadata !== undefined) {
        const metadata = params.add(storableJsonText(change.metadata));
        sets.push(`metadata = ${context.dialect.name === "postgresql" ? `${metadata}::jsonb` : metadata}`);
      }
      const visible = visibleSession(context.dialect, authority, params, "sessions");
      const [row] = await context.db.query(
        `UPDATE sessions SET ${sets.join(", ")} WHERE id = ${params.add(id)} AND ${visible} RETURNING id, project_id`,
        params.values,
      );
      if (row === undefined) return null;
      context.wake({
        sessions: [{ projectId: text(row, "project_id"), sessionId: text(row, "id") }],
        runnable: false,
        cancelled: [],
      });
      return readSession(context, context.db, authority, (p) => `s.id = ${p.add(id)}`);
    },
  };
}

async function readSession(
  context: StoreContext,
  db: Pick<Tx, "query">,
  authority: Authority,
  which: (params: Params) => string,
): Promise<SessionRecord | null> {
  const params = new Params();
  const visible = visibleSession(context.dialect, authority, params);
  const [row] = await db.query(`SELECT ${sessionSelect} ${from} WHERE ${visible} AND ${which(params)}`, params.values);
  return row === undefined ? null : sessionOf(row);
}

/**
 * An external id is unique per scope and agent. A caller with project reach means the scope it would create in, as other
 * scopes of the project may use the same external id.
 */
function findByExternalId(
  context: StoreContext,
  authority: Authority,
  agentName: string,
  externalId: string,
): Promise<SessionRecord | null> {
  return readSession(
    context,
    context.db,
    { ...authority, reach: "EXACT" },
    (params) => `a.name = ${params.add(agentName)} AND s.external_id = ${params.add(externalId)}`,
  );
}

type CreateInput = Parameters<SessionStore["create"]>[1];

async function createSession(
  context: StoreContext,
  tx: Tx,
  authority: Authority,
  input: CreateInput,
): Promise<CreateSessionOutcome> {
  const scopeKeys = partsOf(authority.scope).map(scopeKeyOf);
  const agentId = await findAgentId(tx, { projectId: authority.projectId, name: input.agentName, scopeKeys }, context);
  if (agentId === null) return { outcome: "agentNotFound" };
  const known = await findKnown(tx, authority, agentId, input);
  if (known !== null) return known;
  const values = newSessionValues(authority, input.create, { ...input, agentId });
  tx.write([{ op: "insert", table: "sessions", rows: [values] }]);
  const [row] = await tx.query(`SELECT ${sessionSelect} ${from} WHERE s.id = $1`, [input.create.id]);
  if (row === undefined) throw new Error("The session is gone right after it was created");
  return { outcome: "created", session: sessionOf(row) };
}

async function findKnown(
  tx: Tx,
  authority: Authority,
  agentId: string,
  input: CreateInput,
): Promise<CreateSessionOutcome | null> {
  if (input.idempotencyKey === null && input.externalId === null) return null;
  const found = await tx.query(
    `SELECT ${sessionSelect}, s.idempotency_key AS s_idempotency_key ${from}
     WHERE s.project_id = $1 AND s.scope_key = $2 AND s.agent_id = $3 AND (s.idempotency_key = $4 OR s.external_id = $5)`,
    [authority.projectId, authority.scopeKey, agentId, input.idempotencyKey, input.externalId],
  );
  const rows = found.filter((row) => sameScope(sessionOf(row).scope, authority.scope));
  const byKey = rows.find(
    (row) => input.idempotencyKey !== null && textOrNull(row, "s_idempotency_key") === input.idempotencyKey,
  );
  if (byKey !== undefined)
    return textOrNull(byKey, "s_request_fingerprint") === input.requestFingerprint
      ? existing(byKey)
      : { outcome: "idempotencyConflict", sessionId: text(byKey, "s_id") };
  const byExternalId = rows.find(
    (row) => input.externalId !== null && textOrNull(row, "s_external_id") === input.externalId,
  );
  return byExternalId === undefined ? null : existing(byExternalId);
}

const existing = (row: Row): CreateSessionOutcome => ({ outcome: "existing", session: sessionOf(row) });
