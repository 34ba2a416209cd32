import { Loading, Skeleton } from "../ui/states.tsx";

const widths = ["w-2/5", "w-1/3", "w-1/2", "w-2/5", "w-3/5", "w-1/3", "w-1/2"];

/** Rows to come. */
export function ListSkeleton({ rowHeight = 52, rows = 14 }: { rowHeight?: number; rows?: number }) {
  return (
    <Loading label="Loading the list">
      <div className="h-full overflow-hidden md:pt-8">
        {Array.from({ length: rows }, (_, index) => index).map((index) => (
          <div
            key={index}
            className="flex items-center gap-4 border-b border-line-soft px-4"
            style={{ height: rowHeight }}
          >
            <Skeleton className="size-3.5 shrink-0 rounded-full" />
            <div className="min-w-0 flex-1 space-y-2">
              <Skeleton className={`h-3 ${widths[index % widths.length]}`} />
              <Skeleton className={`h-2.5 ${widths[(index + 3) % widths.length]}`} />
            </div>
            <Skeleton className="h-3 w-28 max-md:hidden" />
            <Skeleton className="h-3 w-12" />
          </div>
        ))}
      </div>
    </Loading>
  );
}
