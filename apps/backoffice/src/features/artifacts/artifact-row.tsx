"use client";

import {
  BracketsCurlyIcon,
  CaretRightIcon,
  CodeIcon,
  FileIcon,
  FilePdfIcon,
  FileTextIcon,
  FolderIcon,
  FolderOpenIcon,
  FunnelSimpleIcon,
  type Icon,
  ImageIcon,
  TableIcon,
} from "@phosphor-icons/react";
import Link from "next/link";
import type { MouseEvent } from "react";
import { Cell, HeaderCell } from "../../lists/table-cells.tsx";
import { useIsNarrow } from "../../lists/use-is-narrow.ts";
import { IconButton } from "../../ui/button.tsx";
import { formatBytes } from "../../ui/format.ts";
import { Time } from "../../ui/time.tsx";
import { folderOf, type TreeLine } from "./artifact-tree.ts";
import { kindLabel } from "./artifact-words.ts";
import type { ArtifactRow } from "./artifacts-documents.ts";
import { artifactHref } from "./artifacts-view.ts";
import { type PreviewKind, previewOf } from "./preview-kind.ts";

const icons: Record<PreviewKind, Icon> = {
  text: FileTextIcon,
  markdown: FileTextIcon,
  code: CodeIcon,
  json: BracketsCurlyIcon,
  csv: TableIcon,
  image: ImageIcon,
  pdf: FilePdfIcon,
  none: FileIcon,
};

/** Pixels that a level of the tree is moved in. */
const indent = 16;

/** The columns of the list, for its header and its rows; beside an open artifact there is room for the name alone. */
export const columnsOf = (compact: boolean): string =>
  compact ? "grid-cols-[minmax(0,1fr)_64px]" : "grid-cols-[minmax(0,1fr)_88px_72px_80px_76px]";

/** The names of the columns. */
export function ArtifactHeader({ compact }: { compact: boolean }) {
  return (
    <>
      <HeaderCell>Path</HeaderCell>
      {compact ? null : (
        <>
          <HeaderCell>Kind</HeaderCell>
          <HeaderCell className="text-right">Versions</HeaderCell>
        </>
      )}
      <HeaderCell className="text-right">Size</HeaderCell>
      {compact ? null : <HeaderCell className="text-right">Changed</HeaderCell>}
    </>
  );
}

/** The icon of an artifact, by what its body is. */
export function ArtifactIcon({ contentType, name }: Pick<ArtifactRow, "contentType" | "name">) {
  const Shape = icons[previewOf(contentType, name).kind];
  return <Shape size={15} aria-hidden="true" className="shrink-0 text-muted" />;
}

export interface ArtifactCellsProps {
  row: ArtifactRow;
  /** How deep it lies in the tree; null in a flat list, which shows the whole path. */
  depth: number | null;
  compact: boolean;
  onOpen: (id: string) => void;
}

/** The cells of an artifact. */
export function ArtifactCells({ row, depth, compact, onOpen }: ArtifactCellsProps) {
  const narrow = useIsNarrow();
  const open = (event: MouseEvent) => {
    // Another tab or window is the browser's business.
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    onOpen(row.id);
  };
  const figure = "tnum text-right text-xs text-muted";
  const path = (
    <span className="flex min-w-0 flex-1 items-center gap-2" style={{ paddingLeft: (depth ?? 0) * indent }}>
      {depth === null ? null : <span className="w-3 shrink-0" />}
      <ArtifactIcon {...row} />
      <Link
        href={artifactHref(row.id)}
        prefetch={false}
        data-row-link=""
        onClick={open}
        title={row.path}
        className="block min-w-0 flex-1 truncate text-[13px] outline-none after:absolute after:inset-0"
      >
        {depth === null ? <span className="text-muted max-md:hidden">{folderOf(row.path)}</span> : null}
        <span className="font-medium">{row.name}</span>
        {depth === null ? <span className="block truncate text-xs text-muted md:hidden">{row.path}</span> : null}
      </Link>
    </span>
  );
  if (narrow)
    return (
      <Cell className="flex h-full items-center gap-3">
        {path}
        <span className={figure}>{formatBytes(row.bytes)}</span>
      </Cell>
    );
  return (
    <>
      <Cell className="flex min-w-0">{path}</Cell>
      {compact ? null : (
        <>
          <Cell className="text-xs text-muted">{kindLabel(row.kind)}</Cell>
          <Cell className={figure}>{row.latestVersion}</Cell>
        </>
      )}
      <Cell className={figure}>{formatBytes(row.bytes)}</Cell>
      {compact ? null : (
        <Cell className={figure}>
          <Time at={row.updatedAt} />
        </Cell>
      )}
    </>
  );
}

export interface FolderCellsProps {
  folder: Extract<TreeLine<ArtifactRow>, { kind: "folder" }>;
  onToggle: () => void;
  onChoose: () => void;
}

/** A folder of the tree: opens and closes, or becomes the only one that is listed. */
export function FolderCells({ folder, onToggle, onChoose }: FolderCellsProps) {
  const Shape = folder.open ? FolderOpenIcon : FolderIcon;
  return (
    <Cell className="group/folder col-span-full flex h-full min-w-0 items-center gap-2">
      <button
        type="button"
        data-row-link=""
        aria-expanded={folder.open}
        onClick={onToggle}
        style={{ paddingLeft: folder.depth * indent }}
        className="flex min-w-0 flex-1 items-center gap-2 text-left text-[13px] text-ink-2 outline-none after:absolute after:inset-0"
      >
        <CaretRightIcon
          size={12}
          weight="bold"
          aria-hidden="true"
          className={`shrink-0 text-muted ${folder.open ? "rotate-90" : ""}`}
        />
        <Shape size={15} aria-hidden="true" className="shrink-0 text-muted" />
        <span className="truncate">{folder.name}</span>
        <span className="tnum text-xs text-muted">{folder.count}</span>
      </button>
      <span className="relative z-10 opacity-0 group-focus-within/folder:opacity-100 group-hover/folder:opacity-100 max-md:opacity-100">
        <IconButton icon={FunnelSimpleIcon} label={`Only the folder ${folder.name}`} onClick={onChoose} />
      </span>
    </Cell>
  );
}
