import { type Authority, notFound } from "@wheelhouse/domain";
import { whereItStands } from "./conversation-head.ts";
import type { RuntimeDeps } from "./deps.ts";
import type { GraphState } from "./graph-host.ts";

export interface ReadStateInput {
  sessionId: string;
  /** Where the conversation stands now when absent. */
  checkpointId?: string | null | undefined;
}

/** The values of a session's graph at a checkpoint; null when it has no such checkpoint. */
export async function readState(
  deps: Pick<RuntimeDeps, "storage" | "graphs">,
  authority: Authority,
  { sessionId, checkpointId }: ReadStateInput,
): Promise<GraphState | null> {
  const stands = await deps.storage.sessions.head(authority, sessionId);
  if (stands === null) throw notFound("Session");
  const { threadId, head } = stands;
  const id = checkpointId ?? (await whereItStands(deps, threadId, head));
  return id === null ? null : await deps.graphs.state(threadId, id);
}
