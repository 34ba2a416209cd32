import { runStatuses } from "@wheelhouse/domain";
import type { RunFilter, RunStatus } from "../../generated/graphql.ts";
import { readAll, readKnown, writeAll } from "../../lists/list-params.ts";

export interface RunFilters {
  agents: string[];
  statuses: RunStatus[];
}

/** Reads what the address asks for. What it does not know, it leaves out. */
export const readRunFilters = (params: URLSearchParams): RunFilters => ({
  agents: readAll(params, "agent"),
  statuses: readKnown(params, "status", runStatuses),
});

/** Writes filters into the address; every other parameter stays. */
export function writeRunFilters(params: URLSearchParams, filters: Partial<RunFilters>): void {
  if (filters.agents !== undefined) writeAll(params, "agent", filters.agents);
  if (filters.statuses !== undefined) writeAll(params, "status", filters.statuses);
}

/** The filters as the API takes them. */
export const toRunFilter = ({ agents, statuses }: RunFilters): RunFilter => ({
  ...(agents.length === 0 ? {} : { agents }),
  ...(statuses.length === 0 ? {} : { statuses }),
});
