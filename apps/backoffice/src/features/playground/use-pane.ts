"use client";

import type { BusyPolicy } from "@wheelhouse/domain";
import { useEffect, useRef, useState } from "react";
import { describeError } from "../../data/describe-error.ts";
import { useMutation } from "../../data/use-mutation.ts";
import { useQuery } from "../../data/use-query.ts";
import { useUrlParam } from "../../data/use-url-param.ts";
import type { ConversationState, ConversationStore } from "../conversation/conversation-store.ts";
import { useConversation } from "../conversation/use-conversation.ts";
import { useDraft } from "../conversation/use-draft.ts";
import { useStop } from "../conversation/use-stop.ts";
import { beginSessionDocument, playgroundDefinitionDocument } from "./playground-documents.ts";
import { type Draft, draftText, readDraft } from "./read-draft.ts";

export type Side = "left" | "right";

/** One side of the playground: an agent, the definition to try it with, and a conversation of its own. */
export interface Pane {
  side: Side;
  /** The agent's name. */
  agent: string | null;
  choose(agent: string | null): void;
  definition: PaneDefinition;
  /** Null until something was said. */
  sessionId: string | null;
  store: ConversationStore;
  state: ConversationState;
  /** Why no conversation could be begun. */
  problem: string | null;
  busy: boolean;
  stop(): void;
  stopping: boolean;
  send(text: string, policy: BusyPolicy | null): void;
  /** Forgets the conversation; it is kept among the others. */
  restart(): void;
}

export interface PaneDefinition {
  /** What stands in the editor. */
  text: string;
  setText(text: string): void;
  reset(): void;
  draft: Draft;
  /** CODE: a graph without a definition; undefined while it is not known. */
  source: "FILE" | "API" | "CODE" | undefined;
}

interface Message {
  text: string;
  policy: BusyPolicy | null;
  draft: object | undefined;
}

/** What one side of the playground is, kept in the address: `left=<agent>&leftSession=<id>`. */
export function usePane(side: Side): Pane {
  const [agent, setAgent] = useUrlParam(side);
  const [sessionId, setSession] = useUrlParam(`${side}Session`);
  const { store, state } = useConversation(sessionId);
  const definition = useDefinition(side, agent);
  const stopper = useStop(store, state);
  const [begin, { running: beginning, error }] = useMutation(beginSessionDocument);
  const [refused, setRefused] = useState<string | null>(null);
  // The first message waits for its conversation, which is there with the next rendering.
  const first = useRef<Message | null>(null);
  useEffect(() => {
    const message = first.current;
    if (sessionId === null || message === null) return;
    first.current = null;
    void store.sends.send(message.text, message.policy, message.draft);
  }, [store, sessionId]);

  const send = async (text: string, policy: BusyPolicy | null) => {
    if (agent === null || beginning || definition.draft.kind === "invalid") return;
    const draft = definition.draft.kind === "draft" ? definition.draft.definition : undefined;
    if (sessionId !== null) {
      await store.sends.send(text, policy, draft);
      return;
    }
    setRefused(null);
    const answer = await begin({ input: { agent, metadata: { playground: true } } });
    if (answer === undefined) return;
    const { createSession: session } = answer;
    if (session.__typename === "Session") {
      first.current = { text, policy, draft };
      setSession(session.id);
    } else setRefused(session.message);
  };
  const restart = () => {
    setRefused(null);
    setSession(null);
  };
  return {
    side,
    agent,
    choose(next) {
      setAgent(next);
      restart();
    },
    definition,
    sessionId,
    store,
    state,
    problem: refused ?? stopper.problem ?? (error === undefined ? null : describeError(error).message),
    busy: beginning || (sessionId !== null && state.view.status === "BUSY"),
    stop: stopper.stop,
    stopping: stopper.stopping,
    send: (text, policy) => void send(text, policy),
    restart,
  };
}

function useDefinition(side: Side, agent: string | null): PaneDefinition {
  const { data } = useQuery(playgroundDefinitionDocument, { name: agent ?? "" }, { pause: agent === null });
  const [edited, setEdited] = useDraft(`playground:${side}:${agent ?? ""}`);
  const saved = data?.resolveConfig?.definition;
  return {
    text: edited === "" && saved !== undefined ? draftText(saved) : edited,
    setText: setEdited,
    reset: () => setEdited(""),
    draft: readDraft(edited, saved),
    source: data?.resolveConfig?.source,
  };
}
