"use client";

import { FilesIcon, MagnifyingGlassIcon } from "@phosphor-icons/react";
import { type ReactNode, useMemo, useState } from "react";
import { useClient } from "../../data/data-provider.tsx";
import { usePolling } from "../../data/use-polling.ts";
import { DataList } from "../../lists/data-list.tsx";
import type { KeysetState, KeysetStore } from "../../lists/keyset-store.ts";
import { ListFailure } from "../../lists/list-failure.tsx";
import { ListSkeleton } from "../../lists/list-skeleton.tsx";
import { useActiveRow } from "../../lists/use-active-row.ts";
import { pageSize, useKeysetList } from "../../lists/use-keyset-list.ts";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/states.tsx";
import { ArtifactCells, ArtifactHeader, columnsOf, FolderCells } from "./artifact-row.tsx";
import { type TreeLine, treeLines } from "./artifact-tree.ts";
import { type ArtifactRow, artifactStampsDocument, artifactsDocument } from "./artifacts-documents.ts";
import { type ArtifactsView, isFiltered, noFilters, toArtifactFilter } from "./artifacts-view.ts";

/** The first rows are looked at again after this time; milliseconds. */
const pollMs = 6_000;

export interface ArtifactListState {
  store: KeysetStore<ArtifactRow>;
  state: KeysetState<ArtifactRow>;
}

/** The artifacts that a view lists, page by page; read again when the first page is no longer what it was. */
export function useArtifactList(view: ArtifactsView): ArtifactListState {
  const client = useClient();
  const filter = toArtifactFilter(view);
  const list = useKeysetList(artifactsDocument, { filter }, (data) => data.artifacts);
  usePolling(pollMs, async (signal) => {
    const { rows, phase } = list.store.get();
    // Whoever has scrolled on is not thrown back to the beginning.
    if (phase !== "ready" || rows.length > pageSize) return;
    const { artifacts } = await client.request(artifactStampsDocument, { first: pageSize, filter }, { signal });
    const stamps = (nodes: readonly { id: string; latestVersion: number }[]) =>
      nodes.map(({ id, latestVersion }) => `${id} ${latestVersion}`).join();
    if (stamps(artifacts.nodes) !== stamps(rows)) list.store.reload();
  });
  return list;
}

export interface ArtifactListProps {
  list: ArtifactListState;
  view: ArtifactsView;
  change: (how: "push" | "replace", view: Partial<ArtifactsView>) => void;
  /** What to do when there is nothing at all. */
  upload: ReactNode;
}

type Line = TreeLine<ArtifactRow>;

/** The artifacts as a tree of folders or as a flat list. Beside an open artifact only the names have room. */
export function ArtifactList({ list: { store, state }, view, change, upload }: ArtifactListProps) {
  const [at, setAt] = useActiveRow();
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const tree = view.as === "tree";
  const lines = useMemo<Line[]>(
    () =>
      tree
        ? treeLines(state.rows, closed, view.folder)
        : state.rows.map((row) => ({ id: row.id, kind: "artifact", row, depth: 0 })),
    [state.rows, closed, tree, view.folder],
  );
  if (state.phase === "failed" && state.rows.length === 0)
    return <ListFailure error={state.error} onRetry={store.reload} />;
  if (state.rows.length === 0 && state.phase !== "ready") return <ListSkeleton rowHeight={34} />;
  if (state.rows.length === 0)
    return isFiltered(view) ? (
      <EmptyState
        icon={MagnifyingGlassIcon}
        title="No artifact matches"
        actions={<Button onClick={() => change("push", noFilters)}>Clear all filters</Button>}
      >
        Try fewer filters, or other words: text is searched in the whole path.
      </EmptyState>
    ) : (
      <EmptyState icon={FilesIcon} title="No artifacts yet" actions={upload}>
        Reports, tables, images and notes that agents make are kept here, version by version, beside files that people
        hand in. An agent with files writes them by itself.
      </EmptyState>
    );

  const compact = view.artifact !== null;
  const open = (id: string) => {
    setAt(id);
    change("push", { artifact: id, version: null, from: null });
  };
  const toggle = (path: string) =>
    setClosed((before) => {
      const next = new Set(before);
      if (!next.delete(path)) next.add(path);
      return next;
    });
  const move = (id: string | null) => {
    setAt(id);
    if (!compact) return;
    const line = lines.find((each) => each.id === id);
    if (id === null) change("push", { artifact: null, version: null, from: null });
    else if (line?.kind === "artifact") change("replace", { artifact: id, version: null, from: null });
  };
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="min-h-0 flex-1">
        <DataList
          key={`${view.as} ${compact}`}
          label="Artifacts"
          rows={lines}
          totalCount={tree || !state.totalCountIsExact ? -1 : state.totalCount}
          rowHeight={{ wide: 34, narrow: tree ? 40 : 52 }}
          columns={columnsOf(compact)}
          header={<ArtifactHeader compact={compact} />}
          renderRow={(line) =>
            line.kind === "folder" ? (
              <FolderCells
                folder={line}
                onToggle={() => toggle(line.path)}
                onChoose={() => change("push", { folder: line.path })}
              />
            ) : (
              <ArtifactCells row={line.row} depth={tree ? line.depth : null} compact={compact} onOpen={open} />
            )
          }
          activeId={at ?? view.artifact}
          onActive={move}
          onEndReached={store.loadMore}
          loadingMore={state.phase === "loading-more"}
          failedMore={state.phase === "failed"}
        />
      </div>
      {tree && state.hasMore ? (
        <p className="flex shrink-0 items-center justify-center gap-3 border-t border-line-soft py-1.5 text-xs text-muted">
          Not all are loaded
          <Button size="xs" loading={state.phase === "loading-more"} onClick={store.loadMore}>
            Load more
          </Button>
        </p>
      ) : null}
    </div>
  );
}
