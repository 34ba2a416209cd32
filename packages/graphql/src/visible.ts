import type { Authority } from "@wheelhouse/domain";
import { scopeKeyOf } from "@wheelhouse/domain/digest";

/** The rows of a table with its own scope key that the caller may read. */
export const visible = (authority: Authority): { projectId: string; scopeKey?: string } =>
  authority.reach === "EXACT"
    ? { projectId: authority.projectId, scopeKey: authority.scopeKey }
    : { projectId: authority.projectId };

/** The rows of a table without a scope key of its own: they belong to a session. */
export const visibleThroughSession = (
  authority: Authority,
): { projectId: string; session?: { scopeKey: string } } =>
  authority.reach === "EXACT"
    ? { projectId: authority.projectId, session: { scopeKey: authority.scopeKey } }
    : { projectId: authority.projectId };

/** Agents: those of the caller's own scope and the project's shared ones, which stand at the project's scope. */
export const visibleAgents = (authority: Authority): { projectId: string; scopeKey?: { in: string[] } } =>
  authority.reach === "EXACT"
    ? {
        projectId: authority.projectId,
        scopeKey: { in: [authority.scopeKey, scopeKeyOf({ project: authority.scope.project ?? "" })] },
      }
    : { projectId: authority.projectId };
