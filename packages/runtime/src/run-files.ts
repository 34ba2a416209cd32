import { bytesOf, collect, readVersion } from "@wheelhouse/artifacts";
import { type Authority, artifactPlace, Refusal } from "@wheelhouse/domain";
import { sha256 } from "@wheelhouse/domain/digest";
import type { ClaimedRun, FoundVersion, ListedArtifact } from "@wheelhouse/storage";
import { authorityOfSession, withBodies } from "./artifact-access.ts";
import { deleteArtifact } from "./delete-artifact.ts";
import type { RuntimeDeps } from "./deps.ts";
import type { RunFile, RunFiles } from "./graph-host.ts";
import { listArtifacts } from "./list-artifacts.ts";
import { putArtifact } from "./put-artifact.ts";

/** Files that a page of a listing has. */
const pageSize = 500;

/** Opens the durable files of a claimed run: those at exactly the scope of its session, changed in the run's name. */
export function openRunFiles(deps: RuntimeDeps, { run, session, fence }: ClaimedRun, signal: AbortSignal): RunFiles {
  const authority = authorityOfSession(session, run.id);
  return {
    list: (prefix) => listed(deps, authority, prefix),
    async find(path) {
      const found = await findFile(deps, authority, path);
      return found === null ? null : fileOf(found);
    },
    async read(path, maxBytes) {
      const found = await findFile(deps, authority, path);
      if (found === null) return null;
      if (found.version.bytes > maxBytes) throw tooLongToRead(found, maxBytes);
      const body = await withBodies(async () => collect(await readVersion(deps, found, { signal })));
      return { file: fileOf(found), body };
    },
    async write(path, body, expectedVersion) {
      const latest = await findFile(deps, authority, path);
      if (latest?.version.version === expectedVersion && latest.version.checksum === sha256(body)) return;
      await putArtifact(deps, authority, {
        ...{ path, body: bytesOf(body), bytes: body.length, expectedVersion, signal },
        run: { fence, taskId: run.taskId, checkpointId: null },
      });
    },
    async delete(path, expectedVersion) {
      if (artifactPlace(path).kind === "POLICY")
        throw new Refusal("FORBIDDEN", "Agents read policies, and do not delete them");
      await deleteArtifact(deps, authority, { path, expectedVersion, fence });
    },
  };
}

async function* listed(deps: RuntimeDeps, authority: Authority, prefix: string): AsyncGenerator<RunFile, void> {
  let after: string | null = null;
  for (;;) {
    const page: ListedArtifact[] = await listArtifacts(deps, authority, { prefix, after, limit: pageSize });
    yield* page.map(fileOf);
    after = page.at(-1)?.artifact.path ?? null;
    if (page.length < pageSize) return;
  }
}

const findFile = ({ storage }: RuntimeDeps, authority: Authority, path: string): Promise<FoundVersion | null> =>
  storage.artifacts.find(authority, { path: artifactPlace(path).path });

const fileOf = ({ artifact, version }: ListedArtifact): RunFile => ({
  path: artifact.path,
  version: version.version,
  bytes: version.bytes,
  contentType: version.contentType,
  createdAt: artifact.createdAt,
  modifiedAt: artifact.updatedAt,
});

const tooLongToRead = ({ artifact, version }: FoundVersion, maxBytes: number): Refusal =>
  new Refusal(
    "TOO_LARGE",
    `${artifact.path} has ${version.bytes.toLocaleString("en")} bytes, and agents read up to ${maxBytes.toLocaleString("en")}`,
  );
