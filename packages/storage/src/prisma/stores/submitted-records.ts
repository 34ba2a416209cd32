import type { Authority } from "@wheelhouse/domain";
import type { NewWork, RunRecord, SessionRecord, TaskRecord } from "../../records.ts";
import type { SessionDraft } from "./session-draft.ts";

// What a submission answers with, made from what it wrote: reading it back would cost the hottest mutation a statement.

/** A session that begins with this work. */
export const newSessionRecord = (
  draft: SessionDraft,
  authority: Authority,
  work: NewWork,
  session: { id: string; threadId: string; title: string | null; externalId: string | null },
): SessionRecord => ({
  id: session.id,
  projectId: draft.projectId,
  agentId: draft.agentId,
  agentName: work.agentName,
  scope: authority.scope,
  scopeKey: authority.scopeKey,
  externalId: session.externalId,
  threadId: session.threadId,
  title: session.title,
  status: "BUSY",
  lastSequence: draft.lastSequence,
  activeRunId: work.run.id,
  createdAt: work.at,
  lastActivityAt: work.at,
});

/** A session that was there before, after the work. */
export const continuedSessionRecord = (
  before: SessionRecord,
  draft: SessionDraft,
  work: NewWork,
  isFollower: boolean,
): SessionRecord => ({
  ...before,
  lastSequence: draft.lastSequence,
  lastActivityAt: work.at,
  ...(!isFollower && { status: "BUSY", activeRunId: work.run.id }),
});

export const newTaskRecord = (draft: SessionDraft, { task, run }: NewWork): TaskRecord => ({
  id: task.id,
  sessionId: draft.id,
  agentId: draft.agentId,
  status: "SUBMITTED",
  statusReason: null,
  input: task.input,
  output: null,
  idempotencyKey: task.idempotencyKey,
  requestFingerprint: task.requestFingerprint,
  currentRunId: run.id,
  lastRunId: run.id,
});

export const newRunRecord = (draft: SessionDraft, { task, run, at }: NewWork): RunRecord => ({
  id: run.id,
  sessionId: draft.id,
  taskId: task.id,
  status: "QUEUED",
  attempt: 1,
  recoveries: 0,
  parentRunId: null,
  input: task.input,
  manifest: run.manifest,
  manifestDigest: run.manifestDigest,
  owner: null,
  generation: 0,
  checkpointBefore: null,
  errorCode: null,
  errorMessage: null,
  queuedAt: at,
  startedAt: null,
  finishedAt: null,
});
