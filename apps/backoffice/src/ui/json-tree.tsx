"use client";

import { CaretRightIcon } from "@phosphor-icons/react";
import { useMemo, useState } from "react";
import { CopyButton } from "./copyable-id.tsx";
import { formatCount } from "./format.ts";
import { describeString, type JsonRow, jsonRows } from "./json-rows.ts";
import { VirtualList } from "./virtual-list.tsx";

/** Rows are buttons: no target may be smaller. */
const rowHeight = 24;
const longString = 400;

export interface JsonTreeProps {
  value: unknown;
  /** What it is: "Input of run 12". */
  label: string;
  /** Containers at this depth and above begin open. */
  openDepth?: number;
  /** The greatest height in pixels before the tree scrolls. */
  maxHeight?: number;
  className?: string;
}

/** A JSON value to look through, however large: only open containers are walked, only rows in view are rendered. */
export function JsonTree({ value, label, openDepth = 2, maxHeight = 420, className }: JsonTreeProps) {
  const [toggled, setToggled] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [whole, setWhole] = useState<ReadonlySet<string>>(new Set());
  const rows = useMemo(
    () => jsonRows(value, (path, depth) => toggled.get(path) ?? depth < openDepth),
    [value, toggled, openDepth],
  );
  const toggle = (row: JsonRow) => setToggled((before) => new Map(before).set(row.path, !row.open));
  const measured = whole.size > 0;
  const height = measured ? maxHeight : Math.min(maxHeight, rows.length * rowHeight + 12);
  return (
    <div className={`group/json relative overflow-hidden rounded-md border border-line bg-sunken ${className ?? ""}`}>
      <div className="absolute top-1 right-1 z-10 rounded bg-sunken opacity-0 group-focus-within/json:opacity-100 group-hover/json:opacity-100">
        <CopyButton text={stringify(value)} what={label} />
      </div>
      <div style={{ height }}>
        <VirtualList
          role="group"
          label={label}
          count={rows.length}
          rowHeight={rowHeight}
          measured={measured}
          rowKey={(index) => rows[index]?.path ?? String(index)}
          className="py-1.5"
          renderRow={(index) => {
            const row = rows[index];
            return row === undefined ? null : (
              <JsonLine
                row={row}
                whole={whole.has(row.path)}
                onToggle={() => toggle(row)}
                onWhole={() => setWhole((before) => new Set(before).add(row.path))}
              />
            );
          }}
        />
      </div>
    </div>
  );
}

const stringify = (value: unknown): string =>
  typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "");

interface JsonLineProps {
  row: JsonRow;
  whole: boolean;
  onToggle: () => void;
  onWhole: () => void;
}

function JsonLine({ row, whole, onToggle, onWhole }: JsonLineProps) {
  const indent = { paddingLeft: 10 + row.depth * 14 };
  const name =
    row.name === null ? null : (
      <>
        <span className="text-ink-2">{row.name}</span>
        <span className="text-muted">: </span>
      </>
    );
  if (row.kind === "object" || row.kind === "array") {
    const [open, close] = row.kind === "object" ? ["{", "}"] : ["[", "]"];
    const noun = row.kind === "object" ? "key" : "item";
    return (
      <button
        type="button"
        aria-expanded={row.open}
        disabled={row.size === 0}
        onClick={onToggle}
        style={indent}
        className="mono flex h-6 w-full items-center text-left text-xs hover:bg-hover focus-visible:outline-offset-[-2px]"
      >
        <CaretRightIcon
          size={10}
          weight="bold"
          aria-hidden="true"
          className={`mr-1.5 shrink-0 text-muted transition-transform ${row.open ? "rotate-90" : ""} ${row.size === 0 ? "opacity-0" : ""}`}
        />
        <span className="truncate">
          {name}
          <span className="text-muted">
            {row.open ? open : row.size === 0 ? `${open}${close}` : `${open}…${close}`}
            {row.open || row.size === 0 ? "" : `  ${formatCount(row.size)} ${noun}${row.size === 1 ? "" : "s"}`}
          </span>
        </span>
      </button>
    );
  }
  return (
    <div
      style={indent}
      className={`mono pl-4 text-xs leading-6 ${whole ? "break-words whitespace-pre-wrap" : "truncate"}`}
    >
      <span className="ml-4">
        {name}
        <Leaf row={row} whole={whole} onWhole={onWhole} />
      </span>
    </div>
  );
}

function Leaf({ row, whole, onWhole }: { row: JsonRow; whole: boolean; onWhole: () => void }) {
  if (typeof row.value !== "string")
    return (
      <span className={row.kind === "number" ? "text-running-ink" : "text-warning-ink"}>
        {String(row.value ?? null)}
      </span>
    );
  const text = row.value;
  const special = describeString(text);
  if (special !== null && !whole)
    return (
      <>
        {special.dataUrl === undefined ? null : (
          // biome-ignore lint/performance/noImgElement: the image is inside the page already.
          <img src={special.dataUrl} alt="" className="mr-1.5 inline-block size-4 rounded-sm object-cover" />
        )}
        <span className="text-muted">{special.label}</span>
      </>
    );
  const cut = !whole && text.length > longString;
  return (
    <>
      <span className="text-success-ink">{JSON.stringify(cut ? text.slice(0, longString) : text)}</span>
      {cut || (!whole && text.includes("\n")) ? (
        <button type="button" onClick={onWhole} className="ml-1.5 rounded text-accent-ink hover:underline">
          show all
        </button>
      ) : null}
    </>
  );
}
