"use client";

import { cancelTaskDocument } from "@wheelhouse/client";
import { isActiveRun } from "@wheelhouse/domain";
import { useState } from "react";
import { useClient } from "../../data/data-provider.tsx";
import { describeError } from "../../data/describe-error.ts";
import type { ConversationState, ConversationStore } from "./conversation-store.ts";

/** Cancels the task of the run that is active now. */
export function useStop(store: ConversationStore, { view }: ConversationState) {
  const client = useClient();
  const [stopping, setStopping] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const active = [...view.runs.values()]
    .filter((run) => isActiveRun(run.status))
    .sort((a, b) => (a.queuedAt < b.queuedAt ? -1 : 1));
  const run = active.find((each) => each.status === "RUNNING") ?? active[0];
  const stop = async () => {
    if (run?.taskId == null) return;
    setStopping(run.runId);
    setProblem(null);
    try {
      const { cancelTask: answer } = await client.request(cancelTaskDocument, {
        input: { taskId: `Task_${run.taskId}`, reason: "Stopped in the backoffice" },
      });
      // It ended by itself in the meantime: what the reader wanted is so.
      if (answer.__typename !== "CancelTaskSuccess" && answer.code !== "NOT_CANCELLABLE") setProblem(answer.message);
      await store.refresh();
    } catch (error) {
      setProblem(describeError(error).message);
    } finally {
      setStopping(null);
    }
  };
  return { stop: () => void stop(), stopping: stopping !== null && stopping === run?.runId, problem };
}
