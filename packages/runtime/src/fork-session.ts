import { type Authority, invalid, type NewEvent, notFound, Refusal } from "@wheelhouse/domain";
import type { ResolvedAgent } from "@wheelhouse/registry";
import type { ForkOutcome, MessageWrite, NewWork, RunRecord, SessionRecord, TaskRecord } from "@wheelhouse/storage";
import { checkJson, checkName, isObject, requireRole } from "./check-input.ts";
import type { RuntimeDeps } from "./deps.ts";
import { messageRowId } from "./message-ids.ts";
import type { PeriodicWork } from "./periodic-work.ts";
import { toldAtOnce } from "./reconcile-run.ts";
import { resolveAgent } from "./resolve-agent.ts";
import { checkAgainstAgent, newWork } from "./submit-task.ts";

export interface ForkSessionInput {
  sessionId: string;
  checkpointId: string;
  /** What to do in the fork at once. */
  input?: unknown;
  /** Values to change first, as if a node had returned them. */
  statePatch?: unknown;
  /** The revision of the agent to go on with; the current one when absent. */
  agentRevision?: number | null | undefined;
  title?: string | null | undefined;
  /** W3C trace id of the request, 32 hex digits. */
  traceId?: string | null | undefined;
}

export interface ForkedSession {
  session: SessionRecord;
  task: TaskRecord | null;
  run: RunRecord | null;
}

/**
 * Begins another conversation with what was said up to a checkpoint. The thread is copied before the session is there, so
 * a fork that dies in the middle leaves nothing to be seen; `clearForks` clears its thread away.
 */
export async function forkSession(
  deps: RuntimeDeps,
  authority: Authority,
  input: ForkSessionInput,
): Promise<ForkedSession> {
  requireRole(authority, "OPERATOR");
  const checked = checkFork(deps, input);
  const [forkId, threadId, sessionId] = [deps.newId(), deps.newId(), deps.newId()];
  const announced = { sourceId: input.sessionId, forkId, threadId, at: deps.clock.now() };
  const source = await deps.storage.sessions.announceFork(authority, announced);
  if (source === null) throw notFound("Session");
  try {
    return await copyAndFork(deps, authority, { input, checked, source, forkId, threadId, sessionId });
  } catch (error) {
    await clear(deps, { forkId, threadId });
    throw error;
  }
}

interface Fork {
  input: ForkSessionInput;
  checked: ReturnType<typeof checkFork>;
  source: SessionRecord;
  forkId: string;
  threadId: string;
  sessionId: string;
}

async function copyAndFork(
  deps: RuntimeDeps,
  authority: Authority,
  { input, checked, source, forkId, threadId, sessionId }: Fork,
): Promise<ForkedSession> {
  const { sessionId: sourceId, checkpointId } = input;
  const agent = await agentFor(deps, authority, source, input.agentRevision ?? null);
  if (checked.input !== undefined) checkAgainstAgent(deps, agent, checked.input);
  if (!(await deps.graphs.copyThread(source.threadId, threadId, checkpointId))) throw notFound("Checkpoint");
  const headCheckpoint =
    checked.patch === null
      ? checkpointId
      : await deps.graphs.patchState(agent.manifest, { threadId, checkpointId, patch: checked.patch });
  const at = deps.clock.now();
  const kept = await deps.graphs.threadMessages(agent.manifest, threadId, headCheckpoint);
  const messages = kept.map((message) => ({
    ...message,
    id: messageRowId(sessionId, "", message.langgraphMessageId),
  }));
  const work = workIn(deps, agent, checked, input.traceId ?? null);
  const outcome = await deps.storage.sessions.fork(authority, {
    ...{ forkId, sourceId, checkpointId, headCheckpoint, messages, work, at },
    session: { id: sessionId, threadId, title: checked.title, metadata: {} },
    events: messages.flatMap((message) => toldInCopy(message, at)),
  });
  return forked(outcome);
}

function checkFork({ tunables }: RuntimeDeps, input: ForkSessionInput) {
  const patch = input.statePatch == null ? null : checkJson("statePatch", input.statePatch, tunables.maxInputBytes);
  if (patch !== null && !isObject(patch)) throw invalid("statePatch", "must be an object of values by channel");
  return {
    patch,
    input: input.input == null ? undefined : checkJson("input", input.input, tunables.maxInputBytes),
    title: checkName("title", input.title),
  };
}

async function agentFor(
  deps: RuntimeDeps,
  authority: Authority,
  source: SessionRecord,
  revision: number | null,
): Promise<ResolvedAgent> {
  const agent = await resolveAgent(deps, { ...authority, scope: source.scope }, source.agentName);
  if (revision !== null && agent.manifest.revision !== revision)
    throw invalid("agentRevision", `is not known; the agent has revision ${agent.manifest.revision ?? "none"} now`);
  return agent;
}

function workIn(
  deps: RuntimeDeps,
  agent: ResolvedAgent,
  { input }: { input: unknown },
  traceId: string | null,
): NewWork | null {
  if (input === undefined) return null;
  const task = { input, idempotencyKey: null, busyPolicy: null, metadata: {}, traceId, isDraft: false };
  return newWork(deps, agent, { ...task, sessionId: null, externalId: null });
}

/** A message of a copied conversation, as its own log tells it. */
function toldInCopy(message: MessageWrite, at: Date): NewEvent[] {
  const { id: messageId, role, content: text } = message;
  return role === "USER"
    ? [{ type: "message.user", payload: { messageId, role, text, copied: true }, visibility: "END_USER", at }]
    : toldAtOnce(message, at, { copied: true });
}

function forked(outcome: ForkOutcome): ForkedSession {
  switch (outcome.outcome) {
    case "forked":
      return { session: outcome.session, task: outcome.work?.task ?? null, run: outcome.work?.run ?? null };
    case "abandoned":
      throw new Refusal("BUSY", "Copying the conversation took too long; try again");
    case "notFound":
      throw notFound("Session");
  }
}

/** At once where that is possible; else `clearForks` does it. */
async function clear(deps: RuntimeDeps, { forkId, threadId }: { forkId: string; threadId: string }): Promise<void> {
  try {
    await deps.graphs.deleteThread(threadId);
    await deps.storage.sessions.forgetFork(forkId);
  } catch (error) {
    deps.log.warn({ err: error, threadId }, "could not clear a failed fork away; it is tried again");
  }
}

/** A fork that has not ended by then came to nothing. */
const forkMs = 600_000;
const batch = 50;

/** Clears away the threads of forks that died in the middle. */
export const clearForks: PeriodicWork = {
  name: "clear abandoned forks",
  everyMs: 60_000,
  async sweep({ storage, graphs, clock }, signal) {
    const at = clock.now();
    const before = new Date(at.getTime() - forkMs);
    for (const { forkId, threadId } of await storage.sessions.abandonForks({ before, limit: batch, at })) {
      if (signal.aborted) return;
      await graphs.deleteThread(threadId);
      await storage.sessions.forgetFork(forkId);
    }
  },
};
