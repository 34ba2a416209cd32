import Link from "next/link";
import type { ReactNode } from "react";
import { CopyableId } from "../../ui/copyable-id.tsx";
import { formatBytes } from "../../ui/format.ts";
import { Time } from "../../ui/time.tsx";
import { kindLabel, readersLabel } from "./artifact-words.ts";
import type { ArtifactDetail, VersionRow } from "./artifacts-documents.ts";
import { Maker } from "./maker.tsx";

/** What is known of an artifact and of the version that is shown, in one line that scrolls. */
export function ArtifactFacts({ artifact, version }: { artifact: ArtifactDetail; version: VersionRow }) {
  const { session, latestVersion } = artifact;
  return (
    // Positioned, so that what only screen readers get is clipped with the row and does not widen the page.
    // It scrolls, so the keyboard must reach it.
    <dl
      tabIndex={0}
      aria-label="Facts"
      className="relative flex shrink-0 gap-x-7 gap-y-2 overflow-x-auto border-b border-line-soft px-3 py-2.5 whitespace-nowrap focus-visible:outline-offset-[-2px] md:px-4"
    >
      <Fact name="Version">
        {version.version === latestVersion ? `${latestVersion}, the latest` : `${version.version} of ${latestVersion}`}
      </Fact>
      <Fact name="Kind">{kindLabel(artifact.kind)}</Fact>
      <Fact name="Type">{version.contentType}</Fact>
      <Fact name="Size">{formatBytes(version.bytes)}</Fact>
      <Fact name="Made">
        <Time at={version.createdAt} as="ago" />
      </Fact>
      <Fact name="Made by">
        <Maker version={version} />
      </Fact>
      {session === null || session === undefined ? null : (
        <Fact name="Conversation">
          <Link href={`/conversations/${session.id}`} dir="auto" className="rounded text-accent-ink hover:underline">
            {(session.title ?? session.firstMessage ?? "Conversation").slice(0, 48)}
          </Link>
        </Fact>
      )}
      <Fact name="Meant for">{readersLabel(artifact.visibility)}</Fact>
      <Fact name="Scope">{scopeWords(artifact.scope)}</Fact>
      <Fact name="SHA-256">
        <CopyableId id={version.checksum} what="checksum" className="max-w-none!" />
      </Fact>
      <Fact name="Artifact id">
        <CopyableId id={artifact.id} what="artifact id" className="max-w-none!" />
      </Fact>
    </dl>
  );
}

/** A scope as people write it: `project default, user u-1`. */
const scopeWords = (scope: unknown): string =>
  Object.entries(Object(scope))
    .map(([key, value]) => `${key} ${String(value)}`)
    .join(", ");

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className="shrink-0">
    <dt className="text-[11.5px] leading-4 text-muted">{name}</dt>
    <dd className="tnum mt-0.5 text-[13px] leading-5 text-ink">{children}</dd>
  </div>
);
