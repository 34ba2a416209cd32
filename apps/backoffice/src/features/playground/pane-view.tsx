"use client";

import {
  ArrowCounterClockwiseIcon,
  ArrowSquareOutIcon,
  BracketsCurlyIcon,
  ChatCircleDotsIcon,
  XIcon,
} from "@phosphor-icons/react";
import { useRouter } from "next/navigation";
import { useCallback } from "react";
import { describeError } from "../../data/describe-error.ts";
import { useUrlParam } from "../../data/use-url-param.ts";
import type { InterruptRowFragment } from "../../generated/graphql.ts";
import { useMay } from "../../shell/viewer.tsx";
import { Button, IconButton } from "../../ui/button.tsx";
import { EmptyState, ErrorState } from "../../ui/states.tsx";
import { AgentSelect } from "../agents/agent-select.tsx";
import { offeredAgents } from "../agents/offered-agents.ts";
import type { AgentName } from "../agents/use-agent-names.ts";
import { ConversationSkeleton } from "../conversation/conversation-skeleton.tsx";
import { Transcript } from "../conversation/transcript.tsx";
import { DefinitionEditor } from "./definition-editor.tsx";
import { PaneProblem } from "./pane-problem.tsx";
import type { Pane } from "./use-pane.ts";

export interface PaneViewProps {
  pane: Pane;
  agents: readonly AgentName[];
  /** Takes the pane away; absent when it is the only one. */
  onClose?: () => void;
}

/** One side: which agent, by which definition, and what it says. */
export function PaneView({ pane, agents, onClose }: PaneViewProps) {
  const { side, agent, definition, sessionId, store, state } = pane;
  const router = useRouter();
  const mayEdit = useMay("EDITOR");
  const [editing, setEditing] = useUrlParam(`${side}Definition`);
  const refusal = sessionId === null ? null : store.sends.refusal();
  const isDraft = definition.draft.kind !== "saved";
  return (
    <>
      <div className="flex shrink-0 items-center gap-1.5 border-b border-line-soft px-3 py-2 md:px-4">
        <div className="min-w-0 flex-1">
          <AgentSelect
            agents={offeredAgents(agents, agent)}
            value={agent ?? ""}
            label={`Agent on the ${side}`}
            onChange={pane.choose}
          />
        </div>
        {isDraft ? (
          <span className="inline-flex h-[20px] items-center rounded bg-warning-tint px-1.5 text-2xs font-medium text-warning-ink">
            Draft
          </span>
        ) : null}
        <IconButton
          icon={BracketsCurlyIcon}
          label={editing === null ? "Try another definition" : "Hide the definition"}
          active={editing !== null}
          disabled={agent === null}
          onClick={() => setEditing(editing === null ? "open" : null)}
        />
        {sessionId === null ? null : (
          <>
            <IconButton icon={ArrowCounterClockwiseIcon} label="Begin again" onClick={pane.restart} />
            <IconButton
              icon={ArrowSquareOutIcon}
              label="Open as a conversation"
              onClick={() => router.push(`/conversations/${sessionId}`)}
            />
          </>
        )}
        {onClose === undefined ? null : <IconButton icon={XIcon} label={`Close the ${side}`} onClick={onClose} />}
      </div>
      {editing === null || agent === null ? null : (
        <DefinitionEditor side={side} definition={definition} mayEdit={mayEdit} />
      )}
      {refusal === null ? null : (
        <PaneProblem
          refusal={refusal}
          onSendAgain={() => pane.send(refusal.text, null)}
          onDismiss={store.sends.clearRefusal}
        />
      )}
      {pane.problem === null && state.error === undefined ? null : (
        <p role="alert" className="shrink-0 border-b border-line-soft bg-danger-tint px-4 py-2 text-xs text-danger-ink">
          {pane.problem ?? describeError(state.error).message}
        </p>
      )}
      <PaneTranscript pane={pane} agents={agents} />
    </>
  );
}

function PaneTranscript({ pane, agents }: { pane: Pane; agents: readonly AgentName[] }) {
  const { sessionId, store, state, agent } = pane;
  const mayWrite = useMay("OPERATOR");
  const chosen = agents.find(({ name }) => name === agent);
  const onDecided = useCallback((rows: readonly InterruptRowFragment[]) => store.decided(rows), [store]);
  const empty = (
    <EmptyState icon={ChatCircleDotsIcon} title={`Say something to ${chosen?.displayName ?? "an agent"}`}>
      {chosen?.description ?? "Choose an agent, and change its definition if you like: a draft is saved nowhere."}
    </EmptyState>
  );
  if (sessionId === null) return <div className="min-h-0 flex-1 overflow-auto">{empty}</div>;
  if (state.phase === "missing" || state.phase === "failed")
    return (
      <div className="min-h-0 flex-1 overflow-auto">
        <ErrorState
          title={state.phase === "missing" ? "This conversation is not here" : describeError(state.error).title}
          message="It may have been deleted, or the server cannot be reached."
          actions={<Button onClick={pane.restart}>Begin again</Button>}
        />
      </div>
    );
  const pending = store.sends.pending();
  if (state.phase === "loading" && pending.length === 0)
    return (
      <div className="min-h-0 flex-1 overflow-hidden">
        <ConversationSkeleton />
      </div>
    );
  return (
    <Transcript
      state={state}
      pending={pending}
      blocked={mayWrite ? null : "Operators of the project decide this."}
      onEarlier={store.loadEarlier}
      onDecided={onDecided}
      onResend={store.sends.resend}
      onDiscard={store.sends.discard}
      empty={empty}
    />
  );
}
