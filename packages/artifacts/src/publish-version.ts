import {
  type ArtifactPlace,
  type Authority,
  type Clock,
  type EventVisibility,
  type NewId,
  notFound,
  Refusal,
} from "@wheelhouse/domain";
import { sha256 as sha256Of } from "@wheelhouse/domain/digest";
import type { ArtifactRecord, Fence, NewArtifactVersion, PublishOutcome, Storage } from "@wheelhouse/storage";
import { type BodyStore, BodyStoreError, type ByteStream, type StoredBody } from "./body-store.ts";
import { contentTypeOf, sniffedBytes } from "./content-type.ts";
import { ChecksumMismatch, concatenated } from "./measure.ts";
import type { ObjectKeys } from "./object-keys.ts";
import { verifyStored } from "./verify-stored.ts";

export interface ArtifactLimits {
  /** Bodies up to this size lie in the manifest's row where the database keeps them, bytes. */
  inlineBytes: number;
  /** Longest body, bytes. */
  maxBytes: number;
  /** What one project may keep in all, bytes; null for no limit. */
  quotaBytes: number | null;
}

/** What publishing and reading are given. */
export interface ArtifactDeps {
  storage: Pick<Storage, "artifacts">;
  bodies: BodyStore;
  objectKeys: ObjectKeys;
  clock: Clock;
  newId: NewId;
  artifactLimits: ArtifactLimits;
}

export interface PublishRequest {
  place: ArtifactPlace;
  body: ByteStream;
  /** Bytes of the body, when its sender says so. */
  bytes?: number | null | undefined;
  /** The checksum that the body must have. */
  sha256?: string | undefined;
  /** Found out when absent. */
  contentType?: string | null | undefined;
  /** The latest version as the caller knows it, 0 for none; null takes whatever it is. */
  expectedVersion: number | null;
  visibility: EventVisibility;
  source: string;
  sessionId: string | null;
  /** Of the run that makes it. */
  run: { fence: Fence; taskId: string; checkpointId: string | null } | null;
  signal?: AbortSignal | undefined;
}

export interface PublishedVersion {
  artifact: ArtifactRecord;
  version: number;
}

/** So many others may be faster before something must be wrong. */
const maxRaces = 200;

/**
 * Makes the next version of an artifact: the body is written under its final key, verified, and then named by the
 * manifest in one transaction. Killed anywhere on the way, the version before is whole; a body that nobody names is
 * swept later.
 */
export async function publishVersion(
  deps: ArtifactDeps,
  authority: Authority,
  request: PublishRequest,
): Promise<PublishedVersion> {
  const basis = await currentBasis(deps, authority, request);
  const { head, body } = await peek(limited(request.body, deps.artifactLimits.maxBytes), sniffedBytes);
  const contentType = contentTypeOf({ declared: request.contentType, name: request.place.name, head });
  const written = await writeBody(deps, authority, { ...request, body }, { basis, contentType });
  return await commit(deps, authority, request, { ...written, contentType });
}

type Basis = NewArtifactVersion["basis"];

/** What the key is made for; refuses early what the manifest would refuse in the end. */
async function currentBasis(deps: ArtifactDeps, authority: Authority, request: PublishRequest): Promise<Basis> {
  const { maxBytes, quotaBytes } = deps.artifactLimits;
  const bytes = request.bytes ?? 0;
  if (bytes > maxBytes) throw tooLarge(maxBytes);
  const found = await deps.storage.artifacts.find(authority, { path: request.place.path });
  const latest = found?.artifact.latestVersion ?? 0;
  if (request.expectedVersion !== null && request.expectedVersion !== latest)
    throw conflict(found?.artifact ?? null, request.expectedVersion);
  if (quotaBytes !== null && (await deps.storage.artifacts.usedBytes(authority)) + bytes > quotaBytes)
    throw quotaExceeded(quotaBytes);
  return { artifactId: found?.artifact.id ?? deps.newId(), version: latest + 1 };
}

interface WrittenBody {
  basis: Basis;
  stored: Omit<StoredBody, "key">;
  /** Null when the body is inline. */
  key: string | null;
  inlineBody: Uint8Array | null;
}

/** Steps one and two: the body is in its store, and is what was sent. */
async function writeBody(
  deps: ArtifactDeps,
  authority: Authority,
  request: PublishRequest,
  { basis, contentType }: { basis: Basis; contentType: string },
): Promise<WrittenBody> {
  const { bodies, artifactLimits } = deps;
  const { sha256, signal, bytes } = request;
  const { kind } = request.place;
  const keyOf = (digest: string) => deps.objectKeys({ scopeKey: authority.scopeKey, kind, ...basis, sha256: digest });
  try {
    if (bodies.kind === "database") {
      const { head, body } = await peek(request.body, artifactLimits.inlineBytes + 1);
      if (head.length <= artifactLimits.inlineBytes) return { basis, key: null, ...inlineOf(head, request) };
      request = { ...request, body };
    }
    const stored = await bodies.put(request.body, keyOf, { contentType, sha256, signal });
    if (bytes != null && stored.bytes !== bytes) throw cutShort();
    await verifyStored(bodies, stored);
    return { basis, stored, key: stored.key, inlineBody: null };
  } catch (error) {
    throw writeRefusal(error);
  }
}

function inlineOf(
  body: Uint8Array,
  { bytes, sha256: declared }: PublishRequest,
): Pick<WrittenBody, "stored" | "inlineBody"> {
  const sha256 = sha256Of(body);
  if (bytes != null && body.length !== bytes) throw cutShort();
  if (declared !== undefined && declared !== sha256) throw new ChecksumMismatch();
  return { stored: { bytes: body.length, sha256, parts: null }, inlineBody: body };
}

