import { type ArtifactDeps, BodyStoreError, storeRefusal } from "@wheelhouse/artifacts";
import { type Authority, artifactPlace, eventVisibilities, invalid, notFound, Refusal } from "@wheelhouse/domain";
import { scopeKeyOf } from "@wheelhouse/domain/digest";
import type { FoundVersion, SessionRecord, Storage, WhichArtifact } from "@wheelhouse/storage";
import { requireRole, scopeWithin } from "./check-input.ts";

/** Which artifact a caller means: by its id, or by its path in the caller's scope. */
export interface ArtifactChoice {
  id?: string | null | undefined;
  path?: string | null | undefined;
}

export function whichArtifact({ id, path }: ArtifactChoice): WhichArtifact {
  if (id != null) return { id };
  if (path != null) return { path: artifactPlace(path).path };
  throw invalid("id", "give an id or a path");
}

/** Refuses callers who may not change artifacts: people need to be editors, applications a key that writes. */
export function requireArtifactRole(authority: Authority): void {
  requireRole(authority, authority.actor.kind === "USER" ? "EDITOR" : "OPERATOR");
}

/** The version a caller means, or the refusal that there is none. */
export async function findVersion(
  { storage }: Pick<ArtifactDeps, "storage">,
  authority: Authority,
  which: WhichArtifact,
  version?: number | null,
): Promise<FoundVersion> {
  if (version != null && (!Number.isSafeInteger(version) || version < 1 || version > 0x7fffffff))
    throw notFound("Version");
  const found = await storage.artifacts.find(authority, which, version ?? null);
  if (found === null) throw notFound(version == null ? "Artifact" : "Version");
  return found;
}

/** Where something new is put: a caller with project reach may name a scope of the project, or a conversation of one. */
export async function placedAuthority(
  { storage }: { storage: Pick<Storage, "sessions"> },
  authority: Authority,
  { sessionId, scope }: { sessionId?: string | null | undefined; scope?: unknown },
): Promise<{ authority: Authority; session: SessionRecord | null }> {
  const session = sessionId == null ? null : await storage.sessions.get(authority, sessionId);
  if (sessionId != null && session === null) throw notFound("Session");
  const wanted = scope == null ? null : scopeWithin(authority, scope);
  if (session !== null && wanted !== null && scopeKeyOf(wanted) !== session.scopeKey)
    throw invalid("scope", "the session is of another scope");
  if (authority.reach === "EXACT" && wanted !== null && scopeKeyOf(wanted) !== authority.scopeKey)
    throw new Refusal("FORBIDDEN", "A key of exact reach puts things into its own scope only");
  const chosen = session?.scope ?? wanted ?? authority.scope;
  return { authority: { ...authority, scope: chosen, scopeKey: scopeKeyOf(chosen) }, session };
}

/** Does something with a body; what its store could not do becomes a refusal. */
export async function withBodies<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof BodyStoreError ? storeRefusal(error) : error;
  }
}

/** Who works for a conversation: exactly its scope, all its events, and the rights of an application. */
export const authorityOfSession = (
  { projectId, scope, scopeKey }: Pick<SessionRecord, "projectId" | "scope" | "scopeKey">,
  runId: string,
): Authority => ({
  ...{ projectId, reach: "EXACT", scope, scopeKey, role: "OPERATOR", visibilities: eventVisibilities },
  actor: { kind: "SYSTEM", id: runId, name: "run" },
});
