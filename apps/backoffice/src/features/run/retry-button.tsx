"use client";

import { ArrowClockwiseIcon } from "@phosphor-icons/react";
import { retryTaskDocument } from "@wheelhouse/client";
import { useRouter } from "next/navigation";
import { useClient } from "../../data/data-provider.tsx";
import { RunAction } from "./run-action.tsx";

/** Tries the task of a failed run again, and goes to the new run. */
export function RetryButton({ taskId, mayWrite }: { taskId: string; mayWrite: boolean }) {
  const client = useClient();
  const router = useRouter();
  const retry = async () => {
    const { retryTask: answer } = await client.request(retryTaskDocument, { input: { taskId } });
    if (answer.__typename !== "SubmitTaskSuccess") return answer.message;
    router.push(`/runs/${answer.run.id}`);
    return null;
  };
  return (
    <RunAction
      icon={ArrowClockwiseIcon}
      disabled={!mayWrite}
      title={mayWrite ? "Try the task again from where this run began" : "Operators of the project can retry it"}
      act={retry}
    >
      Retry
    </RunAction>
  );
}
