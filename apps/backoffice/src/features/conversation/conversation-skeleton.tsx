import { Loading, Skeleton } from "../../ui/states.tsx";

/** The shape of a conversation while it is being read. */
export function ConversationSkeleton() {
  return (
    <Loading label="Loading the conversation">
      <div className="mx-auto flex h-full max-w-[808px] flex-col justify-end gap-6 px-6 pb-28">
        <Skeleton className="h-10 w-3/5 self-end rounded-2xl" />
        <div className="space-y-2.5">
          <Skeleton className="h-3.5 w-11/12" />
          <Skeleton className="h-3.5 w-4/5" />
          <Skeleton className="h-3.5 w-2/3" />
        </div>
        <Skeleton className="h-9 w-full rounded-lg" />
        <Skeleton className="h-10 w-2/5 self-end rounded-2xl" />
        <div className="space-y-2.5">
          <Skeleton className="h-3.5 w-5/6" />
          <Skeleton className="h-3.5 w-3/4" />
          <Skeleton className="h-3.5 w-11/12" />
          <Skeleton className="h-3.5 w-1/2" />
        </div>
      </div>
    </Loading>
  );
}
