import Link from "next/link";
import { CopyableId } from "../../ui/copyable-id.tsx";
import { makerOf } from "./artifact-words.ts";
import type { VersionRow } from "./artifacts-documents.ts";

/** Who made a version: the run, with the way to it, or the person or key by its id. */
export function Maker({ version: { run, createdBy } }: { version: Pick<VersionRow, "run" | "createdBy"> }) {
  if (run !== null && run !== undefined)
    return (
      <Link href={`/runs/${run.id}`} className="rounded text-accent-ink hover:underline">
        A run
      </Link>
    );
  const maker = makerOf(createdBy ?? null);
  if (maker === null) return <>Unknown</>;
  return (
    <span className="inline-flex min-w-0 items-center gap-1.5">
      {maker.who}
      {maker.id === "" ? null : <CopyableId id={maker.id} what={`id of ${maker.who.toLowerCase()}`} />}
    </span>
  );
}
