"use client";

import { sendMessageDocument } from "@wheelhouse/client";
import { useRouter } from "next/navigation";
import { type FormEvent, type KeyboardEvent, useId, useState } from "react";
import { describeError } from "../../data/describe-error.ts";
import { useMutation } from "../../data/use-mutation.ts";
import { Button, LinkButton } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Kbd } from "../../ui/kbd.tsx";
import { EmptyState, Skeleton } from "../../ui/states.tsx";
import { AgentSelect } from "../agents/agent-select.tsx";
import { offeredAgents } from "../agents/offered-agents.ts";
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
  const all = useAgentNames();
  if (all === undefined)
    return (
      <div className="space-y-3 px-5 pb-5">
        <Skeleton className="h-9 w-full" />
        <Skeleton className="h-28 w-full" />
      </div>
    );
  const agents = offeredAgents(all, agent);
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
