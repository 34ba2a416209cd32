import { type Authority, notFound } from "@wheelhouse/domain";
import type { SessionRecord } from "@wheelhouse/storage";
import { checkMetadata, checkName, requireRole } from "./check-input.ts";
import type { RuntimeDeps } from "./deps.ts";

export interface UpdateSessionInput {
  sessionId: string;
  /** Null or blank takes the title away; undefined leaves it. */
  title?: string | null | undefined;
  /** Replaces the whole object; null empties it, undefined leaves it. */
  metadata?: unknown;
}

/** Changes what people wrote on a session. Its scope, agent and history are not theirs to change. */
export async function updateSession(
  deps: Pick<RuntimeDeps, "storage" | "clock" | "tunables">,
  authority: Authority,
  input: UpdateSessionInput,
): Promise<SessionRecord> {
  requireRole(authority, "OPERATOR");
  const { title, metadata } = input;
  const session = await deps.storage.sessions.update(authority, input.sessionId, {
    ...(title === undefined ? {} : { title: title?.trim() ? checkName("title", title) : null }),
    ...(metadata === undefined
      ? {}
      : { metadata: checkMetadata("metadata", metadata, deps.tunables.maxMetadataBytes) }),
    at: deps.clock.now(),
  });
  if (session === null) throw notFound("Session");
  return session;
}
