"use client";

import { FolderSimpleIcon, ListIcon, TagIcon, TreeViewIcon, UploadSimpleIcon, XIcon } from "@phosphor-icons/react";
import { artifactKinds } from "@wheelhouse/domain";
import { type DragEvent, useCallback, useMemo, useState } from "react";
import { useUrlParam } from "../../data/use-url-param.ts";
import { FilterMenu } from "../../lists/filter-menu.tsx";
import { ListToolbar } from "../../lists/list-toolbar.tsx";
import { SearchField } from "../../lists/search-field.tsx";
import { useUrlState } from "../../lists/use-url-state.ts";
import { useMay } from "../../shell/viewer.tsx";
import { Button, IconButton } from "../../ui/button.tsx";
import { Page } from "../../ui/page.tsx";
import { ArtifactDetail } from "./artifact-detail.tsx";
import { ArtifactList, type ArtifactListState, useArtifactList } from "./artifact-list.tsx";
import { foldersOf } from "./artifact-tree.ts";
import { kindLabel } from "./artifact-words.ts";
import type { ArtifactDetail as Artifact } from "./artifacts-documents.ts";
import { type ArtifactsView, longestText, readView, writeView } from "./artifacts-view.ts";
import { UploadDialog } from "./upload-dialog.tsx";

/** Of the parameter `open`, while a file is being uploaded. */
const uploading = "upload";

type Change = (how: "push" | "replace", view: Partial<ArtifactsView>) => void;

/** Durable files that agents and people made: a tree or a list of them, and the one that is open beside it. */
export function ArtifactsPage() {
  const { params, update } = useUrlState();
  const query = params.toString();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text of the parameters is their identity.
  const view = useMemo(() => readView(params), [query]);
  const change = useCallback<Change>((how, next) => update(how, (params) => writeView(params, next)), [update]);
  const list = useArtifactList(view);
  const may = useMay("EDITOR");
  const upload = useUpload();
  const begin = may ? (
    <Button variant="primary" icon={UploadSimpleIcon} onClick={() => upload.begin(null, null)}>
      Upload
    </Button>
  ) : null;
  const drop = useDrop(may ? (file) => upload.begin(null, file) : null);
  return (
    <Page title="Artifacts" actions={begin}>
      <div className="relative flex h-full min-h-0" {...drop.handlers}>
        <div
          className={`flex h-full min-h-0 min-w-0 flex-col ${view.artifact === null ? "flex-1" : "w-[380px] shrink-0 border-r border-line max-lg:hidden"}`}
        >
          <Toolbar list={list} view={view} change={change} />
          <Places view={view} change={change} />
          <div className="min-h-0 flex-1">
            <ArtifactList list={list} view={view} change={change} upload={begin} />
          </div>
        </div>
        {view.artifact === null ? null : (
          <div className="h-full min-w-0 flex-1 bg-surface">
            <ArtifactDetail
              key={view.artifact}
              id={view.artifact}
              view={view}
              change={change}
              onUpload={(artifact) => upload.begin(artifact, null)}
              onChanged={list.store.reload}
              round={upload.done}
            />
          </div>
        )}
        {drop.over ? (
          <div className="pointer-events-none absolute inset-2 z-30 flex items-center justify-center rounded-lg border-2 border-dashed border-accent bg-accent-tint/90 text-[15px] font-medium text-accent-ink">
            Drop a file to upload it
          </div>
        ) : null}
      </div>
      <UploadDialog
        open={may && upload.open}
        artifact={upload.artifact}
        folder={view.folder}
        dropped={upload.dropped}
        onClose={upload.close}
        onDone={(id) => {
          upload.finish();
          list.store.reload();
          change("push", { artifact: id, version: null, from: null, tab: "preview" });
        }}
      />
    </Page>
  );
}

/** The upload that is being made, if any, and how many were. */
function useUpload() {
  const [open, setOpen] = useUrlParam("open");
  const [what, setWhat] = useState<{ artifact: Artifact | null; dropped: File | null }>({
    artifact: null,
    dropped: null,
  });
  const [done, setDone] = useState(0);
  const close = () => setOpen(null);
  return {
    ...what,
    done,
    open: open === uploading,
    begin: (artifact: Artifact | null, dropped: File | null) => {
      setWhat({ artifact, dropped });
      setOpen(uploading);
    },
    close,
    finish: () => {
      setDone((n) => n + 1);
      close();
    },
  };
}

