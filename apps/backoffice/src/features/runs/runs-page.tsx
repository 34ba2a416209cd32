"use client";

import { CircleHalfIcon, LightningIcon, MagnifyingGlassIcon, RobotIcon } from "@phosphor-icons/react";
import { runStatuses } from "@wheelhouse/domain";
import { useCallback, useMemo } from "react";
import { FilterMenu } from "../../lists/filter-menu.tsx";
import { ListToolbar } from "../../lists/list-toolbar.tsx";
import { LiveList } from "../../lists/live-list.tsx";
import { useIsNarrow } from "../../lists/use-is-narrow.ts";
import { useUrlState } from "../../lists/use-url-state.ts";
import { Button, LinkButton } from "../../ui/button.tsx";
import { Page } from "../../ui/page.tsx";
import { EmptyState } from "../../ui/states.tsx";
import { StatusIcon, statusLabel } from "../../ui/status.tsx";
import { AgentMark } from "../agents/agent-mark.tsx";
import { useAgentNames } from "../agents/use-agent-names.ts";
import { type RunFilters, readRunFilters, writeRunFilters } from "./run-filters.ts";
import { RunCard, RunCells, RunHeader, runColumns } from "./run-row.tsx";
import { useRunList } from "./use-run-list.ts";

/** Every run of the project, newest first. */
export function RunsPage() {
  const { params, update } = useUrlState();
  const query = params.toString();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text of the parameters is their identity.
  const filters = useMemo(() => readRunFilters(params), [query]);
  const list = useRunList(filters);
  const agents = useAgentNames();
  const narrow = useIsNarrow();
  const change = useCallback(
    (next: Partial<RunFilters>) =>
      update("push", (params) => {
        writeRunFilters(params, next);
        params.delete("at");
      }),
    [update],
  );
  const filtered = filters.agents.length > 0 || filters.statuses.length > 0;
  return (
    <Page title="Runs">
      <div className="flex h-full min-h-0 flex-col">
        <ListToolbar noun={["run", "runs"]} state={list.state}>
          <FilterMenu
            label="Status"
            icon={CircleHalfIcon}
            options={runStatuses.map((status) => ({
              value: status,
              label: statusLabel(status),
              mark: <StatusIcon status={status} />,
            }))}
            selected={filters.statuses}
            onChange={(values) => change({ statuses: runStatuses.filter((status) => values.includes(status)) })}
          />
          <FilterMenu
            label="Agent"
            icon={RobotIcon}
            options={(agents ?? []).map((agent) => ({
              value: agent.name,
              label: agent.displayName,
              mark: <AgentMark name={agent.name} label={agent.displayName} size={16} />,
            }))}
            selected={filters.agents}
            onChange={(values) => change({ agents: values })}
          />
        </ListToolbar>
        <LiveList
          label="Runs"
          list={list}
          rowHeight={{ wide: 38, narrow: 60 }}
          columns={runColumns}
          header={<RunHeader />}
          renderRow={(row) => (narrow ? <RunCard row={row} /> : <RunCells row={row} />)}
          empty={
            filtered ? (
              <EmptyState
                icon={MagnifyingGlassIcon}
                title="No run matches"
                actions={<Button onClick={() => change({ agents: [], statuses: [] })}>Clear all filters</Button>}
              >
                Try fewer filters.
              </EmptyState>
            ) : (
              <EmptyState
                icon={LightningIcon}
                title="Nothing has run yet"
                actions={<LinkButton href="/conversations">Go to Conversations</LinkButton>}
              >
                A run is one attempt of an agent at a piece of work. The first message of a conversation starts the
                first run.
              </EmptyState>
            )
          }
        />
      </div>
    </Page>
  );
}
