import { sessionStatuses } from "@wheelhouse/domain";
import type { SessionFilter, SessionOrder, SessionStatus } from "../../generated/graphql.ts";
import { readAll, readKnown, writeAll, writeOne } from "../../lists/list-params.ts";

export interface ConversationFilters {
  agents: string[];
  statuses: SessionStatus[];
  text: string;
  order: SessionOrder;
}

/** The orders, by their names in the address. The first one is the default and is not written. */
export const orders = [
  { order: "LAST_ACTIVITY_DESC", param: "", label: "Latest activity first" },
  { order: "LAST_ACTIVITY_ASC", param: "activity-asc", label: "Oldest activity first" },
  { order: "CREATED_DESC", param: "created-desc", label: "Newest first" },
  { order: "CREATED_ASC", param: "created-asc", label: "Oldest first" },
] as const satisfies readonly { order: SessionOrder; param: string; label: string }[];

/** The longest text that is searched for. */
export const longestText = 200;

/** Reads what the address asks for. What it does not know, it leaves out. */
export function readFilters(params: URLSearchParams): ConversationFilters {
  const sort = params.get("sort") ?? "";
  return {
    agents: readAll(params, "agent"),
    statuses: readKnown(params, "status", sessionStatuses),
    text: (params.get("q") ?? "").slice(0, longestText),
    order: orders.find((each) => each.param === sort)?.order ?? "LAST_ACTIVITY_DESC",
  };
}

/** Writes filters into the address; every other parameter stays. */
export function writeFilters(params: URLSearchParams, filters: Partial<ConversationFilters>): void {
  if (filters.agents !== undefined) writeAll(params, "agent", filters.agents);
  if (filters.statuses !== undefined) writeAll(params, "status", filters.statuses);
  if (filters.text !== undefined) writeOne(params, "q", filters.text.slice(0, longestText));
  if (filters.order !== undefined)
    writeOne(params, "sort", orders.find((each) => each.order === filters.order)?.param ?? "");
}

/** The filters as the API takes them. */
export function toSessionFilter({ agents, statuses, text }: ConversationFilters): SessionFilter {
  return {
    ...(agents.length === 0 ? {} : { agents }),
    ...(statuses.length === 0 ? {} : { statuses }),
    ...(text.trim() === "" ? {} : { text: text.trim() }),
  };
}

export const isFiltered = ({ agents, statuses, text }: ConversationFilters): boolean =>
  agents.length > 0 || statuses.length > 0 || text.trim() !== "";
