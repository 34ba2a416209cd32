import {
  type ByteRange,
  type ByteStream,
  collect,
  isTextType,
  keyOf,
  readVersion,
  safeHeaders,
} from "@wheelhouse/artifacts";
import type { Authority } from "@wheelhouse/domain";
import type { FoundVersion } from "@wheelhouse/storage";
import { type ArtifactChoice, findVersion, whichArtifact, withBodies } from "./artifact-access.ts";
import type { RuntimeDeps } from "./deps.ts";

export interface ReadArtifactInput extends ArtifactChoice {
  /** The latest one when absent. */
  version?: number | null | undefined;
  range?: ByteRange | undefined;
  signal?: AbortSignal | undefined;
}

type ReadDeps = Pick<RuntimeDeps, "storage" | "bodies" | "objectKeys">;

/** A version of an artifact. Its bytes come when they are asked for, verified. */
export interface ReadArtifact extends FoundVersion {
  body(range?: ByteRange): Promise<ByteStream>;
}

/** Finds a version for a caller, and gives its bytes. */
export async function readArtifact(
  deps: ReadDeps,
  authority: Authority,
  input: ReadArtifactInput,
): Promise<ReadArtifact> {
  const found = await findVersion(deps, authority, whichArtifact(input), input.version);
  const { signal } = input;
  return { ...found, body: (range) => withBodies(() => readVersion(deps, found, { range, signal })) };
}

/** How long an address of a body is good, seconds. */
const addressSeconds = 900;

/**
 * An address from which the store itself gives a version's bytes to whoever has it, for 15 minutes; null where the store
 * has none to give. What it gives is not verified on the way.
 */
export async function presignArtifact(
  deps: ReadDeps,
  authority: Authority,
  input: Pick<ReadArtifactInput, "id" | "path" | "version">,
): Promise<string | null> {
  const found = await findVersion(deps, authority, whichArtifact(input), input.version);
  if (found.version.objectKey === null) return null;
  const { "content-type": contentType, "content-disposition": contentDisposition } = safeHeaders(
    found.version.contentType,
    found.artifact.name,
  );
  const options = { expiresSeconds: addressSeconds, contentType, contentDisposition };
  return await withBodies(async () => deps.bodies.presign(keyOf(deps, found), options));
}

/**
 * The beginning of a version as text, cut between letters; null when it is none.
 * `maxBytes` is how much of it is looked at, UTF-8 bytes.
 */
export async function readArtifactText(
  deps: ReadDeps,
  authority: Authority,
  { maxBytes, ...input }: Omit<ReadArtifactInput, "range"> & { maxBytes: number },
): Promise<string | null> {
  const { version, body } = await readArtifact(deps, authority, input);
  if (!isTextType(version.contentType)) return null;
  if (version.bytes === 0 || maxBytes === 0) return "";
  const isCut = version.bytes > maxBytes;
  const bytes = await withBodies(async () => collect(await body(isCut ? { start: 0, end: maxBytes - 1 } : undefined)));
  // `stream` leaves out a letter that is cut in two.
  return new TextDecoder("utf-8").decode(bytes, { stream: isCut });
}
