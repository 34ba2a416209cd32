"use client";

import { useEffect } from "react";
import { useQuery } from "../data/use-query.ts";
import { graphql } from "../generated/index.ts";

export const approvalCountDocument = graphql(`
  query ApprovalCount {
    interrupts(first: 1, filter: { pendingOnly: true }) { totalCount }
  }
`);

/** Tells every holder of the count that approvals were asked for or decided. */
export const approvalsChanged = "wheelhouse:approvals-changed";

const pollMs = 20_000;

/** How many approvals wait. Asked again now and then, when the page is looked at again, and after `approvalsChanged`. */
export function useApprovalCount(): number {
  const { data, refetch } = useQuery(approvalCountDocument, {});
  useEffect(() => {
    const ask = () => {
      if (document.visibilityState === "visible") refetch();
    };
    const timer = setInterval(ask, pollMs);
    document.addEventListener("visibilitychange", ask);
    window.addEventListener(approvalsChanged, ask);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", ask);
      window.removeEventListener(approvalsChanged, ask);
    };
  }, [refetch]);
  return data?.interrupts.totalCount ?? 0;
}
