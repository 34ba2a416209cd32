"use client";

import { Select } from "@cloudflare/kumo/primitives/select";
import { CaretDownIcon, CheckIcon } from "@phosphor-icons/react";
import { sendMessageDocument } from "@wheelhouse/client";
import { useRouter } from "next/navigation";
import { type FormEvent, type KeyboardEvent, useId, useState } from "react";
import { describeError } from "../../data/describe-error.ts";
import { useMutation } from "../../data/use-mutation.ts";
import { Button, LinkButton } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Kbd } from "../../ui/kbd.tsx";
import { EmptyState, Skeleton } from "../../ui/states.tsx";
import { AgentMark } from "../agents/agent-mark.tsx";
import { type AgentName, useAgentNames } from "../agents/use-agent-names.ts";

const lastAgentKey = "wheelhouse:last-agent";

export interface NewConversationDialogProps {
  open: boolean;
  /** The name of the agent to begin with. */
  agent?: string | undefined;
  onClose: () => void;
}

/** Chooses an agent, takes a message, begins the conversation and goes there. */
export function NewConversationDialog({ open, agent, onClose }: NewConversationDialogProps) {
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => (next ? undefined : onClose())}
      title="New conversation"
      size="md"
      place="top"
    >
      {open ? <NewConversationForm agent={agent} onClose={onClose} /> : null}
    </Dialog>
  );
}

function NewConversationForm({ agent, onClose }: { agent: string | undefined; onClose: () => void }) {
  const agents = useAgentNames();
  if (agents === undefined)
    return (
      <div className="space-y-3 px-5 pb-5">
        <Skeleton className="h-9 w-full" />
        <Skeleton className="h-28 w-full" />
      </div>
    );
  if (agents.length === 0)
    return (
      <EmptyState
        title="There is no agent to talk to yet"
        actions={
          <LinkButton href="/agents" variant="primary">
            Open Agents
          </LinkButton>
        }
      >
        Register one in <code className="text-xs">wheelhouse.config.ts</code> and restart the server.
      </EmptyState>
    );
  const remembered = agents.find((each) => each.name === (agent ?? readLastAgent()));
  return <Composer agents={agents} initial={remembered ?? agents[0]} onClose={onClose} />;
}

interface ComposerProps {
  agents: readonly AgentName[];
  initial: AgentName | undefined;
  onClose: () => void;
}

function Composer({ agents, initial, onClose }: ComposerProps) {
  const router = useRouter();
  const [name, setName] = useState(initial?.name ?? "");
  const [text, setText] = useState("");
  const [problem, setProblem] = useState<string | null>(null);
  const [send, { running, error }] = useMutation(sendMessageDocument);
  const problemId = useId();
  const shown = problem ?? (error === undefined ? null : describeError(error).message);

  const submit = async () => {
    if (running) return;
    if (text.trim() === "") {
      setProblem("Write a message first.");
      return;
    }
    setProblem(null);
    const answer = await send({ input: { agent: name, content: text } });
    if (answer === undefined) return;
    const result = answer.sendMessage;
    if (result.__typename === "SubmitTaskSuccess") {
      rememberAgent(name);
      onClose();
      router.push(`/conversations/${result.session.id}`);
    } else setProblem(result.message);
  };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    submit();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) {
      event.preventDefault();
      submit();
    }
  };

  return (
    <form onSubmit={onSubmit} className="px-5 pb-4">
      <AgentSelect agents={agents} value={name} onChange={setName} />
      <textarea
        // biome-ignore lint/a11y/noAutofocus: the dialog is opened to write.
        autoFocus
        aria-label="Message"
        aria-describedby={shown === null ? undefined : problemId}
        aria-invalid={shown !== null}
        placeholder="What should it do?"
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setProblem(null);
        }}
        onKeyDown={onKeyDown}
        rows={6}
        className="mt-3 block w-full resize-y rounded-md border border-line bg-surface px-3 py-2.5 text-[13.5px] leading-relaxed text-ink placeholder:text-muted focus-visible:border-focus focus-visible:outline-1 focus-visible:outline-offset-0"
      />
      {shown === null ? null : (
        <p id={problemId} role="alert" className="mt-2 text-[13px] text-danger-ink">
          {shown}
        </p>
      )}
      <div className="mt-4 flex items-center justify-end gap-3">
        <span className="mr-auto inline-flex items-center gap-1.5 text-xs text-muted max-sm:hidden">
          <Kbd keys="mod+enter" /> to send
        </span>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="primary" loading={running}>
          Start conversation
        </Button>
      </div>
    </form>
  );
}

interface AgentSelectProps {
  agents: readonly AgentName[];
  value: string;
  onChange: (name: string) => void;
}

function AgentSelect({ agents, value, onChange }: AgentSelectProps) {
  const chosen = agents.find((each) => each.name === value);
  return (
    <Select.Root value={value} onValueChange={(next) => onChange(next ?? value)}>
      <Select.Trigger
        aria-label="Agent"
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

function readLastAgent(): string | null {
  try {
    return localStorage.getItem(lastAgentKey);
  } catch {
    return null;
  }
}

function rememberAgent(name: string): void {
  try {
    localStorage.setItem(lastAgentKey, name);
  } catch {
    // Private windows may refuse storage: the next dialog then begins with the first agent.
  }
}