/** Step three. Who loses a race makes the key anew for what is true now, and tries again. */
async function commit(
  deps: ArtifactDeps,
  authority: Authority,
  request: PublishRequest,
  written: WrittenBody & { contentType: string },
): Promise<PublishedVersion> {
  let { basis, key } = written;
  for (let race = 0; race < maxRaces; race++) {
    const input = manifestOf(deps, authority, request, { ...written, basis, key });
    const outcome = await deps.storage.artifacts.publish(authority, input);
    if (outcome.outcome === "published") return outcome;
    if (outcome.outcome !== "moved") throw refusalOf(outcome, request, deps.artifactLimits);
    basis = outcome.basis;
    if (key === null) continue;
    const { kind } = request.place;
    const next = deps.objectKeys({ scopeKey: authority.scopeKey, kind, ...basis, sha256: written.stored.sha256 });
    try {
      await deps.bodies.copy(key, next);
      await verifyStored(deps.bodies, { ...written.stored, key: next, parts: null });
    } catch (error) {
      throw writeRefusal(error);
    }
    key = next;
  }
  throw conflict(null, null);
}

function manifestOf(
  deps: ArtifactDeps,
  authority: Authority,
  request: PublishRequest,
  { basis, key, stored, contentType, inlineBody }: WrittenBody & { contentType: string },
): NewArtifactVersion {
  const { place, run, expectedVersion, visibility, source, sessionId } = request;
  return {
    basis,
    ...place,
    ...{ expectedVersion, visibility, source, sessionId },
    taskId: run?.taskId ?? null,
    runId: run?.fence.runId ?? null,
    checkpointId: run?.checkpointId ?? null,
    fence: run?.fence ?? null,
    version: {
      id: deps.newId(),
      contentType,
      bytes: stored.bytes,
      checksum: stored.sha256,
      bodyStore: deps.bodies.kind,
      objectKey: key,
      inlineBody,
      createdBy: `${authority.actor.kind}:${authority.actor.id}`,
    },
    quotaBytes: deps.artifactLimits.quotaBytes,
    at: deps.clock.now(),
  };
}

function refusalOf(
  outcome: Exclude<PublishOutcome, { outcome: "published" | "moved" }>,
  { expectedVersion }: PublishRequest,
  { quotaBytes }: ArtifactLimits,
): Refusal {
  switch (outcome.outcome) {
    case "conflict":
      return conflict(outcome.current, expectedVersion);
    case "quotaExceeded":
      return quotaExceeded(quotaBytes ?? 0);
    case "bodyCondemned":
      return new Refusal("STORE_UNAVAILABLE", "The body was just swept; send it again");
    case "sessionNotFound":
      return notFound("Session");
    case "notFound":
      return notFound("Artifact");
    case "fenced":
      return leaseLost();
  }
}

/** What a run is told that is not its worker's any more. */
export const leaseLost = (): Refusal =>
  new Refusal("LEASE_LOST", "The run has ended, or another worker has taken it over");

function conflict(current: ArtifactRecord | null, expected: number | null): Refusal {
  const is = current === null ? "there is no version" : `the latest version is ${current.latestVersion}`;
  const message =
    expected === null ? "Too many others publish at this path" : `Version ${expected} was expected, but ${is}`;
  return new Refusal("ARTIFACT_CONFLICT", message, { detail: current === null ? {} : { artifactId: current.id } });
}

const spell = (bytes: number): string => `${bytes.toLocaleString("en")} bytes`;

export const tooLarge = (maxBytes: number): Refusal =>
  new Refusal("TOO_LARGE", `A body must not be longer than ${spell(maxBytes)}`);

const quotaExceeded = (quotaBytes: number): Refusal =>
  new Refusal("QUOTA_EXCEEDED", `The project may keep ${spell(quotaBytes)} of artifacts; delete some first`);

const cutShort = (): Refusal =>
  new Refusal("INVALID_INPUT", "The body does not have the length that was declared for it", {
    issues: [{ path: "body", message: "does not have the declared length" }],
  });

/** What went wrong with the body, in words for the caller. */
function writeRefusal(error: unknown): unknown {
  if (error instanceof ChecksumMismatch)
    return new Refusal("INVALID_INPUT", error.message, { issues: [{ path: "sha256", message: "is not the body's" }] });
  return error instanceof BodyStoreError ? storeRefusal(error) : error;
}

export const storeRefusal = ({ code, message }: BodyStoreError): Refusal => new Refusal(code, message);

/** Passes a body on, up to a limit. */
async function* limited(body: ByteStream, maxBytes: number): ByteStream {
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLarge(maxBytes);
    yield chunk;
  }
}

/** The first bytes of a body, at least `size` of them where there are so many, and the body as if nobody had looked. */
async function peek(source: ByteStream, size: number): Promise<{ head: Uint8Array; body: ByteStream }> {
  const chunks = source[Symbol.asyncIterator]();
  const seen: Uint8Array[] = [];
  let bytes = 0;
  while (bytes < size) {
    const next = await chunks.next();
    if (next.done) break;
    seen.push(next.value);
    bytes += next.value.length;
  }
  async function* again() {
    try {
      yield* seen;
      for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value;
    } finally {
      await chunks.return?.();
    }
  }
  return { head: concatenated(seen), body: again() };
}
