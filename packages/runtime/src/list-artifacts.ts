import { type Authority, invalid, maxPathLength } from "@wheelhouse/domain";
import type { ListedArtifact } from "@wheelhouse/storage";
import type { RuntimeDeps } from "./deps.ts";

export interface ListArtifactsInput {
  /** What their paths begin with, for example `/artifacts/reports/`; `/` for all. */
  prefix: string;
  after?: string | null | undefined;
  limit: number;
}

/** The artifacts at exactly the caller's scope, in the order of their paths. */
export async function listArtifacts(
  { storage }: Pick<RuntimeDeps, "storage">,
  authority: Authority,
  { prefix, after, limit }: ListArtifactsInput,
): Promise<ListedArtifact[]> {
  if (!prefix.startsWith("/") || prefix.length > maxPathLength) throw invalid("prefix", "must begin with /");
  return await storage.artifacts.list(authority, { prefix: prefix.normalize("NFC"), after: after ?? null, limit });
}