/** Takes a file that is dropped anywhere; null takes none. */
function useDrop(onFile: ((file: File) => void) | null) {
  const [over, setOver] = useState(false);
  const holdsFile = (event: DragEvent) => onFile !== null && event.dataTransfer.types.includes("Files");
  const handlers = {
    onDragOver: (event: DragEvent) => {
      if (!holdsFile(event)) return;
      event.preventDefault();
      setOver(true);
    },
    onDragLeave: (event: DragEvent) => {
      const into = event.relatedTarget;
      if (!(into instanceof Node && event.currentTarget.contains(into))) setOver(false);
    },
    onDrop: (event: DragEvent) => {
      if (!holdsFile(event)) return;
      event.preventDefault();
      setOver(false);
      const file = event.dataTransfer.files[0];
      if (file !== undefined) onFile?.(file);
    },
  };
  return { over, handlers };
}

interface ToolbarProps {
  list: ArtifactListState;
  view: ArtifactsView;
  change: Change;
}

function Toolbar({ list, view, change }: ToolbarProps) {
  const search = useCallback((text: string) => change("replace", { text }), [change]);
  return (
    <ListToolbar
      noun={["artifact", "artifacts"]}
      state={list.state}
      end={
        <span className="flex">
          <IconButton
            icon={TreeViewIcon}
            label="Show as a tree"
            active={view.as === "tree"}
            onClick={() => change("push", { as: "tree" })}
          />
          <IconButton
            icon={ListIcon}
            label="Show as a list"
            active={view.as === "list"}
            onClick={() => change("push", { as: "list" })}
          />
        </span>
      }
    >
      <SearchField
        label="Search artifacts"
        placeholder="Search paths…"
        value={view.text}
        onChange={search}
        maxLength={longestText}
      />
      <FilterMenu
        label="Kind"
        icon={TagIcon}
        options={artifactKinds.map((kind) => ({ value: kind, label: kindLabel(kind) }))}
        selected={view.kinds}
        onChange={(values) => change("push", { kinds: artifactKinds.filter((kind) => values.includes(kind)) })}
      />
    </ListToolbar>
  );
}

/** Where the list stays: a folder, a conversation, a run. Each can be left. */
function Places({ view, change }: { view: ArtifactsView; change: Change }) {
  const { folder, sessionId, runId } = view;
  if (folder === "" && sessionId === "" && runId === "") return null;
  return (
    <div className="flex shrink-0 flex-wrap items-center gap-2 border-b border-line-soft px-3 py-1.5 text-xs md:px-4">
      {folder === "" ? null : (
        <nav aria-label="Folder" className="flex min-w-0 flex-wrap items-center gap-x-0.5">
          <FolderSimpleIcon size={14} aria-hidden="true" className="mr-1 text-muted" />
          {[{ name: "All", path: "" }, ...foldersOf(folder)].map(({ name, path }, index) => (
            <span key={path} className="flex items-center">
              {index === 0 ? null : (
                <span aria-hidden="true" className="px-0.5 text-muted">
                  /
                </span>
              )}
              <button
                type="button"
                aria-current={path === folder || undefined}
                onClick={() => change("push", { folder: path })}
                className="min-h-6 min-w-6 rounded px-1 text-muted hover:bg-hover hover:text-ink aria-[current=true]:font-medium aria-[current=true]:text-ink"
              >
                {name}
              </button>
            </span>
          ))}
        </nav>
      )}
      {sessionId === "" ? null : (
        <Place label="Of one conversation" onLeave={() => change("push", { sessionId: "" })} />
      )}
      {runId === "" ? null : <Place label="Made by one run" onLeave={() => change("push", { runId: "" })} />}
    </div>
  );
}

function Place({ label, onLeave }: { label: string; onLeave: () => void }) {
  return (
    <span className="inline-flex h-6 items-center rounded-md border border-line-strong bg-surface pl-2 font-medium">
      {label}
      <button
        type="button"
        aria-label={`Clear the filter ${label}`}
        onClick={onLeave}
        className="ml-1 inline-flex size-6 items-center justify-center text-muted hover:text-ink"
      >
        <XIcon size={11} weight="bold" aria-hidden="true" />
      </button>
    </span>
  );
}
