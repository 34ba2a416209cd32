"use client";

import { useMemo } from "react";
import { Cell, HeaderCell, rowRole, tableRole } from "../../lists/table-cells.tsx";
import { EmptyState } from "../../ui/states.tsx";
import { VirtualList } from "../../ui/virtual-list.tsx";
import { parseCsv, separatorOf } from "./parse-csv.ts";

const rowHeight = 28;
/** Widths of a column, in letters; what is longer is cut and told whole on hover. */
const narrowest = 6;
const widest = 36;
/** Rows that are looked at for the width of a column. */
const sampled = 200;

/** Separated values as a table: the first row names the columns, only rows in view are rendered. */
export function CsvTable({ text, complete, label }: { text: string; complete: boolean; label: string }) {
  const rows = useMemo(() => parseCsv(text, { separator: separatorOf(text), cut: !complete }), [text, complete]);
  const [names, ...body] = rows;
  const columns = useMemo(() => columnsOf(rows), [rows]);
  if (names === undefined) return <EmptyState title="No rows">There is nothing in this table.</EmptyState>;
  const row = "grid h-full min-w-max items-center border-b border-line-soft";
  const cells = Array.from({ length: columns.length }, (_, index) => index);
  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: the role comes with tableRole.
    <div {...tableRole} aria-label={label} aria-rowcount={complete ? rows.length : -1} className="h-full min-h-0">
      <VirtualList
        role="rowgroup"
        label={label}
        count={body.length}
        rowHeight={rowHeight}
        rowKey={String}
        header={
          <div
            {...rowRole}
            className={`${row} sticky top-0 z-10 h-7! bg-sunken`}
            style={{ gridTemplateColumns: template(columns) }}
          >
            {cells.map((index) => (
              <HeaderCell
                key={index}
                className="truncate px-3 text-2xs font-medium text-muted"
                title={names[index] ?? ""}
              >
                {names[index]}
              </HeaderCell>
            ))}
          </div>
        }
        renderRow={(at) => (
          <div {...rowRole} className={row} style={{ gridTemplateColumns: template(columns) }}>
            {cells.map((index) => {
              const value = body[at]?.[index] ?? "";
              return (
                <Cell key={index} className="tnum truncate px-3 text-xs text-ink" title={value}>
                  {value}
                </Cell>
              );
            })}
          </div>
        )}
      />
    </div>
  );
}

const template = (columns: readonly number[]): string => columns.map((width) => `${width}px`).join(" ");

/** The width of each column, pixels. */
function columnsOf(rows: readonly string[][]): number[] {
  const some = rows.slice(0, sampled);
  const count = some.reduce((most, row) => Math.max(most, row.length), 0);
  return Array.from({ length: count }, (_, index) => {
    const longest = some.reduce((most, row) => Math.max(most, row[index]?.length ?? 0), narrowest);
    return Math.min(longest, widest) * 7 + 28;
  });
}
