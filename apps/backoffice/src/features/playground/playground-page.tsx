"use client";

import { ColumnsIcon } from "@phosphor-icons/react";
import { useEffect, useState } from "react";
import { useMay, useViewer } from "../../shell/viewer.tsx";
import { Button, LinkButton } from "../../ui/button.tsx";
import { Page } from "../../ui/page.tsx";
import { EmptyState } from "../../ui/states.tsx";
import { offeredAgents } from "../agents/offered-agents.ts";
import { type AgentName, useAgentNames } from "../agents/use-agent-names.ts";
import { Composer } from "../conversation/composer.tsx";
import { ConversationSkeleton } from "../conversation/conversation-skeleton.tsx";
import { PaneView } from "./pane-view.tsx";
import { type Pane, type Side, usePane } from "./use-pane.ts";

/** Agents and drafts of them, talked to; two of them side by side hear the same. */
export function PlaygroundPage() {
  const agents = useAgentNames();
  const left = usePane("left");
  const right = usePane("right");
  const [first] = offeredAgents(agents ?? [], null);
  const { agent, choose } = left;
  useEffect(() => {
    if (agent === null && first !== undefined) choose(first.name);
  }, [agent, choose, first]);
  const isCompared = right.agent !== null;
  return (
    <Page
      title="Playground"
      actions={
        isCompared || left.agent === null ? null : (
          <Button icon={ColumnsIcon} onClick={() => right.choose(left.agent)}>
            Compare
          </Button>
        )
      }
    >
      {agents === undefined ? (
        <ConversationSkeleton />
      ) : first === undefined && left.agent === null ? (
        <EmptyState title="There is no agent to try yet" actions={<LinkButton href="/agents">Open Agents</LinkButton>}>
          Register one in code, describe one by a file of the workspace, or define one.
        </EmptyState>
      ) : (
        <Panes left={left} right={isCompared ? right : null} agents={agents} />
      )}
    </Page>
  );
}

function Panes({ left, right, agents }: { left: Pane; right: Pane | null; agents: readonly AgentName[] }) {
  // Where there is no room for both.
  const [shown, setShown] = useState<Side>("left");
  const panes = right === null ? [left] : [left, right];
  return (
    <div className="flex h-full min-h-0 flex-col">
      {right === null ? null : (
        <div className="flex shrink-0 gap-1 border-b border-line-soft px-3 py-1.5 md:hidden">
          {panes.map(({ side, agent }) => (
            <button
              key={side}
              type="button"
              aria-pressed={shown === side}
              onClick={() => setShown(side)}
              className="h-7 min-w-0 flex-1 truncate rounded-md px-2 text-xs font-medium text-ink-2 hover:bg-hover aria-pressed:bg-selected aria-pressed:text-ink"
            >
              {side === "left" ? "Left" : "Right"}: {agent}
            </button>
          ))}
        </div>
      )}
      <div className="flex min-h-0 flex-1">
        {panes.map((pane) => (
          <section
            key={pane.side}
            aria-label={pane.side === "left" ? "Left" : "Right"}
            className={`flex min-w-0 flex-1 flex-col ${pane.side === "right" ? "md:border-l md:border-line" : ""} ${right !== null && shown !== pane.side ? "max-md:hidden" : ""}`}
          >
            <PaneView
              pane={pane}
              agents={agents}
              {...(pane.side === "right" ? { onClose: () => pane.choose(null) } : {})}
            />
          </section>
        ))}
      </div>
      <Saying panes={panes} />
    </div>
  );
}

/** What is said here is said to every pane. */
function Saying({ panes }: { panes: readonly Pane[] }) {
  const [text, setText] = useState("");
  const [wrong, setWrong] = useState<string | null>(null);
  const viewer = useViewer();
  const mayWrite = useMay("OPERATOR");
  const blocked = viewer !== null && !mayWrite ? "Your role may look at agents; operators can talk to them" : null;
  return (
    <Composer
      text={text}
      onText={setText}
      blocked={blocked}
      busy={panes.some(({ busy }) => busy)}
      stopping={panes.some(({ stopping }) => stopping)}
      refusal={wrong === null ? null : { code: "CONFIG_INVALID", message: wrong, issues: [], text }}
      placeholder={panes.length === 1 ? "Message the agent" : "Message both agents"}
      onSend={(policy) => {
        const invalid = panes.find(({ definition }) => definition.draft.kind === "invalid");
        setWrong(invalid === undefined ? null : `The definition on the ${invalid.side} cannot be read`);
        if (invalid !== undefined) return;
        // Each pane by itself: one may be done while the other is still busy.
        for (const pane of panes) pane.send(text, pane.busy ? policy : null);
        setText("");
      }}
      onStop={() => {
        for (const pane of panes) pane.stop();
      }}
      onDismiss={() => setWrong(null)}
    />
  );
}
