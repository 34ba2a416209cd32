import { type Authority, type BusyPolicy, eventCursor, invalid, notFound, Refusal } from "@wheelhouse/domain";
import { digestOf } from "@wheelhouse/domain/digest";
import type { ResolvedAgent } from "@wheelhouse/registry";
import type { NewWork, RunRecord, SessionRecord, SubmitOutcome, TaskRecord } from "@wheelhouse/storage";
import { userTextOf } from "./chat-input.ts";
import { checkJson, checkMessage, checkMetadata, checkName, invalidFields, requireRole } from "./check-input.ts";
import type { RuntimeDeps } from "./deps.ts";
import { drawAgent, registerAgent, resolveAgent } from "./resolve-agent.ts";
import { resolveDraft } from "./resolve-draft.ts";
import { schemaIssues } from "./validate-schema.ts";

export interface SubmitTaskInput {
  /** The session to work in; else the one with `externalId`, made when it is missing; else a new one. */
  sessionId?: string | null | undefined;
  externalId?: string | null | undefined;
  /** Required unless `sessionId` names a session. */
  agent?: string | null | undefined;
  input: unknown;
  idempotencyKey?: string | null | undefined;
  /** What to do when the session has an active run; the agent's own when absent. */
  busyPolicy?: BusyPolicy | null | undefined;
  metadata?: unknown;
  /** A definition of the agent to try for this task alone, instead of the one that applies. It is stored with the run only. */
  draft?: unknown;
  /** W3C trace id of the request, 32 hex digits. */
  traceId?: string | null | undefined;
}

export interface SubmittedTask {
  session: SessionRecord;
  task: TaskRecord;
  run: RunRecord;
  /** The idempotency key had been used for the same request: this is what it made. */
  reused: boolean;
  /** Stands before the task's first event. */
  cursor: string;
}

/** Asks an agent for work. Answers when it is recorded and queued; never waits for a model. */
export async function submitTask(
  deps: RuntimeDeps,
  authority: Authority,
  input: SubmitTaskInput,
): Promise<SubmittedTask> {
  requireRole(authority, "OPERATOR");
  const checked = checkFields(deps, input);
  const agent = await agentOf(deps, authority, input);
  checkAgainstAgent(deps, agent, checked.input);
  const work = newWork(deps, agent, checked);
  let outcome = await deps.storage.tasks.submit(authority, work);
  if (outcome.outcome === "agentNotFound") {
    // The registry knows it and the project does not yet: its row appears with its first run.
    await registerAgent(deps, authority.projectId, agent, await drawAgent(deps, agent));
    outcome = await deps.storage.tasks.submit(authority, work);
  }
  return accepted(outcome, agent.name);
}

/** A task's input after every field of it was looked at. */
export type CheckedTask = ReturnType<typeof checkFields>;

function checkFields({ tunables }: RuntimeDeps, input: SubmitTaskInput) {
  const externalId = checkName("externalId", input.externalId);
  if (input.sessionId != null && externalId !== null)
    throw invalid("externalId", "name the session by sessionId or by externalId, not by both");
  return {
    sessionId: input.sessionId ?? null,
    externalId,
    input: checkJson("input", input.input, tunables.maxInputBytes),
    idempotencyKey: checkName("idempotencyKey", input.idempotencyKey),
    busyPolicy: input.busyPolicy ?? null,
    metadata: checkMetadata("metadata", input.metadata, tunables.maxMetadataBytes),
    traceId: input.traceId ?? null,
    isDraft: input.draft != null,
  };
}

async function agentOf(deps: RuntimeDeps, authority: Authority, input: SubmitTaskInput): Promise<ResolvedAgent> {
  const name = await agentNameOf(deps, authority, input);
  return input.draft == null
    ? resolveAgent(deps, authority, name)
    : resolveDraft(deps, authority, { name, draft: input.draft });
}

async function agentNameOf(deps: RuntimeDeps, authority: Authority, input: SubmitTaskInput): Promise<string> {
  if (input.agent != null) return input.agent;
  if (input.sessionId == null) throw invalid("agent", "name the agent that should do it, or the session to do it in");
  const session = await deps.storage.sessions.get(authority, input.sessionId);
  if (session === null) throw notFound("Session");
  return session.agentName;
}

/** Refuses input that the agent does not take, naming its fields. */
export function checkAgainstAgent({ tunables }: RuntimeDeps, agent: ResolvedAgent, input: unknown): void {
  if (agent.inputSchema !== null) {
    const issues = schemaIssues(agent.inputSchema, input, "input");
    if (issues.length > 0) throw invalidFields(issues);
  }
  const text = userTextOf(input);
  if (text !== null) checkMessage("input.messages", text, tunables.maxMessageBytes);
  else if (agent.definition !== null && agent.inputSchema === null)
    throw invalid("input.messages", 'this agent takes {"messages": [{"role": "user", "content": "…"}]}');
}

/** Work for an agent, with everything resolved and every id given. */
export function newWork(deps: RuntimeDeps, agent: ResolvedAgent, checked: CheckedTask): NewWork {
  const { sessionId, externalId, input, metadata, busyPolicy } = checked;
  const taskId = deps.newId();
  const create = () => ({ id: deps.newId(), threadId: deps.newId(), title: null, metadata: {} });
  const text = userTextOf(input);
  const tried = checked.isDraft ? { draft: agent.manifest.digest } : {};
  return {
    session:
      sessionId !== null
        ? { by: "id", id: sessionId }
        : externalId !== null
          ? { by: "externalId", externalId, create: create() }
          : { by: "new", create: create() },
    agentName: agent.name,
    task: {
      id: taskId,
      input,
      idempotencyKey: checked.idempotencyKey,
      requestFingerprint: digestOf({ sessionId, externalId, agent: agent.name, input, metadata, busyPolicy, ...tried }),
      metadata,
    },
    run: {
      id: deps.newId(),
      manifest: agent.manifest,
      manifestDigest: agent.manifestDigest,
      busyPolicy: busyPolicy ?? agent.busyPolicy,
      traceId: checked.traceId,
    },
    // The message has its task's id: one turn, one message. See messageIdOf.
    message: text === null ? null : { id: taskId, content: text },
    at: deps.clock.now(),
  };
}

function accepted(outcome: SubmitOutcome, agentName: string): SubmittedTask {
  switch (outcome.outcome) {
    case "submitted":
    case "reused": {
      const { session, task, run, sequenceBefore } = outcome;
      const cursor = eventCursor(session.id, sequenceBefore);
      return { session, task, run, reused: outcome.outcome === "reused", cursor };
    }
    case "idempotencyConflict":
      throw new Refusal("IDEMPOTENCY_CONFLICT", "Another request was made with this idempotency key", {
        detail: { taskId: outcome.taskId },
      });
    case "busy":
      throw new Refusal("BUSY", "The session is busy with another run; wait, cancel it, or use another busy policy", {
        detail: { runId: outcome.activeRunId, taskId: outcome.activeTaskId },
      });
    case "agentMismatch":
      throw invalid("agent", `the session belongs to the agent ${JSON.stringify(outcome.agentName)}`);
    case "agentNotFound":
      throw new Refusal("AGENT_NOT_FOUND", `There is no agent named ${JSON.stringify(agentName)}`);
    case "expired":
      throw new Refusal("SESSION_EXPIRED", "The session has expired and takes no new work; begin another one");
    case "notFound":
      throw notFound("Session");
  }
}
