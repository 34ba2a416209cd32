import { type PublishedVersion, publishVersion } from "@wheelhouse/artifacts";
import { type Authority, artifactPlace } from "@wheelhouse/domain";
import { type ArtifactChoice, requireArtifactRole, whichArtifact } from "./artifact-access.ts";
import type { RuntimeDeps } from "./deps.ts";
import { checkedVersion } from "./put-artifact.ts";
import { readArtifact } from "./read-artifact.ts";

export interface RestoreArtifactVersionInput extends ArtifactChoice {
  version: number;
  expectedVersion?: number | null | undefined;
}

/** Makes an earlier version the latest one again: as a new version with the same bytes, so that nothing is lost. */
export async function restoreArtifactVersion(
  deps: Pick<RuntimeDeps, "storage" | "bodies" | "objectKeys" | "clock" | "newId" | "artifactLimits">,
  authority: Authority,
  input: RestoreArtifactVersionInput,
): Promise<PublishedVersion> {
  requireArtifactRole(authority);
  const choice = whichArtifact(input);
  const { artifact, version, body } = await readArtifact(deps, authority, { ...choice, version: input.version });
  const { scope, scopeKey, visibility, sessionId } = artifact;
  return await publishVersion(
    deps,
    { ...authority, scope, scopeKey },
    {
      place: artifactPlace(artifact.path),
      body: await body(),
      bytes: version.bytes,
      sha256: version.checksum,
      contentType: version.contentType,
      expectedVersion: checkedVersion(input.expectedVersion),
      ...{ visibility, sessionId, source: "restore", run: null },
    },
  );
}
