"use client";

import { FilesIcon } from "@phosphor-icons/react";
import Link from "next/link";
import { useEffect } from "react";
import { ListFailure } from "../../lists/list-failure.tsx";
import { useKeysetList } from "../../lists/use-keyset-list.ts";
import { Button, LinkButton } from "../../ui/button.tsx";
import { formatBytes } from "../../ui/format.ts";
import { Scroller } from "../../ui/scroller.tsx";
import { EmptyState, Loading, Skeleton } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { ArtifactIcon } from "./artifact-row.tsx";
import { folderOf } from "./artifact-tree.ts";
import { type ArtifactRow, artifactsDocument } from "./artifacts-documents.ts";
import { artifactHref } from "./artifacts-view.ts";

export interface MadeArtifactsProps {
  /** Whose artifacts: of a conversation, or of a run. */
  of: { sessionId: string } | { runId: string };
  /** Another stamp reads them again, as after a run. */
  stamp: string | number;
}

/** The artifacts of a conversation or of a run, each with the way to it. */
export function MadeArtifacts({ of, stamp }: MadeArtifactsProps) {
  const { store, state } = useKeysetList(artifactsDocument, { filter: of }, (data) => data.artifacts);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another stamp reads again.
  useEffect(() => {
    if (store.get().phase === "ready") store.reload();
  }, [store, stamp]);
  if (state.phase === "failed" && state.rows.length === 0)
    return <ListFailure error={state.error} onRetry={store.reload} />;
  if (state.rows.length === 0 && state.phase !== "ready")
    return (
      <Loading label="Loading artifacts">
        <div className="space-y-3 p-4">
          <Skeleton className="h-9" />
          <Skeleton className="h-9" />
        </div>
      </Loading>
    );
  const all = `/artifacts?${"runId" in of ? `run=${of.runId}` : `session=${of.sessionId}`}`;
  if (state.rows.length === 0)
    return (
      <EmptyState icon={FilesIcon} title="No artifacts">
        {"runId" in of ? "The newest version of no artifact comes from this run." : "This conversation has none."} Files
        that an agent keeps appear here.
      </EmptyState>
    );
  return (
    <Scroller label="Artifacts" className="h-full">
      <ul>
        {state.rows.map((row) => (
          <li key={row.id} className="border-b border-line-soft">
            <ArtifactLine row={row} />
          </li>
        ))}
      </ul>
      <div className="flex justify-center gap-2 p-3">
        {state.hasMore ? (
          <Button size="xs" loading={state.phase === "loading-more"} onClick={store.loadMore}>
            More
          </Button>
        ) : null}
        <LinkButton href={all}>Open in Artifacts</LinkButton>
      </div>
    </Scroller>
  );
}

function ArtifactLine({ row }: { row: ArtifactRow }) {
  return (
    <Link
      href={artifactHref(row.id)}
      prefetch={false}
      title={row.path}
      className="flex items-center gap-2.5 px-3 py-2 text-xs hover:bg-hover focus-visible:outline-offset-[-2px] md:px-4"
    >
      <ArtifactIcon {...row} />
      <span className="min-w-0 flex-1">
        <span className="block truncate text-[13px] font-medium text-ink">{row.name}</span>
        <span className="block truncate text-muted">{folderOf(row.path)}</span>
      </span>
      <span className="tnum shrink-0 text-right text-muted">
        <span className="block text-ink-2">{formatBytes(row.bytes)}</span>
        version {row.latestVersion} · <Time at={row.updatedAt} />
      </span>
    </Link>
  );
}
