"use client";

import { Select } from "@cloudflare/kumo/primitives/select";
import { CaretDownIcon, CheckIcon } from "@phosphor-icons/react";
import { AgentMark } from "./agent-mark.tsx";
import type { AgentName } from "./use-agent-names.ts";

export interface AgentSelectProps {
  agents: readonly AgentName[];
  value: string;
  /** Names the field; there may be two of them. */
  label?: string;
  onChange: (name: string) => void;
}

/** One of some agents, by its face, its name and what it is for. */
export function AgentSelect({ agents, value, label = "Agent", onChange }: AgentSelectProps) {
  const chosen = agents.find((each) => each.name === value);
  return (
    <Select.Root value={value} onValueChange={(next) => onChange(next ?? value)}>
      <Select.Trigger
        aria-label={label}
        className="flex h-11 w-full items-center gap-3 rounded-md border border-line bg-surface px-3 text-left hover:border-line-strong"
      >
        {chosen === undefined ? null : <AgentMark name={chosen.name} label={chosen.displayName} size={22} />}
        <span className="min-w-0 flex-1">
          <span className="block truncate text-[13px] leading-tight font-medium">{chosen?.displayName ?? value}</span>
          <span className="block truncate text-xs leading-tight text-muted">{chosen?.description ?? chosen?.name}</span>
        </span>
        <CaretDownIcon size={13} aria-hidden="true" className="text-muted" />
      </Select.Trigger>
      <Select.Portal>
        <Select.Positioner sideOffset={4} alignItemWithTrigger={false}>
          <Select.Popup className="max-h-72 w-(--anchor-width) overflow-y-auto rounded-lg bg-raised p-1 shadow-pop">
            {agents.map((agent) => (
              <Select.Item
                key={agent.id}
                value={agent.name}
                className="flex cursor-pointer items-center gap-3 rounded-md px-2 py-1.5 outline-none data-highlighted:bg-hover"
              >
                <AgentMark name={agent.name} label={agent.displayName} size={22} />
                <span className="min-w-0 flex-1">
                  <Select.ItemText className="block truncate text-[13px] leading-tight font-medium">
                    {agent.displayName}
                  </Select.ItemText>
                  <span className="block truncate text-xs leading-tight text-muted">
                    {agent.description ?? agent.name}
                  </span>
                </span>
                <Select.ItemIndicator>
                  <CheckIcon size={14} aria-hidden="true" className="text-accent-ink" />
                </Select.ItemIndicator>
              </Select.Item>
            ))}
          </Select.Popup>
        </Select.Positioner>
      </Select.Portal>
    </Select.Root>
  );
}
