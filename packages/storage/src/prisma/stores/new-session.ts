import { type Authority, canonicalJson } from "@wheelhouse/domain";
import type { NewSession } from "../../records.ts";
import type { Row } from "../sql.ts";
import type { Values } from "../write-set.ts";

/** The row of a session that is about to begin, in the words of the table. */
export function newSessionValues(
  authority: Authority,
  session: NewSession,
  more: {
    agentId: string;
    externalId: string | null;
    idempotencyKey: string | null;
    requestFingerprint: string | null;
    at: Date;
  },
): Values {
  return {
    id: session.id,
    project_id: authority.projectId,
    agent_id: more.agentId,
    // Keys sorted, as the wall compares the text on SQLite.
    scope: JSON.parse(canonicalJson(authority.scope)),
    scope_key: authority.scopeKey,
    external_id: more.externalId,
    idempotency_key: more.idempotencyKey,
    request_fingerprint: more.requestFingerprint,
    thread_id: session.threadId,
    title: session.title,
    status: "IDLE",
    metadata: session.metadata,
    last_activity_at: more.at,
    created_at: more.at,
    updated_at: more.at,
  };
}

/** The same row as a query would give it, so that a draft can be begun before the row exists. */
export const freshRow = (values: Values): Row => ({
  s_id: values.id,
  s_project_id: values.project_id,
  s_agent_id: values.agent_id,
  s_scope_key: values.scope_key,
  s_last_sequence: 0,
  s_last_message_seq: 0,
  s_feed_position: 0,
  s_run_count: 0,
  s_task_count: 0,
  s_message_count: 0,
  s_error_count: 0,
  s_first_message: null,
  s_active_run_id: null,
});
