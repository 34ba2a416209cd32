import { type ByteStream, bytesOf, type PublishedVersion, publishVersion } from "@wheelhouse/artifacts";
import {
  type ArtifactKind,
  type Authority,
  artifactPlace,
  artifactRoutes,
  type EventVisibility,
  invalid,
  Refusal,
} from "@wheelhouse/domain";
import type { Fence } from "@wheelhouse/storage";
import { placedAuthority, requireArtifactRole } from "./artifact-access.ts";
import type { RuntimeDeps } from "./deps.ts";

export interface PutArtifactInput {
  /** The virtual path; one without a route lies in that of `kind`. */
  path: string;
  kind?: ArtifactKind | null | undefined;
  /** The body: exactly one of the three. */
  text?: string | null | undefined;
  base64?: string | null | undefined;
  body?: ByteStream | undefined;
  /** Bytes of `body`, when its sender says so. */
  bytes?: number | null | undefined;
  /** The checksum that the body must have, lower-case hex. */
  sha256?: string | null | undefined;
  contentType?: string | null | undefined;
  /** The latest version as the caller knows it; 0: there must be none. */
  expectedVersion?: number | null | undefined;
  /** Of a new artifact; by its kind when absent. */
  visibility?: EventVisibility | null | undefined;
  /** The conversation that it belongs to. */
  sessionId?: string | null | undefined;
  /** The scope to put it in, for callers with project reach. */
  scope?: unknown;
  /** What makes it, when it is not the API. */
  source?: string;
  /** The run that makes it, which must still hold its lease. */
  run?: { fence: Fence; taskId: string; checkpointId: string | null };
  signal?: AbortSignal;
}

type PutDeps = Pick<RuntimeDeps, "storage" | "bodies" | "objectKeys" | "clock" | "newId" | "artifactLimits">;

/**
 * Makes the next version of the artifact at a path. Agents do the same at their run's exact scope, with `run` and the
 * authority of its session (`authorityOfSession`).
 */
export async function putArtifact(
  deps: PutDeps,
  authority: Authority,
  input: PutArtifactInput,
): Promise<PublishedVersion> {
  requireArtifactRole(authority);
  const place = artifactPlace(input.path, input.kind);
  if (input.run !== undefined && place.kind === "POLICY")
    throw new Refusal("FORBIDDEN", "Agents read policies, and do not write them");
  const visibility = input.visibility ?? artifactRoutes[place.kind].visibility;
  if (input.visibility != null && !authority.visibilities.includes(visibility))
    throw new Refusal("FORBIDDEN", `Artifacts that are meant for ${visibility} eyes are not yours to make`);
  const sessionId = input.sessionId ?? input.run?.fence.sessionId ?? null;
  const placed = await placedAuthority(deps, authority, { sessionId, scope: input.scope });
  return await publishVersion(deps, placed.authority, {
    place,
    ...bodyOf(input),
    sha256: checkedDigest(input.sha256),
    contentType: input.contentType,
    expectedVersion: checkedVersion(input.expectedVersion),
    visibility,
    source: input.source ?? (input.run === undefined ? "api" : "run"),
    sessionId,
    run: input.run ?? null,
    signal: input.signal,
  });
}

function bodyOf({ text, base64, body, bytes }: PutArtifactInput): { body: ByteStream; bytes: number | null } {
  if ([text, base64, body].filter((each) => each != null).length !== 1)
    throw invalid("text", "give the body once, as text or as base64; nothing is an empty text");
  if (body !== undefined) return { body, bytes: bytes ?? null };
  const data = text != null ? new TextEncoder().encode(text) : decoded(base64 ?? "");
  return { body: bytesOf(data), bytes: data.length };
}

function decoded(base64: string): Uint8Array {
  // Buffer passes over what is no Base64, and would store something else than was meant.
  if (base64.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(base64))
    throw invalid("base64", "must be Base64 with its padding");
  return Uint8Array.from(Buffer.from(base64, "base64"));
}

function checkedDigest(sha256: string | null | undefined): string | undefined {
  if (sha256 == null) return undefined;
  if (!/^[0-9a-f]{64}$/.test(sha256)) throw invalid("sha256", "must be 64 lower-case hexadecimal digits");
  return sha256;
}

/** An expected version as it may be given: 0 for none. */
export function checkedVersion(version: number | null | undefined): number | null {
  if (version == null) return null;
  if (!Number.isSafeInteger(version) || version < 0)
    throw invalid("expectedVersion", "must be 0 or a version's number");
  return version;
}
