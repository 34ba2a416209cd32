"use client";

import { useEffect, useState } from "react";
import { useClient } from "../../data/data-provider.tsx";
import { describeError } from "../../data/describe-error.ts";
import { CopyableId } from "../../ui/copyable-id.tsx";
import { JsonTree } from "../../ui/json-tree.tsx";
import { Scroller } from "../../ui/scroller.tsx";
import { ErrorState, Loading, Skeleton } from "../../ui/states.tsx";
import { runManifestDocument } from "./run-documents.ts";

/** The definition that the run executes, pinned when it was submitted, with the digest that proves it. */
export function ManifestView({ runId, digest }: { runId: string; digest: string }) {
  const client = useClient();
  const [state, setState] = useState<{ manifest: unknown; error: unknown }>({ manifest: undefined, error: undefined });
  useEffect(() => {
    const abort = new AbortController();
    client
      .request(runManifestDocument, { id: runId }, { signal: abort.signal })
      .then(({ run }) => setState({ manifest: run?.manifest ?? null, error: undefined }))
      .catch((error: unknown) => {
        if (!abort.signal.aborted) setState({ manifest: undefined, error });
      });
    return () => abort.abort();
  }, [client, runId]);
  if (state.error !== undefined) {
    const { title, message, code } = describeError(state.error);
    return <ErrorState title={title} message={message} code={code ?? undefined} />;
  }
  return (
    <Scroller label="Manifest" className="h-full px-3 py-4 md:px-4">
      <div className="max-w-3xl">
        <p className="mb-3 text-[13px] text-pretty text-muted">
          The definition as it was resolved when the run was submitted. Later edits of the agent do not change it.
        </p>
        <p className="mb-3 flex min-w-0 items-center gap-2 text-xs text-muted">
          SHA-256
          <CopyableId id={digest} what="digest" whole />
        </p>
        {state.manifest === undefined ? (
          <Loading label="Loading the manifest">
            <Skeleton className="h-64 w-full" />
          </Loading>
        ) : (
          <JsonTree value={state.manifest} label="Manifest" openDepth={3} maxHeight={640} />
        )}
      </div>
    </Scroller>
  );
}
