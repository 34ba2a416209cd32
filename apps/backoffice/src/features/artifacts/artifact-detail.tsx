"use client";

import { ArrowLeftIcon, FileXIcon, TrashIcon, UploadSimpleIcon, XIcon } from "@phosphor-icons/react";
import { useState } from "react";
import { describeError } from "../../data/describe-error.ts";
import { useMutation } from "../../data/use-mutation.ts";
import { usePolling } from "../../data/use-polling.ts";
import { useQuery } from "../../data/use-query.ts";
import { ListFailure } from "../../lists/list-failure.tsx";
import { useMay } from "../../shell/viewer.tsx";
import { Button, IconButton } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { EmptyState, Loading, Skeleton } from "../../ui/states.tsx";
import { ArtifactChanges } from "./artifact-changes.tsx";
import { ArtifactFacts } from "./artifact-facts.tsx";
import { ArtifactPreview } from "./artifact-preview.tsx";
import { folderOf } from "./artifact-tree.ts";
import { ArtifactVersions } from "./artifact-versions.tsx";
import {
  type ArtifactDetail as Artifact,
  artifactDocument,
  artifactVersionDocument,
  deleteArtifactDocument,
  type VersionRow,
} from "./artifacts-documents.ts";
import { type ArtifactsView, type ArtifactTab, artifactTabs } from "./artifacts-view.ts";
import { DownloadLink } from "./download-link.tsx";

/** The artifact is looked at again after this time; milliseconds. */
const pollMs = 6_000;

export interface ArtifactDetailProps {
  id: string;
  view: ArtifactsView;
  change: (how: "push" | "replace", view: Partial<ArtifactsView>) => void;
  /** Asks for a file that becomes the next version. */
  onUpload: (artifact: Artifact) => void;
  /** The list is to be read again. */
  onChanged: () => void;
  /** Counts what was uploaded: another number reads the artifact again. */
  round: number;
}

const closed = { artifact: null, version: null, from: null } as const;

/** One artifact: what it is, what is in it, what it was before, and what can be done with it. */
export function ArtifactDetail(props: ArtifactDetailProps) {
  const { id, view, change, onChanged } = props;
  const { data, error, refetch } = useQuery(artifactDocument, { id });
  usePolling(pollMs, async () => refetch(), { pause: data === undefined });
  const [seen, setSeen] = useState(props.round);
  if (seen !== props.round) {
    setSeen(props.round);
    refetch();
  }
  const artifact = data?.artifact;
  const [latest] = artifact?.versions.nodes ?? [];
  if (artifact === undefined || artifact === null || latest === undefined)
    return (
      <div className="relative h-full">
        <CloseButton onClose={() => change("push", closed)} className="absolute top-2 right-2" />
        {error !== undefined ? (
          <ListFailure error={error} onRetry={refetch} />
        ) : data === undefined ? (
          <DetailSkeleton />
        ) : (
          <EmptyState icon={FileXIcon} title="This artifact is not here">
            It does not exist, was deleted, or belongs to a project that you are not a member of.
          </EmptyState>
        )}
      </div>
    );
  const changed = () => {
    refetch();
    onChanged();
  };
  const shown = view.version ?? artifact.latestVersion;
  return (
    <section aria-label={artifact.path} className="flex h-full min-h-0 flex-col">
      <Header
        {...props}
        artifact={artifact}
        url={shown === latest.version ? latest.url : `${urlOf(latest)}?version=${shown}`}
      />
      {shown === latest.version ? (
        <Body {...props} artifact={artifact} version={latest} onChanged={changed} />
      ) : (
        <EarlierBody {...props} artifact={artifact} shown={shown} onChanged={changed} />
      )}
    </section>
  );
}

/** The address of an artifact's bytes, whatever the version. */
const urlOf = ({ url }: VersionRow): string => url.split("?", 1)[0] ?? url;

function CloseButton({ onClose, className = "" }: { onClose: () => void; className?: string }) {
  return (
    <span className={className}>
      <span className="max-lg:hidden">
        <IconButton icon={XIcon} label="Close" keys="Esc" onClick={onClose} />
      </span>
      <span className="lg:hidden">
        <IconButton icon={ArrowLeftIcon} label="Back to the artifacts" onClick={onClose} />
      </span>
    </span>
  );
}

function Header({
  artifact,
  url,
  change,
  onUpload,
  onChanged,
}: ArtifactDetailProps & { artifact: Artifact; url: string }) {
  const may = useMay("EDITOR");
  const { asked, ask, problem, remove, running } = useDeleting(artifact, () => {
    change("replace", closed);
    onChanged();
  });
  const count = artifact.versions.totalCount;
  const versions = `${count} ${count === 1 ? "version" : "versions"}`;
  return (
    <>
      <header className="flex min-h-11 shrink-0 flex-wrap items-center gap-x-2 gap-y-1.5 border-b border-line-soft px-3 py-2 md:px-4">
        <CloseButton onClose={() => change("push", closed)} className="lg:order-last" />
        <h2 className="min-w-40 flex-1 truncate text-[13.5px]" title={artifact.path}>
          <button
            type="button"
            title="Show only this folder"
            onClick={() => change("push", { folder: folderOf(artifact.path) })}
            className="mr-px min-h-6 max-w-full rounded text-muted hover:text-ink hover:underline"
          >
            {folderOf(artifact.path)}
          </button>
          <span className="font-semibold text-ink">{artifact.name}</span>
        </h2>
        <span className="flex items-center gap-1.5">
          <DownloadLink url={url} />
          {may ? (
            <>
              <Button icon={UploadSimpleIcon} onClick={() => onUpload(artifact)}>
                New version
              </Button>
              <IconButton icon={TrashIcon} label="Delete" disabled={running} onClick={() => ask(true)} />
            </>
          ) : null}
        </span>
      </header>
      {problem === null ? null : (
        <p role="alert" className="border-b border-line bg-danger-tint px-4 py-2 text-[13px] text-danger-ink">
          {problem}
        </p>
      )}
      <ConfirmDialog
        open={asked}
        title={`Delete ${artifact.name}?`}
        action={`Delete ${versions}`}
        onCancel={() => ask(false)}
        onConfirm={() => void remove()}
      >
        <p className="mono mb-2 text-xs break-all">{artifact.path}</p>
        It goes with {count === 1 ? "its only version" : `all of its ${versions}`} and cannot be brought back. A receipt
        of it is kept.
      </ConfirmDialog>
    </>
  );
}

