// Everything in the migrations that the models cannot say. The schema test reads this list for both databases: each
// item must exist in each of them, and every enumerated column of the models must have its check here.
import {
  actorKinds,
  agentSources,
  apiKeyReaches,
  artifactKinds,
  bodyStores,
  busyPolicies,
  configKinds,
  configOperations,
  decisions,
  deliveryStatuses,
  eventVisibilities,
  feedbackKinds,
  interruptKinds,
  jobStatuses,
  messageRoles,
  modelCallStatuses,
  modelCallTypes,
  overlapPolicies,
  roles,
  runStatuses,
  sessionPolicies,
  sessionStatuses,
  stepKinds,
  stepStatuses,
  taskStatuses,
  usageStatuses,
} from "@wheelhouse/domain";

/** A column that holds one of a closed list. The constraint is named `<table>_<column>_check` in both databases. */
export interface EnumeratedColumn {
  table: string;
  column: string;
  values: readonly string[];
}

export const enumeratedColumns: readonly EnumeratedColumn[] = [
  { table: "agents", column: "source", values: agentSources },
  { table: "api_keys", column: "reach", values: apiKeyReaches },
  { table: "artifact_body_marks", column: "body_store", values: bodyStores },
  { table: "artifact_versions", column: "body_store", values: bodyStores },
  { table: "artifacts", column: "kind", values: artifactKinds },
  { table: "audit_entries", column: "actor_kind", values: actorKinds },
  { table: "config_changes", column: "operation", values: configOperations },
  { table: "config_entities", column: "kind", values: configKinds },
  { table: "config_entities", column: "source", values: agentSources },
  { table: "config_references", column: "kind", values: configKinds },
  { table: "events", column: "visibility", values: eventVisibilities },
  { table: "feedback", column: "kind", values: feedbackKinds },
  { table: "interrupts", column: "decision", values: decisions },
  { table: "interrupts", column: "kind", values: interruptKinds },
  { table: "jobs", column: "status", values: jobStatuses },
  { table: "memberships", column: "role", values: roles },
  { table: "messages", column: "role", values: messageRoles },
  { table: "model_calls", column: "call_type", values: modelCallTypes },
  { table: "model_calls", column: "status", values: modelCallStatuses },
  { table: "runs", column: "busy_policy", values: busyPolicies },
  { table: "runs", column: "status", values: runStatuses },
  { table: "runs", column: "usage_status", values: usageStatuses },
  { table: "schedules", column: "overlap_policy", values: overlapPolicies },
  { table: "schedules", column: "session_policy", values: sessionPolicies },
  { table: "sessions", column: "status", values: sessionStatuses },
  { table: "sessions", column: "usage_status", values: usageStatuses },
  { table: "steps", column: "kind", values: stepKinds },
  { table: "steps", column: "status", values: stepStatuses },
  { table: "tasks", column: "status", values: taskStatuses },
  { table: "webhook_deliveries", column: "status", values: deliveryStatuses },
];

export interface PartialIndex {
  name: string;
  table: string;
  columns: readonly string[];
  unique: boolean;
  where: string;
  why: string;
}

export const partialIndexes: readonly PartialIndex[] = [
  {
    name: "runs_one_active_per_session",
    table: "runs",
    columns: ["session_id"],
    unique: true,
    where: "status in ('QUEUED', 'RUNNING') and queue_position is null",
    why: "A session has at most one active run; followers wait with a queue position.",
  },
  {
    name: "runs_queue_heads",
    table: "runs",
    columns: ["queued_at", "id"],
    unique: false,
    where: "status = 'QUEUED' and queue_position is null",
    why: "Claiming reads the oldest runnable runs without looking at finished ones.",
  },
  {
    name: "runs_queue_followers",
    table: "runs",
    columns: ["session_id", "queue_position"],
    unique: true,
    where: "queue_position is not null",
    why: "Followers of one session have one order.",
  },
  {
    name: "interrupts_expiring",
    table: "interrupts",
    columns: ["expires_at"],
    unique: false,
    where: "decided_at is null and closed_at is null",
    why: "The sweep for questions that nobody answered reads only those that still wait.",
  },
  {
    name: "sessions_prune_due",
    table: "sessions",
    columns: ["prune_due_at"],
    unique: false,
    where: "prune_due_at is not null",
    why: "Pruning finds what is due without looking at conversations at rest.",
  },
];

/** Storage parameters of PostgreSQL; SQLite has nothing like them. */
export const fillFactors: readonly { table: string; percent: number; why: string }[] = [
  { table: "sessions", percent: 80, why: "Counters change with every flush; room on the page keeps the update HOT." },
  { table: "runs", percent: 80, why: "A run is updated at every transition." },
  { table: "steps", percent: 80, why: "A step is written when it starts and again when it ends." },
];
