import { Loading, Skeleton } from "../../ui/states.tsx";

/** Where the bars of a waterfall may be: left edge and width, percent. */
const bars = [
  [0, 92],
  [0, 22],
  [2, 14],
  [17, 6],
  [23, 38],
  [25, 20],
  [30, 28],
  [62, 30],
  [64, 12],
  [77, 15],
] as const;

/** The shape of a waterfall while its steps are being read. */
export function StepsSkeleton() {
  return (
    <Loading label="Loading the steps">
      <div className="px-4 pt-4">
        {bars.map(([left, width], row) => (
          <div key={`${left}-${width}`} className="flex h-7 items-center">
            <div className="w-[34%] max-w-[380px] min-w-[150px] shrink-0 pr-6" style={{ paddingLeft: (row % 4) * 14 }}>
              <Skeleton className="h-3 w-3/5" />
            </div>
            <div className="relative h-3 flex-1">
              <div className="absolute inset-y-0" style={{ left: `${left}%`, width: `${width}%` }}>
                <Skeleton className="h-3 w-full" />
              </div>
            </div>
          </div>
        ))}
      </div>
    </Loading>
  );
}
