"use client";

import { ArrowUpIcon } from "@phosphor-icons/react";
import { formatCount } from "../ui/format.ts";

/** Says that rows wait to be shown; a click shows them. */
export function NewRowsPill({ fresh, moved, onShow }: { fresh: number; moved: number; onShow: () => void }) {
  if (fresh + moved === 0) return null;
  return (
    <div className="pointer-events-none absolute inset-x-0 top-10 z-10 flex justify-center">
      <button
        type="button"
        onClick={onShow}
        className="pointer-events-auto inline-flex h-7 items-center gap-1.5 rounded-full bg-accent pr-3 pl-2.5 text-xs font-medium text-on-accent shadow-pop hover:bg-accent-hover"
      >
        <ArrowUpIcon size={12} weight="bold" aria-hidden="true" />
        <span role="status" className="tnum">
          {fresh > 0 ? `${formatCount(fresh)} new` : `${formatCount(moved)} updated`}
        </span>
      </button>
    </div>
  );
}
