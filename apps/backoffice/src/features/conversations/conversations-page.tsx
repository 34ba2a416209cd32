"use client";

import { ChatsIcon, CircleHalfIcon, MagnifyingGlassIcon, NotePencilIcon, RobotIcon } from "@phosphor-icons/react";
import { sessionStatuses } from "@wheelhouse/domain";
import { useCallback, useMemo } from "react";
import { FilterMenu } from "../../lists/filter-menu.tsx";
import { ListToolbar } from "../../lists/list-toolbar.tsx";
import { LiveList } from "../../lists/live-list.tsx";
import { SearchField } from "../../lists/search-field.tsx";
import { SortMenu } from "../../lists/sort-menu.tsx";
import { useIsNarrow } from "../../lists/use-is-narrow.ts";
import { useUrlState } from "../../lists/use-url-state.ts";
import { useShell } from "../../shell/shell-context.ts";
import { useMay } from "../../shell/viewer.tsx";
import { Button } from "../../ui/button.tsx";
import { Page } from "../../ui/page.tsx";
import { EmptyState } from "../../ui/states.tsx";
import { StatusIcon, statusLabel } from "../../ui/status.tsx";
import { AgentMark } from "../agents/agent-mark.tsx";
import { useAgentNames } from "../agents/use-agent-names.ts";
import {
  type ConversationFilters,
  isFiltered,
  longestText,
  orders,
  readFilters,
  writeFilters,
} from "./conversation-filters.ts";
import { ConversationCard, ConversationCells, ConversationHeader, conversationColumns } from "./conversation-row.tsx";
import { useConversationList } from "./use-conversation-list.ts";

/** Every conversation of the project, live. */
export function ConversationsPage() {
  const { params, update } = useUrlState();
  const query = params.toString();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text of the parameters is their identity.
  const filters = useMemo(() => readFilters(params), [query]);
  const list = useConversationList(filters);
  const mayWrite = useMay("OPERATOR");
  const narrow = useIsNarrow();
  const { newConversation } = useShell();
  const change = useCallback(
    (how: "push" | "replace", next: Partial<ConversationFilters>) =>
      update(how, (params) => {
        writeFilters(params, next);
        params.delete("at");
      }),
    [update],
  );
  return (
    <Page
      title="Conversations"
      actions={
        mayWrite ? (
          <Button variant="primary" icon={NotePencilIcon} onClick={() => newConversation()}>
            New conversation
          </Button>
        ) : null
      }
    >
      <div className="flex h-full min-h-0 flex-col">
        <FilterBar filters={filters} list={list} onChange={change} />
        <LiveList
          label="Conversations"
          list={list}
          rowHeight={{ wide: 48, narrow: 84 }}
          columns={conversationColumns}
          header={<ConversationHeader />}
          renderRow={(row) => (narrow ? <ConversationCard row={row} /> : <ConversationCells row={row} />)}
          empty={
            isFiltered(filters) ? (
              <NoResults onClear={() => change("push", { agents: [], statuses: [], text: "" })} />
            ) : (
              <FirstConversation />
            )
          }
        />
      </div>
    </Page>
  );
}

interface FilterBarProps {
  filters: ConversationFilters;
  list: ReturnType<typeof useConversationList>;
  onChange: (how: "push" | "replace", next: Partial<ConversationFilters>) => void;
}

function FilterBar({ filters, list, onChange }: FilterBarProps) {
  const agents = useAgentNames();
  const search = useCallback((text: string) => onChange("replace", { text }), [onChange]);
  return (
    <ListToolbar
      noun={["conversation", "conversations"]}
      state={list.state}
      end={<SortMenu orders={orders} value={filters.order} onChange={(order) => onChange("push", { order })} />}
    >
      <SearchField
        label="Search conversations"
        placeholder="Search title and messages"
        value={filters.text}
        maxLength={longestText}
        onChange={search}
      />
      <FilterMenu
        label="Status"
        icon={CircleHalfIcon}
        options={sessionStatuses.map((status) => ({
          value: status,
          label: statusLabel(status),
          mark: <StatusIcon status={status} />,
        }))}
        selected={filters.statuses}
        onChange={(values) =>
          onChange("push", { statuses: sessionStatuses.filter((status) => values.includes(status)) })
        }
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
        onChange={(values) => onChange("push", { agents: values })}
      />
    </ListToolbar>
  );
}

function NoResults({ onClear }: { onClear: () => void }) {
  return (
    <EmptyState
      icon={MagnifyingGlassIcon}
      title="No conversation matches"
      actions={<Button onClick={onClear}>Clear all filters</Button>}
    >
      Try fewer filters or another word. The search looks at titles and at first and last messages.
    </EmptyState>
  );
}

function FirstConversation() {
  const { newConversation } = useShell();
  const mayWrite = useMay("OPERATOR");
  return (
    <EmptyState
      icon={ChatsIcon}
      title="No conversations yet"
      actions={
        mayWrite ? (
          <Button variant="primary" icon={NotePencilIcon} onClick={() => newConversation()}>
            Start the first conversation
          </Button>
        ) : null
      }
    >
      {mayWrite
        ? "Write to one of your agents and watch it work here, step by step. "
        : "Conversations appear here as soon as somebody writes to an agent; your role may read them. "}
      Your applications can begin conversations too, with the <code className="text-xs">sendMessage</code> mutation of
      the API.
    </EmptyState>
  );
}
