"use client";

import { useEffect } from "react";
import { useFeed } from "../data/use-feed.ts";
import { useQuery } from "../data/use-query.ts";
import { graphql } from "../generated/index.ts";

export const approvalCountDocument = graphql(`
  query ApprovalCount {
    interrupts(first: 1, filter: { pendingOnly: true }) { totalCount }
  }
`);

/** Tells every holder of the count that approvals were asked for or decided. */
export const approvalsChanged = "wheelhouse:approvals-changed";

/** What adds a question to those that wait, or takes one away. */
export const approvalEvents = [
  ...["interrupt.requested", "interrupt.decided", "interrupt.expired"],
  ...["task.cancelled", "task.failed", "task.rejected"],
];

/** How many approvals wait. Asked again when one is asked for or answered anywhere, and after `approvalsChanged`. */
export function useApprovalCount(): number {
  const { data, refetch } = useQuery(approvalCountDocument, {});
  useFeed(approvalEvents, async () => refetch());
  useEffect(() => {
    const ask = () => refetch();
    window.addEventListener(approvalsChanged, ask);
    return () => window.removeEventListener(approvalsChanged, ask);
  }, [refetch]);
  return data?.interrupts.totalCount ?? 0;
}
