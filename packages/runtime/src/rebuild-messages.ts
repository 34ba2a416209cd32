import { type Authority, notFound } from "@wheelhouse/domain";
import type { RebuildOutcome } from "@wheelhouse/storage";
import { requireRole } from "./check-input.ts";
import { whereItStands } from "./conversation-head.ts";
import type { RuntimeDeps } from "./deps.ts";
import { rowIds } from "./message-ids.ts";
import { toldAtOnce } from "./reconcile-run.ts";

/** Sessions looked up at once. */
const pageSize = 100;

export interface RebuildMessagesInput {
  /** One conversation; every one that the caller reaches when absent. */
  sessionId?: string | null | undefined;
  /** Only say what would be done. */
  dryRun?: boolean | undefined;
}

/** `empty`: there is no checkpoint, or none with messages, so the transcript is left as it is. */
export type RebuiltSession = { sessionId: string } & (RebuildOutcome | { outcome: "empty" });

type RebuildDeps = Pick<RuntimeDeps, "storage" | "graphs" | "clock">;

/**
 * Makes transcripts say what the checkpoints say, conversation by conversation: each is one transaction, and one in which a
 * run is at work is passed over. May be repeated at any time.
 */
export async function* rebuildMessages(
  deps: RebuildDeps,
  authority: Authority,
  { sessionId, dryRun = false }: RebuildMessagesInput,
): AsyncGenerator<RebuiltSession, void, undefined> {
  requireRole(authority, "OPERATOR");
  const only = sessionId ?? null;
  let after: string | null = null;
  for (;;) {
    const page: { id: string; lastRunId: string | null }[] = await deps.storage.sessions.page(authority, {
      ...{ after, limit: pageSize, only },
    });
    if (only !== null && page.length === 0) throw notFound("Session");
    for (const { id, lastRunId } of page) yield await rebuildSession(deps, authority, { id, lastRunId, dryRun });
    after = page.at(-1)?.id ?? null;
    if (page.length < pageSize) return;
  }
}

async function rebuildSession(
  deps: RebuildDeps,
  authority: Authority,
  { id: sessionId, lastRunId, dryRun }: { id: string; lastRunId: string | null; dryRun: boolean },
): Promise<RebuiltSession> {
  const session = await deps.storage.sessions.get(authority, sessionId);
  const [stands, run] = await Promise.all([
    deps.storage.sessions.head(authority, sessionId),
    lastRunId === null ? null : deps.storage.runs.get(authority, lastRunId),
  ]);
  if (session === null || stands === null) return { sessionId, outcome: "notFound" };
  const checkpointId = await whereItStands(deps, stands.threadId, stands.head);
  if (run === null || checkpointId === null) return { sessionId, outcome: "empty" };
  const checkpointed = await deps.graphs.threadMessages(run.manifest, stands.threadId, checkpointId);
  if (checkpointed.length === 0) return { sessionId, outcome: "empty" };
  const at = deps.clock.now();
  const ids = rowIds(sessionId, "");
  const messages = checkpointed
    .map(ids.message)
    .map((write) => ({ write, events: toldAtOnce(write, at, { recovered: true }) }));
  const { lastSequence } = session;
  const rebuild = { sessionId, lastSequence, messages, dryRun, at };
  return { sessionId, ...(await deps.storage.messages.rebuild(authority, rebuild)) };
}
