import { leaseLost } from "@wheelhouse/artifacts";
import { type Authority, notFound, Refusal } from "@wheelhouse/domain";
import type { ArtifactReceipt, Fence } from "@wheelhouse/storage";
import { type ArtifactChoice, requireArtifactRole, whichArtifact } from "./artifact-access.ts";
import type { RuntimeDeps } from "./deps.ts";
import { checkedVersion } from "./put-artifact.ts";

export interface DeleteArtifactInput extends ArtifactChoice {
  expectedVersion?: number | null | undefined;
  /** Of the run that deletes it, which must still hold its lease. */
  fence?: Fence;
}

export interface DeletedArtifact {
  receiptId: string;
  receipt: ArtifactReceipt;
}

/**
 * Deletes an artifact with all its versions. The rows are gone when this answers; bodies that their store could not
 * delete now are deleted by the sweep, and the receipt says when the last one was gone.
 */
export async function deleteArtifact(
  { storage, bodies, clock, newId, log }: Pick<RuntimeDeps, "storage" | "bodies" | "clock" | "newId" | "log">,
  authority: Authority,
  input: DeleteArtifactInput,
): Promise<DeletedArtifact> {
  requireArtifactRole(authority);
  const outcome = await storage.artifacts.delete(authority, {
    which: whichArtifact(input),
    expectedVersion: checkedVersion(input.expectedVersion),
    fence: input.fence ?? null,
    receiptId: newId(),
    at: clock.now(),
  });
  if (outcome.outcome === "notFound") throw notFound("Artifact");
  if (outcome.outcome === "fenced") throw leaseLost();
  if (outcome.outcome === "conflict")
    throw new Refusal("ARTIFACT_CONFLICT", `The latest version is ${outcome.current.latestVersion}`, {
      detail: { artifactId: outcome.current.id },
    });
  const { receiptId, receipt } = outcome;
  const here = outcome.bodies.filter(({ bodyStore }) => bodyStore === bodies.kind).map(({ objectKey }) => objectKey);
  try {
    await bodies.delete(here);
  } catch (error) {
    log.warn({ err: error, artifactId: receipt.artifactId }, "bodies of a deleted artifact are left to the sweep");
    return { receiptId, receipt };
  }
  const at = clock.now();
  await storage.artifacts.forgetBodies({ keys: here, at });
  const isDone = here.length === outcome.bodies.length;
  return { receiptId, receipt: { ...receipt, bodiesDeletedAt: isDone ? (receipt.bodiesDeletedAt ?? at) : null } };
}
