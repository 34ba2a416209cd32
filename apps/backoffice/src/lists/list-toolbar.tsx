"use client";

import type { ReactNode } from "react";
import { formatCount } from "../ui/format.ts";
import type { KeysetState } from "./keyset-store.ts";

export interface ListToolbarProps {
  /** Singular and plural. */
  noun: readonly [one: string, many: string];
  state: Pick<KeysetState<unknown>, "phase" | "rows" | "totalCount" | "totalCountIsExact">;
  /** Filters, on the left. */
  children: ReactNode;
  /** Beside the count, on the right. */
  end?: ReactNode;
}

/** The bar over a list: filters, how many rows there are, the order. */
export function ListToolbar({ noun, state, children, end }: ListToolbarProps) {
  const known = state.phase === "ready" || state.rows.length > 0;
  const count = `${formatCount(state.totalCount)}${state.totalCountIsExact ? "" : "+"}`;
  return (
    <div className="flex shrink-0 flex-wrap items-center gap-2 border-b border-line px-3 py-2 md:px-4">
      {children}
      <span className="ml-auto flex items-center gap-2">
        <span role="status" className="tnum text-xs whitespace-nowrap text-muted max-sm:sr-only">
          {known ? `${count} ${state.totalCount === 1 ? noun[0] : noun[1]}` : ""}
        </span>
        {end}
      </span>
    </div>
  );
}
