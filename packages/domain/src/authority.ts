import type { EventVisibility } from "./event.ts";
import type { Scope } from "./scope.ts";
import type { Role } from "./status.ts";

/** Who is asking, for the audit and for `decidedBy`. */
export interface Actor {
  kind: "USER" | "API_KEY" | "SYSTEM";
  id: string;
  name: string;
}

/**
 * What a caller may reach. `EXACT` sees one scope and nothing beside it; `PROJECT` sees every scope of one project.
 * Sessions that a project-reach caller creates get `scope`, which for them is `{project: <slug>}`.
 */
export interface Authority {
  projectId: string;
  reach: "EXACT" | "PROJECT";
  scope: Scope;
  /** SHA-256 hex of the canonical scope; see `scopeKey`. */
  scopeKey: string;
  role: Role;
  /** The event visibilities that this caller reads. */
  visibilities: readonly EventVisibility[];
  actor: Actor;
}
