"use client";

import { GitForkIcon } from "@phosphor-icons/react";
import { forkSessionDocument, type ResultOf } from "@wheelhouse/client";
import { useRouter } from "next/navigation";
import { useCallback, useEffect, useState } from "react";
import { useClient } from "../../data/data-provider.tsx";
import { describeError } from "../../data/describe-error.ts";
import { useMay } from "../../shell/viewer.tsx";
import { Button } from "../../ui/button.tsx";
import { Scroller } from "../../ui/scroller.tsx";
import { EmptyState, ErrorState, Loading, Skeleton } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { sessionCheckpointsDocument } from "./conversation-documents.ts";

type Page = NonNullable<ResultOf<typeof sessionCheckpointsDocument>["session"]>["checkpoints"];
type Checkpoint = Page["nodes"][number];

const pageSize = 30;

interface Listed {
  nodes: readonly Checkpoint[];
  /** Null when everything is here. */
  after: string | null;
}

/** Where a conversation has been, and where it can be forked. Read again when a run of it ends. */
export function PanelCheckpoints({ sessionId, runCount }: { sessionId: string; runCount: number }) {
  const client = useClient();
  const mayWrite = useMay("OPERATOR");
  const [listed, setListed] = useState<Listed | null>(null);
  const [error, setError] = useState<unknown>(null);
  const read = useCallback(
    async (before: Listed | null) => {
      try {
        const variables = { id: sessionId, first: pageSize, after: before?.after ?? null };
        const { session } = await client.request(sessionCheckpointsDocument, variables);
        if (session === null || session === undefined) return;
        const { nodes, pageInfo } = session.checkpoints;
        const after = pageInfo.hasNextPage ? (pageInfo.endCursor ?? null) : null;
        setListed({ nodes: [...(before?.nodes ?? []), ...nodes], after });
        setError(null);
      } catch (cause) {
        setError(cause);
      }
    },
    [client, sessionId],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: another run means other checkpoints
  useEffect(() => void read(null), [read, runCount]);
  if (error !== null) {
    const { title, message } = describeError(error);
    return (
      <ErrorState
        title={title}
        message={message}
        actions={<Button onClick={() => void read(null)}>Try again</Button>}
      />
    );
  }
  if (listed === null)
    return (
      <Loading label="Loading checkpoints">
        <div className="space-y-3 p-4">
          {[60, 80, 50].map((width) => (
            <Skeleton key={width} className="h-8" />
          ))}
        </div>
      </Loading>
    );
  if (listed.nodes.length === 0)
    return (
      <EmptyState icon={GitForkIcon} title="No checkpoints yet">
        They come with the first run.
      </EmptyState>
    );
  return (
    <Scroller label="Checkpoints" className="h-full">
      <ol className="divide-y divide-line-soft">
        {listed.nodes.map((checkpoint) => (
          <Row key={checkpoint.id} sessionId={sessionId} checkpoint={checkpoint} mayWrite={mayWrite} />
        ))}
      </ol>
      {listed.after === null ? null : (
        <div className="p-3">
          <Button size="xs" onClick={() => void read(listed)}>
            Older
          </Button>
        </div>
      )}
    </Scroller>
  );
}

/** What a checkpoint is to a reader: the end of a turn, or what comes next in the middle of one. */
function nameOf({ next, source, step }: Checkpoint): string {
  if (source === "update") return "State changed by hand";
  if (next?.length === 0) return "End of a turn";
  if (next?.includes("__start__")) return "A turn begins";
  return next === null || next === undefined ? `Step ${step ?? "?"}` : `Before ${next.join(", ")}`;
}

function Row({ sessionId, checkpoint, mayWrite }: { sessionId: string; checkpoint: Checkpoint; mayWrite: boolean }) {
  const client = useClient();
  const router = useRouter();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const fork = async () => {
    setBusy(true);
    setProblem(null);
    try {
      const input = { sessionId, checkpointId: checkpoint.id };
      const { forkSession: answer } = await client.request(forkSessionDocument, { input });
      if (answer.__typename === "ForkSessionSuccess") router.push(`/conversations/${answer.session.id}`);
      else setProblem(answer.message);
    } catch (cause) {
      setProblem(describeError(cause).message);
    } finally {
      setBusy(false);
    }
  };
  return (
    <li className="flex items-center gap-3 px-4 py-2 text-[13px]">
      <div className={`min-w-0 flex-1 ${checkpoint.inConversation === false ? "text-muted" : "text-ink"}`}>
        <span className="block truncate">{nameOf(checkpoint)}</span>
        <span className="tnum flex gap-2 overflow-hidden text-xs whitespace-nowrap text-muted">
          <Time at={checkpoint.createdAt} as="ago" />
          {checkpoint.inConversation === false ? <span>taken back</span> : null}
        </span>
        {problem === null ? null : (
          <span role="alert" className="block text-xs text-danger-ink">
            {problem}
          </span>
        )}
      </div>
      <Button
        size="xs"
        className="shrink-0"
        icon={GitForkIcon}
        loading={busy}
        disabled={!mayWrite}
        title={mayWrite ? "Begin another conversation from here" : "Operators of the project can fork it"}
        onClick={() => void fork()}
      >
        Fork from here
      </Button>
    </li>
  );
}
