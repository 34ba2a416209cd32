import { type EventVisibility, Refusal, type Role, Role as RoleWord, type Scope } from "@wheelhouse/domain";
import { scopeKeyOf } from "@wheelhouse/domain/digest";
import type { Caller } from "@wheelhouse/graphql";
import type { AccessStore, ApiKeyRecord } from "@wheelhouse/storage";
import { hasHash, prefixOf } from "./api-key.ts";

export interface SignedInUser {
  id: string;
  name: string;
  email: string;
  isAdmin: boolean;
}

export interface AuthenticateDeps {
  access: AccessStore;
  /** Who the session cookie belongs to; null when there is none or it is no longer good. */
  userOf: (headers: Headers) => Promise<SignedInUser | null>;
  /** The keys that a complete scope has. */
  scopeKeys: readonly string[];
  now: () => Date;
}

const scopeHeader = "x-wheelhouse-scope-";

/**
 * Who sends a request with these headers: a bearer API key, else a session cookie; null when neither is there.
 * Credentials that are there and not good are refused.
 */
export async function authenticate(deps: AuthenticateDeps, headers: Headers): Promise<Caller | null> {
  const authorization = headers.get("authorization");
  if (authorization !== null) return authenticateKey(deps, authorization, headers);
  const user = await deps.userOf(headers);
  return user === null ? null : authenticateUser(deps, user, headers.get("x-wheelhouse-project"));
}

const badKey = (): Refusal => new Refusal("UNAUTHENTICATED", "The API key is not valid, has expired or was revoked");

async function authenticateKey(deps: AuthenticateDeps, authorization: string, headers: Headers): Promise<Caller> {
  const key = /^Bearer\s+(\S+)$/i.exec(authorization)?.[1];
  const prefix = key === undefined ? null : prefixOf(key);
  if (key === undefined || prefix === null) throw badKey();
  const record = await deps.access.apiKeyByPrefix(prefix);
  const now = deps.now();
  if (record === null || !hasHash(key, record.secretHash)) throw badKey();
  if (record.revokedAt !== null || (record.expiresAt !== null && record.expiresAt <= now)) throw badKey();
  await touch(deps, record.id, now);
  const scope = record.reach === "PROJECT" ? projectScope(record, headers) : exactScope(deps, record, headers);
  const visibilities: EventVisibility[] =
    record.reach === "PROJECT" || record.permissions.includes("operator-events")
      ? ["END_USER", "OPERATOR"]
      : ["END_USER"];
  return {
    authority: {
      projectId: record.projectId,
      reach: record.reach,
      scope,
      scopeKey: scopeKeyOf(scope),
      role: record.permissions.includes("write") ? "EDITOR" : "VIEWER",
      visibilities,
      actor: { kind: "API_KEY", id: record.id, name: record.name },
    },
    email: null,
    isAdmin: false,
    projectIds: [record.projectId],
  };
}

/** How often a key's last use is written down, milliseconds. */
const touchEveryMs = 60_000;
const touched = new WeakMap<AccessStore, Map<string, number>>();

async function touch({ access }: AuthenticateDeps, keyId: string, now: Date): Promise<void> {
  const known = touched.get(access) ?? new Map<string, number>();
  touched.set(access, known);
  if (now.getTime() - (known.get(keyId) ?? 0) < touchEveryMs) return;
  known.set(keyId, now.getTime());
  await access.touchApiKey(keyId, now);
}

function scopeHeaders(headers: Headers): [key: string, value: string][] {
  return [...headers]
    .filter(([name]) => name.startsWith(scopeHeader))
    .map(([name, value]) => [name.slice(scopeHeader.length).replaceAll("-", "_"), value]);
}

function projectScope(record: ApiKeyRecord, headers: Headers): Scope {
  if (scopeHeaders(headers).length > 0)
    throw new Refusal("FORBIDDEN", "This key reaches the whole project; scope headers belong to keys of exact reach");
  return { project: record.projectSlug };
}

/** The complete scope: what the key fixes, and the rest from headers that only a gateway's key may send. */
function exactScope(deps: AuthenticateDeps, record: ApiKeyRecord, headers: Headers): Scope {
  const scope: Scope = { ...record.fixedScope, project: record.projectSlug };
  const given = scopeHeaders(headers);
  if (given.length > 0 && !record.permissions.includes("gateway"))
    throw new Refusal("FORBIDDEN", "This key lacks the permission gateway: it may not name a scope in headers");
  for (const [key, value] of given) {
    if (!deps.scopeKeys.includes(key))
      throw new Refusal("FORBIDDEN", `The scope key ${key} is not declared in WHEELHOUSE_SCOPE_KEYS`);
    if (scope[key] !== undefined && scope[key] !== value)
      throw new Refusal("FORBIDDEN", `The key fixes the scope key ${key}; a header may not change it`);
    if (value.length > 500) throw new Refusal("INVALID_INPUT", `The scope key ${key} has more than 500 characters`);
    if (value !== "") scope[key] = value;
  }
  const missing = deps.scopeKeys.filter((key) => scope[key] === undefined);
  if (missing.length > 0)
    throw new Refusal("SCOPE_REQUIRED", `The request's scope lacks ${missing.join(", ")}`, {
      issues: missing.map((key) => ({
        path: `${scopeHeader}${key.replaceAll("_", "-")}`,
        message: "name it in this header",
      })),
    });
  return scope;
}

const visibilitiesOf = (role: Role): EventVisibility[] =>
  role === "OWNER" ? ["END_USER", "OPERATOR", "INTERNAL"] : ["END_USER", "OPERATOR"];

/** A member of projects: in the one the header names, else in the first. */
async function authenticateUser(deps: AuthenticateDeps, user: SignedInUser, slug: string | null): Promise<Caller> {
  const memberships = await deps.access.membershipsOf(user.id);
  const chosen = slug === null ? memberships[0] : memberships.find(({ project }) => project.slug === slug);
  if (chosen === undefined)
    throw slug === null
      ? new Refusal("FORBIDDEN", "You are not a member of any project; ask an owner to add you")
      : new Refusal("NOT_FOUND", "Project not found");
  const role = RoleWord.parse(chosen.role);
  const scope: Scope = { project: chosen.project.slug };
  return {
    authority: {
      projectId: chosen.project.id,
      reach: "PROJECT",
      scope,
      scopeKey: scopeKeyOf(scope),
      role,
      visibilities: visibilitiesOf(role),
      actor: { kind: "USER", id: user.id, name: user.name },
    },
    email: user.email,
    isAdmin: user.isAdmin,
    projectIds: memberships.map(({ project }) => project.id),
  };
}
