import {
  AgentSource,
  Decision,
  EventVisibility,
  Manifest,
  RunStatus,
  Scope,
  SessionStatus,
  type StoredEvent,
  TaskStatus,
} from "@wheelhouse/domain";
import { z } from "zod";
import type { AgentRecord, InterruptRecord, RunRecord, SessionRecord, TaskRecord } from "../records.ts";
import type { Row } from "./sql.ts";

// Rows into records: the edge where what the database says is parsed. Columns of one table carry one prefix, so that a
// join can hold several.

export const text = (row: Row, column: string): string => {
  const value = row[column];
  if (typeof value !== "string") throw new TypeError(`Column ${column} is not text`);
  return value;
};
export const textOrNull = (row: Row, column: string): string | null =>
  row[column] === null || row[column] === undefined ? null : text(row, column);
export const int = (row: Row, column: string): number => {
  const value = Number(row[column]);
  if (row[column] === null || !Number.isSafeInteger(value)) throw new TypeError(`Column ${column} is not an integer`);
  return value;
};
export const intOrNull = (row: Row, column: string): number | null =>
  row[column] === null || row[column] === undefined ? null : int(row, column);
export const time = (row: Row, column: string): Date => new Date(text(row, column));
export const timeOrNull = (row: Row, column: string): Date | null => {
  const value = textOrNull(row, column);
  return value === null ? null : new Date(value);
};
export const json = (row: Row, column: string): unknown => {
  // SQLite's JSON columns have a numeric affinity: a JSON number comes back as the number itself.
  if (typeof row[column] === "number") return row[column];
  const value = textOrNull(row, column);
  return value === null ? null : JSON.parse(value);
};
export const flag = (row: Row, column: string): boolean => row[column] === true || row[column] === 1;

/** `alias.column AS prefix_column, …` */
export const select = (alias: string, columns: readonly string[], prefix: string): string =>
  columns.map((column) => `${alias}.${column} AS ${prefix}${column}`).join(", ");

export const sessionColumns = [
  "id",
  "project_id",
  "agent_id",
  "scope",
  "scope_key",
  "external_id",
  "request_fingerprint",
  "thread_id",
  "title",
  "status",
  "last_sequence",
  "last_message_seq",
  "feed_position",
  "run_count",
  "task_count",
  "message_count",
  "error_count",
  "first_message",
  "active_run_id",
  "fence",
  "head_run_id",
  "head_checkpoint",
  "created_at",
  "last_activity_at",
] as const;

/** A session's columns and its agent's name, from aliases `s` and `a`. */
export const sessionSelect = `${select("s", sessionColumns, "s_")}, a.name AS s_agent_name`;

export function sessionOf(row: Row): SessionRecord {
  return {
    id: text(row, "s_id"),
    projectId: text(row, "s_project_id"),
    agentId: text(row, "s_agent_id"),
    agentName: text(row, "s_agent_name"),
    scope: Scope.parse(json(row, "s_scope")),
    scopeKey: text(row, "s_scope_key"),
    externalId: textOrNull(row, "s_external_id"),
    threadId: text(row, "s_thread_id"),
    title: textOrNull(row, "s_title"),
    status: SessionStatus.parse(row.s_status),
    lastSequence: int(row, "s_last_sequence"),
    activeRunId: textOrNull(row, "s_active_run_id"),
    createdAt: time(row, "s_created_at"),
    lastActivityAt: time(row, "s_last_activity_at"),
  };
}

export const taskColumns = [
  "id",
  "session_id",
  "agent_id",
  "status",
  "status_reason",
  "input",
  "output",
  "idempotency_key",
  "request_fingerprint",
  "current_run_id",
  "last_run_id",
] as const;
export const taskSelect = select("t", taskColumns, "t_");

export function taskOf(row: Row): TaskRecord {
  return {
    id: text(row, "t_id"),
    sessionId: text(row, "t_session_id"),
    agentId: textOrNull(row, "t_agent_id"),
    status: TaskStatus.parse(row.t_status),
    statusReason: textOrNull(row, "t_status_reason"),
    input: json(row, "t_input"),
    output: json(row, "t_output"),
    idempotencyKey: textOrNull(row, "t_idempotency_key"),
    requestFingerprint: text(row, "t_request_fingerprint"),
    currentRunId: textOrNull(row, "t_current_run_id"),
    lastRunId: textOrNull(row, "t_last_run_id"),
  };
}

export const runColumns = [
  "id",
  "session_id",
  "task_id",
  "status",
  "attempt",
  "recoveries",
  "parent_run_id",
  "input",
  "manifest",
  "manifest_digest",
  "owner",
  "generation",
  "checkpoint_before",
  "error_code",
  "error_message",
  "queued_at",
  "started_at",
  "finished_at",
] as const;
export const runSelect = select("r", runColumns, "r_");

