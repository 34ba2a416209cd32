"use client";

import { ArrowCounterClockwiseIcon, EyeIcon, GitDiffIcon } from "@phosphor-icons/react";
import { useEffect, useState } from "react";
import { describeError } from "../../data/describe-error.ts";
import { useMutation } from "../../data/use-mutation.ts";
import { ListFailure } from "../../lists/list-failure.tsx";
import { useKeysetList } from "../../lists/use-keyset-list.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { CopyableId } from "../../ui/copyable-id.tsx";
import { formatBytes } from "../../ui/format.ts";
import { Scroller } from "../../ui/scroller.tsx";
import { Loading, Skeleton } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import {
  type ArtifactDetail,
  artifactVersionsDocument,
  restoreVersionDocument,
  type VersionRow,
} from "./artifacts-documents.ts";
import { Maker } from "./maker.tsx";

export interface ArtifactVersionsProps {
  artifact: ArtifactDetail;
  /** The version that is shown. */
  shown: number;
  may: boolean;
  /** Null shows whatever is the latest. */
  onShow: (version: number | null) => void;
  onCompare: (version: number) => void;
  onChanged: () => void;
}

const nothing = {
  nodes: [],
  pageInfo: { hasNextPage: false, endCursor: null },
  totalCount: 0,
  totalCountIsExact: true,
};

/** Every version of an artifact, the newest first, and what can be done with each. */
export function ArtifactVersions({ artifact, shown, may, onShow, onCompare, onChanged }: ArtifactVersionsProps) {
  const { id, latestVersion } = artifact;
  const { store, state } = useVersions(id, latestVersion);
  const [restore, restoring] = useMutation(restoreVersionDocument);
  const [refusal, setRefusal] = useState<string | null>(null);
  const bringBack = async (version: number) => {
    const answer = (await restore({ id, version, expectedVersion: latestVersion }))?.restoreArtifactVersion;
    setRefusal(answer !== undefined && "message" in answer ? answer.message : null);
    onChanged();
    if (answer?.__typename === "Artifact") onShow(null);
  };
  const problem = refusal ?? (restoring.error === undefined ? null : describeError(restoring.error).message);
  if (state.phase === "failed" && state.rows.length === 0)
    return <ListFailure error={state.error} onRetry={store.reload} />;
  if (state.rows.length === 0)
    return (
      <Loading label="Loading versions">
        <div className="space-y-3 p-4">
          <Skeleton className="h-8" />
          <Skeleton className="h-8" />
        </div>
      </Loading>
    );
  return (
    <Scroller label="Versions" className="h-full">
      {problem === null ? null : (
        <p role="alert" className="border-b border-line bg-danger-tint px-4 py-2 text-[13px] text-danger-ink">
          {problem}
        </p>
      )}
      <ol className="divide-y divide-line-soft">
        {state.rows.map((row) => (
          <li
            key={row.id}
            aria-current={row.version === shown || undefined}
            className="flex items-center gap-3 px-3 py-2 text-[13px] aria-[current=true]:bg-selected md:px-4"
          >
            <Facts row={row} latest={row.version === latestVersion} />
            <span className="flex shrink-0 items-center gap-0.5">
              <IconButton
                icon={EyeIcon}
                label={`Show version ${row.version}`}
                active={row.version === shown}
                onClick={() => onShow(row.version)}
              />
              {row.version === latestVersion ? null : (
                <IconButton
                  icon={GitDiffIcon}
                  label={`Compare version ${row.version} with the latest`}
                  onClick={() => onCompare(row.version)}
                />
              )}
              {may && row.version !== latestVersion ? (
                <IconButton
                  icon={ArrowCounterClockwiseIcon}
                  label={`Restore version ${row.version}`}
                  disabled={restoring.running}
                  onClick={() => void bringBack(row.version)}
                />
              ) : null}
            </span>
          </li>
        ))}
      </ol>
      {state.hasMore ? (
        <div className="p-3 text-center">
          <Button size="xs" loading={state.phase === "loading-more"} onClick={store.loadMore}>
            Earlier versions
          </Button>
        </div>
      ) : null}
    </Scroller>
  );
}

/** The versions, read again when there is another latest one. */
function useVersions(id: string, latestVersion: number) {
  const { store, state } = useKeysetList(
    artifactVersionsDocument,
    { id },
    (data) => data.artifact?.versions ?? nothing,
  );
  const newest = state.rows[0]?.version;
  useEffect(() => {
    if (newest !== undefined && newest !== latestVersion) store.reload();
  }, [store, newest, latestVersion]);
  return { store, state };
}

function Facts({ row, latest }: { row: VersionRow; latest: boolean }) {
  return (
    <div className="min-w-0 flex-1">
      <span className="flex items-baseline gap-2">
        <span className="tnum font-medium text-ink">Version {row.version}</span>
        {latest ? <span className="text-xs text-success-ink">latest</span> : null}
        <Time at={row.createdAt} as="ago" className="ml-auto text-xs text-muted" />
      </span>
      <span className="tnum flex min-w-0 flex-wrap items-center gap-x-3 text-xs text-muted">
        <span>{formatBytes(row.bytes)}</span>
        <Maker version={row} />
        <CopyableId id={row.checksum} what="checksum" />
      </span>
    </div>
  );
}
