import type { SessionOrder } from "../../generated/graphql.ts";
import type { ConversationRow } from "./conversations-documents.ts";

type Sortable = Pick<ConversationRow, "id" | "lastActivityAt" | "createdAt">;

/** The order of the list as the API keeps it: by time, then by id. ISO 8601 in UTC sorts as text. */
export function compareConversations(order: SessionOrder): (a: Sortable, b: Sortable) => number {
  const field = order.startsWith("CREATED") ? "createdAt" : "lastActivityAt";
  const direction = order.endsWith("ASC") ? 1 : -1;
  return (a, b) => {
    const [left, right] = a[field] === b[field] ? [a.id, b.id] : [a[field], b[field]];
    return left === right ? 0 : left < right ? -direction : direction;
  };
}
