import type { ReactNode } from "react";

export interface CellProps {
  children: ReactNode;
  className?: string;
  title?: string;
}

// Rows are virtual and laid out as grids, which <table> cannot be: the roles say what the elements cannot.

/** The name of a column of a list. */
export function HeaderCell(props: CellProps) {
  return <span {...columnHeader} {...props} />;
}

/** A cell of a list's row. */
export function Cell(props: CellProps) {
  return <span {...cell} {...props} />;
}

/** Roles for the other parts of a list. */
export const tableRole = { role: "table" } as const;
export const rowGroupRole = { role: "rowgroup" } as const;
export const rowRole = { role: "row" } as const;
const columnHeader = { role: "columnheader" } as const;
const cell = { role: "cell" } as const;
