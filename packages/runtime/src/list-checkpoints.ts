import { type Authority, decodeCursor, encodeCursor, notFound, Refusal } from "@wheelhouse/domain";
import { whereItStands } from "./conversation-head.ts";
import type { RuntimeDeps } from "./deps.ts";
import type { CheckpointSummary } from "./graph-host.ts";

export interface ListCheckpointsInput {
  sessionId: string;
  /** Rows of the page. */
  first: number;
  after?: string | null | undefined;
}

/** A checkpoint as its session sees it. */
export interface ListedCheckpoint extends CheckpointSummary {
  sessionId: string;
  /** The conversation went through it; the others belong to turns that were taken back or tried again. */
  inConversation: boolean;
}

export interface CheckpointPage {
  checkpoints: { checkpoint: ListedCheckpoint; cursor: string }[];
  hasNextPage: boolean;
}

/** A page of a session's checkpoints, newest first. */
export async function listCheckpoints(
  deps: Pick<RuntimeDeps, "storage" | "graphs">,
  authority: Authority,
  { sessionId, first, after }: ListCheckpointsInput,
): Promise<CheckpointPage> {
  const before = after == null ? null : idOfCursor(sessionId, after);
  const stands = await deps.storage.sessions.head(authority, sessionId);
  if (stands === null) throw notFound("Session");
  const { threadId, head } = stands;
  const [found, lineage] = await Promise.all([
    deps.graphs.checkpoints(threadId, { before, limit: first + 1 }),
    whereItStands(deps, threadId, head).then((id) =>
      id === null ? new Set<string>() : deps.graphs.lineage(threadId, id),
    ),
  ]);
  return {
    checkpoints: found.slice(0, first).map((summary) => ({
      checkpoint: { ...summary, sessionId, inConversation: lineage.has(summary.id) },
      cursor: encodeCursor(listOf(sessionId), [summary.id]),
    })),
    hasNextPage: found.length > first,
  };
}

const listOf = (sessionId: string): string => `checkpoints:${sessionId}`;

function idOfCursor(sessionId: string, cursor: string): string {
  const [id] = decodeCursor(listOf(sessionId), cursor);
  if (typeof id !== "string") throw new Refusal("INVALID_CURSOR", "The cursor is malformed");
  return id;
}
