import type { ConversationHead } from "@wheelhouse/storage";
import type { RuntimeDeps } from "./deps.ts";

/** The checkpoint at which a conversation stands; null before the first one. */
export async function whereItStands(
  deps: Pick<RuntimeDeps, "graphs">,
  threadId: string,
  head: ConversationHead,
): Promise<string | null> {
  if ("at" in head) return head.at;
  const { runId, checkpointBefore } = head.after;
  return (await deps.graphs.lastCheckpoint(threadId, runId)) ?? checkpointBefore;
}
