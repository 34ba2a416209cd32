import type { ApprovalRowFragment } from "../../generated/graphql.ts";
import { graphql } from "../../generated/index.ts";

export const approvalRowFragment = graphql(`
  fragment ApprovalRow on Interrupt {
    ...InterruptRow
    session { id title firstMessage lastMessage agent { id name displayName } }
  }
`);

export type ApprovalRow = ApprovalRowFragment;

export const approvalsDocument = graphql(`
  query Approvals($first: Int!, $after: Cursor, $filter: InterruptFilter) {
    interrupts(first: $first, after: $after, filter: $filter) {
      nodes { ...ApprovalRow }
      pageInfo { hasNextPage endCursor }
      totalCount
      totalCountIsExact
    }
  }
`);
