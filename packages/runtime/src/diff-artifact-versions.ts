import { type Authority, diffTexts, invalid, type TextDiff } from "@wheelhouse/domain";
import { type ArtifactChoice, findVersion, whichArtifact } from "./artifact-access.ts";
import type { RuntimeDeps } from "./deps.ts";
import { readArtifactText } from "./read-artifact.ts";

export interface DiffArtifactVersionsInput extends ArtifactChoice {
  from: number;
  /** The latest one when absent. */
  to?: number | null | undefined;
}

export interface ArtifactDiff extends TextDiff {
  from: number;
  to: number;
}

/** How one version of a text became another. Refuses what is no text, and texts that are too long to be laid side by side. */
export async function diffArtifactVersions(
  deps: Pick<RuntimeDeps, "storage" | "bodies" | "objectKeys" | "tunables">,
  authority: Authority,
  { from, to, ...choice }: DiffArtifactVersionsInput,
): Promise<ArtifactDiff> {
  const which = whichArtifact(choice);
  const { maxDiffBytes } = deps.tunables;
  const [older, newer] = await Promise.all(
    [from, to].map(async (wanted, i) => {
      const { version } = await findVersion(deps, authority, which, wanted);
      const name = i === 0 ? "from" : "to";
      if (version.bytes > maxDiffBytes) throw invalid(name, `the version has more than ${maxDiffBytes} bytes`);
      const text = await readArtifactText(deps, authority, {
        ...which,
        version: version.version,
        maxBytes: maxDiffBytes,
      });
      if (text === null) throw invalid(name, "the version is not text");
      return { version: version.version, text };
    }),
  );
  if (older === undefined || newer === undefined) throw new Error("A difference has two sides");
  return { ...diffTexts(older.text, newer.text), from: older.version, to: newer.version };
}
