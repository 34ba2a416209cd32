"use client";

import { EqualsIcon, GitDiffIcon } from "@phosphor-icons/react";
import { useId } from "react";
import { describeError } from "../../data/describe-error.ts";
import { useQuery } from "../../data/use-query.ts";
import { formatCount } from "../../ui/format.ts";
import { Scroller } from "../../ui/scroller.tsx";
import { EmptyState, ErrorState, Loading, Skeleton } from "../../ui/states.tsx";
import { artifactDiffDocument } from "./artifacts-documents.ts";

export interface ArtifactChangesProps {
  id: string;
  latest: number;
  from: number;
  to: number;
  onChoose: (versions: { from: number; to: number }) => void;
}

/** Versions beyond this many are chosen in the list of versions. */
const mostChoices = 200;

/** How one version of a text became another, line by line. */
export function ArtifactChanges({ id, latest, from, to, onChoose }: ArtifactChangesProps) {
  if (latest < 2)
    return (
      <EmptyState icon={GitDiffIcon} title="Only one version">
        Changes are shown here as soon as there is a second version.
      </EmptyState>
    );
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="flex min-h-10 shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line-soft px-3 py-1 text-xs text-muted md:px-4">
        <VersionChoice
          label="From version"
          value={from}
          {...{ latest }}
          onChange={(next) => onChoose({ from: next, to })}
        />
        <VersionChoice
          label="to version"
          value={to}
          {...{ latest }}
          onChange={(next) => onChoose({ from, to: next })}
        />
      </div>
      <div className="min-h-0 flex-1">
        <Changes id={id} from={from} to={to} />
      </div>
    </div>
  );
}

interface VersionChoiceProps {
  label: string;
  value: number;
  latest: number;
  onChange: (version: number) => void;
}

function VersionChoice({ label, value, latest, onChange }: VersionChoiceProps) {
  const id = useId();
  const first = Math.max(1, latest - mostChoices + 1);
  const versions = Array.from({ length: latest - first + 1 }, (_, index) => latest - index);
  return (
    <span className="inline-flex items-center gap-2">
      <label htmlFor={id}>{label}</label>
      <select
        id={id}
        value={value}
        onChange={(event) => onChange(Number(event.target.value))}
        className="tnum h-7 rounded-md border border-line-strong bg-surface px-2 text-xs text-ink"
      >
        {(versions.includes(value) ? versions : [...versions, value]).map((version) => (
          <option key={version} value={version}>
            {version}
          </option>
        ))}
      </select>
    </span>
  );
}

function Changes({ id, from, to }: { id: string; from: number; to: number }) {
  const { data, error } = useQuery(artifactDiffDocument, { id, from, to });
  const diff = data?.artifact?.diff;
  if (error !== undefined && diff === undefined) {
    const { message, code } = describeError(error);
    return <ErrorState title="These versions cannot be compared" message={message} code={code ?? undefined} />;
  }
  if (diff === undefined)
    return (
      <Loading label="Comparing">
        <div className="space-y-2 p-4">
          <Skeleton className="h-3 w-1/2" />
          <Skeleton className="h-3 w-2/5" />
        </div>
      </Loading>
    );
  if (diff.hunks.length === 0)
    return (
      <EmptyState icon={EqualsIcon} title="No difference">
        Both versions have the same lines.
      </EmptyState>
    );
  return (
    <Scroller label="Changes" className="h-full">
      <p className="tnum px-3 pt-2.5 text-xs md:px-4">
        <span className="text-success-ink">+{formatCount(diff.added)} added</span>
        <span className="ml-3 text-danger-ink">−{formatCount(diff.removed)} removed</span>
      </p>
      <div className="m-3 overflow-x-auto rounded-md border border-line md:mx-4">
        <table className="mono w-full border-collapse text-xs leading-5">
          <thead className="sr-only">
            <tr>
              <th scope="col">Old line</th>
              <th scope="col">New line</th>
              <th scope="col">Change</th>
              <th scope="col">Text</th>
            </tr>
          </thead>
          {diff.hunks.map((hunk, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a change is its place.
            <tbody key={at} className="border-t border-line first-of-type:border-t-0">
              {hunk.map((line) => (
                <Line key={`${line.oldLine} ${line.newLine}`} line={line} />
              ))}
            </tbody>
          ))}
        </table>
      </div>
    </Scroller>
  );
}

const looks = {
  SAME: { mark: "", row: "", words: "same" },
  ADDED: { mark: "+", row: "bg-success-tint", words: "added" },
  REMOVED: { mark: "−", row: "bg-danger-tint", words: "removed" },
} as const;

interface LineProps {
  line: { kind: keyof typeof looks; text: string; oldLine?: number | null; newLine?: number | null };
}

function Line({ line }: LineProps) {
  const { mark, row, words } = looks[line.kind];
  return (
    <tr className={row}>
      <td className="w-10 px-2 text-right text-ink-2 select-none">{line.oldLine}</td>
      <td className="w-10 px-2 text-right text-ink-2 select-none">{line.newLine}</td>
      <td className="w-4 text-center text-ink-2 select-none">
        <span aria-hidden="true">{mark}</span>
        <span className="sr-only">{words}</span>
      </td>
      <td className="pr-3 pl-1 whitespace-pre-wrap break-words text-ink">{line.text}</td>
    </tr>
  );
}