export function runOf(row: Row): RunRecord {
  return {
    id: text(row, "r_id"),
    sessionId: text(row, "r_session_id"),
    taskId: text(row, "r_task_id"),
    status: RunStatus.parse(row.r_status),
    attempt: int(row, "r_attempt"),
    recoveries: int(row, "r_recoveries"),
    parentRunId: textOrNull(row, "r_parent_run_id"),
    input: json(row, "r_input"),
    manifest: manifestOf(text(row, "r_manifest")),
    manifestDigest: text(row, "r_manifest_digest"),
    owner: textOrNull(row, "r_owner"),
    generation: int(row, "r_generation"),
    checkpointBefore: textOrNull(row, "r_checkpoint_before"),
    errorCode: textOrNull(row, "r_error_code"),
    errorMessage: textOrNull(row, "r_error_message"),
    queuedAt: time(row, "r_queued_at"),
    startedAt: timeOrNull(row, "r_started_at"),
    finishedAt: timeOrNull(row, "r_finished_at"),
  };
}

// Runs of one agent carry the same manifest; parsing it again for each claim would cost more than the claim's SQL.
const manifests = new Map<string, Manifest>();
const maxManifests = 200;

function manifestOf(json: string): Manifest {
  let manifest = manifests.get(json);
  if (manifest === undefined) {
    manifest = Manifest.parse(JSON.parse(json));
    if (manifests.size >= maxManifests) manifests.clear();
    manifests.set(json, manifest);
  }
  return manifest;
}

/** Whether the manifest of a row that `runSelect` brought is one that this version understands. */
export function hasReadableManifest(row: Row): boolean {
  try {
    manifestOf(text(row, "r_manifest"));
    return true;
  } catch {
    return false;
  }
}

export const interruptColumns = [
  "id",
  "run_id",
  "task_id",
  "session_id",
  "interrupt_id",
  "kind",
  "action_requests",
  "allowed_decisions",
  "requested_at",
  "expires_at",
  "decided_at",
  "decided_by",
  "decision",
  "decision_value",
  "closed_at",
] as const;
export const interruptSelect = select("i", interruptColumns, "i_");

export function interruptOf(row: Row): InterruptRecord {
  return {
    id: text(row, "i_id"),
    runId: text(row, "i_run_id"),
    taskId: text(row, "i_task_id"),
    sessionId: text(row, "i_session_id"),
    interruptId: text(row, "i_interrupt_id"),
    kind: text(row, "i_kind"),
    actionRequests: json(row, "i_action_requests"),
    allowedDecisions: z.array(Decision).parse(json(row, "i_allowed_decisions")),
    requestedAt: time(row, "i_requested_at"),
    expiresAt: timeOrNull(row, "i_expires_at"),
    decidedAt: timeOrNull(row, "i_decided_at"),
    decidedBy: textOrNull(row, "i_decided_by"),
    decision: row.i_decision === null ? null : Decision.parse(row.i_decision),
    decisionValue: json(row, "i_decision_value"),
    closedAt: timeOrNull(row, "i_closed_at"),
  };
}

export const agentColumns = ["id", "project_id", "name", "display_name", "description", "source"] as const;
export const agentSelect = select("a", agentColumns, "a_");

export function agentOf(row: Row): AgentRecord {
  return {
    id: text(row, "a_id"),
    projectId: text(row, "a_project_id"),
    name: text(row, "a_name"),
    displayName: text(row, "a_display_name"),
    description: textOrNull(row, "a_description"),
    source: AgentSource.parse(row.a_source),
  };
}

const eventColumns = [
  "id",
  "project_id",
  "session_id",
  "run_id",
  "task_id",
  "step_id",
  "sequence",
  "type",
  "visibility",
  "payload",
  "at",
] as const;
export const eventSelect = select("e", eventColumns, "e_");

const Payload = z.record(z.string(), z.unknown());

export function eventOf(row: Row): StoredEvent {
  return {
    id: text(row, "e_id"),
    projectId: text(row, "e_project_id"),
    sessionId: text(row, "e_session_id"),
    runId: textOrNull(row, "e_run_id"),
    taskId: textOrNull(row, "e_task_id"),
    stepId: textOrNull(row, "e_step_id"),
    sequence: int(row, "e_sequence"),
    type: text(row, "e_type"),
    visibility: EventVisibility.parse(row.e_visibility),
    payload: Payload.parse(json(row, "e_payload")),
    at: time(row, "e_at"),
  };
}