/** Deletes exactly what was seen: a version that came meanwhile is a conflict. */
function useDeleting({ id, latestVersion }: Artifact, onDeleted: () => void) {
  const [asked, ask] = useState(false);
  const [refusal, setRefusal] = useState<string | null>(null);
  const [deleteArtifact, { running, error }] = useMutation(deleteArtifactDocument);
  const remove = async () => {
    ask(false);
    const answer = (await deleteArtifact({ id, expectedVersion: latestVersion }))?.deleteArtifact;
    setRefusal(answer !== undefined && "message" in answer ? answer.message : null);
    if (answer?.__typename === "DeleteArtifactSuccess") onDeleted();
  };
  return {
    asked,
    ask,
    remove,
    running,
    problem: refusal ?? (error === undefined ? null : describeError(error).message),
  };
}

interface BodyProps extends ArtifactDetailProps {
  artifact: Artifact;
  version: VersionRow;
}

function EarlierBody({ shown, ...props }: Omit<BodyProps, "version"> & { shown: number }) {
  const { data, error, refetch } = useQuery(artifactVersionDocument, { id: props.artifact.id, version: shown });
  const version = data?.artifact?.version;
  if (version !== undefined && version !== null) return <Body {...props} version={version} />;
  if (error !== undefined) return <ListFailure error={error} onRetry={refetch} />;
  if (data === undefined) return <DetailSkeleton />;
  return (
    <EmptyState
      icon={FileXIcon}
      title={`There is no version ${shown}`}
      actions={<Button onClick={() => props.change("push", { version: null })}>Show the latest</Button>}
    />
  );
}

function Body({ artifact, version, view, change, onChanged }: BodyProps) {
  const may = useMay("EDITOR");
  const { tab } = view;
  const { latestVersion } = artifact;
  const atVersion = (shown: number | null) => (shown === latestVersion ? null : shown);
  return (
    <>
      <ArtifactFacts artifact={artifact} version={version} />
      <Tabs tab={tab} versions={artifact.versions.totalCount} onTab={(next) => change("push", { tab: next })} />
      <div role="tabpanel" id="artifact-tabpanel" aria-labelledby={`artifact-tab-${tab}`} className="min-h-0 flex-1">
        {tab === "preview" ? (
          <ArtifactPreview
            name={artifact.name}
            version={version}
            source={view.source}
            onSource={(source) => change("replace", { source })}
          />
        ) : null}
        {tab === "versions" ? (
          <ArtifactVersions
            artifact={artifact}
            shown={version.version}
            may={may}
            onShow={(shown) => change("push", { version: atVersion(shown), tab: "preview" })}
            onCompare={(from) => change("push", { from, version: null, tab: "changes" })}
            onChanged={onChanged}
          />
        ) : null}
        {tab === "changes" ? (
          <ArtifactChanges
            id={artifact.id}
            latest={latestVersion}
            from={view.from ?? Math.max(1, version.version - 1)}
            to={version.version}
            onChoose={({ from, to }) => change("push", { from, version: atVersion(to) })}
          />
        ) : null}
      </div>
    </>
  );
}

const tabLabels: Record<ArtifactTab, string> = { preview: "Preview", versions: "Versions", changes: "Changes" };

function Tabs({ tab, versions, onTab }: { tab: ArtifactTab; versions: number; onTab: (tab: ArtifactTab) => void }) {
  return (
    <div
      role="tablist"
      aria-label="Views of the artifact"
      className="flex h-9 shrink-0 items-stretch gap-4 border-b border-line px-3 md:px-4"
    >
      {artifactTabs.map((each) => (
        <button
          key={each}
          type="button"
          role="tab"
          id={`artifact-tab-${each}`}
          aria-selected={each === tab}
          aria-controls="artifact-tabpanel"
          onClick={() => onTab(each)}
          className="relative text-[13px] text-muted hover:text-ink aria-selected:font-medium aria-selected:text-ink aria-selected:after:absolute aria-selected:after:inset-x-0 aria-selected:after:-bottom-px aria-selected:after:h-0.5 aria-selected:after:rounded-full aria-selected:after:bg-accent"
        >
          {tabLabels[each]}
          {each === "versions" ? <span className="tnum ml-0.5 text-xs text-muted"> {versions}</span> : null}
        </button>
      ))}
    </div>
  );
}

function DetailSkeleton() {
  return (
    <Loading label="Loading the artifact">
      <div className="space-y-4 p-4">
        <Skeleton className="h-5 w-1/3" />
        <Skeleton className="h-9 w-4/5" />
        <Skeleton className="h-40 w-full" />
      </div>
    </Loading>
  );
}
