"use client";

import {
  ChatCircleDotsIcon,
  ChatsCircleIcon,
  LinkSimpleIcon,
  SidebarSimpleIcon,
  WarningCircleIcon,
} from "@phosphor-icons/react";
import { useCallback, useEffect } from "react";
import { describeError } from "../../data/describe-error.ts";
import { useUrlParam } from "../../data/use-url-param.ts";
import type { InterruptRowFragment } from "../../generated/graphql.ts";
import { useShortcuts } from "../../shell/shortcuts.tsx";
import { useMay, useViewer } from "../../shell/viewer.tsx";
import { Button, IconButton, LinkButton } from "../../ui/button.tsx";
import { useCopy } from "../../ui/copyable-id.tsx";
import { Page } from "../../ui/page.tsx";
import { EmptyState, ErrorState } from "../../ui/states.tsx";
import { StatusBadge } from "../../ui/status.tsx";
import { AgentMark } from "../agents/agent-mark.tsx";
import { Composer } from "./composer.tsx";
import { ConversationPanel, type Panel, panels } from "./conversation-panel.tsx";
import { ConversationSkeleton } from "./conversation-skeleton.tsx";
import type { ConversationState, ConversationStore } from "./conversation-store.ts";
import { ConversationTitle } from "./conversation-title.tsx";
import { Transcript } from "./transcript.tsx";
import { useConversation } from "./use-conversation.ts";
import { useDraft } from "./use-draft.ts";
import { useStop } from "./use-stop.ts";

const crumb = { label: "Conversations", href: "/conversations" };

/** One conversation: its transcript as it happens, the way to continue it, and everything that is known of it. */
export function ConversationPage({ sessionId }: { sessionId: string }) {
  const { store, state } = useConversation(sessionId);
  if (state.phase === "missing")
    return (
      <Page title="Not found" crumbs={[crumb, { label: "Not found" }]}>
        <EmptyState
          icon={ChatsCircleIcon}
          title="This conversation is not here"
          actions={<LinkButton href="/conversations">All conversations</LinkButton>}
        >
          It does not exist, was deleted, or belongs to a project that you are not a member of.
        </EmptyState>
      </Page>
    );
  if (state.phase === "failed") {
    const { title, message, code } = describeError(state.error);
    return (
      <Page title="Conversation" crumbs={[crumb, { label: "Conversation" }]}>
        <ErrorState
          title={title}
          message={message}
          code={code ?? undefined}
          actions={<Button onClick={store.open}>Try again</Button>}
        />
      </Page>
    );
  }
  return <Loaded store={store} state={state} />;
}

function Loaded({ store, state }: { store: ConversationStore; state: ConversationState }) {
  const { session, view } = state;
  const mayWrite = useMay("OPERATOR");
  const [panelParam, setPanel] = useUrlParam("panel");
  // Without a choice the panel shows where there is room for it.
  const panel: Panel | null = panelParam === "none" ? null : (panels.find((each) => each === panelParam) ?? "details");
  const chosen = panelParam !== null;
  const choose = useCallback((next: Panel | null) => setPanel(next ?? "none"), [setPanel]);
  useShortcuts([
    {
      keys: "i",
      label: "Show or hide the details",
      group: "Conversation",
      run: () => choose(panel === null ? "details" : null),
    },
  ]);
  const fallback = session?.firstMessage?.slice(0, 80) ?? "New conversation";
  const title = session?.title ?? (session === null ? "Conversation" : fallback);
  return (
    <Page
      title={title}
      crumbs={[
        crumb,
        {
          label:
            session === null ? (
              "Conversation"
            ) : (
              <ConversationTitle
                sessionId={session.id}
                title={session.title}
                fallback={fallback}
                mayEdit={mayWrite}
                onRenamed={store.setTitle}
              />
            ),
        },
      ]}
      aside={session === null ? undefined : <StatusBadge status={view.status} variant="pill" />}
      actions={
        session === null ? undefined : (
          <>
            <span className="mr-1 flex items-center gap-2 text-xs text-muted max-lg:hidden">
              <AgentMark name={session.agent.name} label={session.agent.displayName} />
              {session.agent.displayName}
            </span>
            <CopyLink />
            <IconButton
              icon={SidebarSimpleIcon}
              label={panel === null ? "Show details" : "Hide details"}
              keys="i"
              active={panel !== null && chosen}
              onClick={() => choose(panel !== null && (chosen || isWide()) ? null : "details")}
            />
          </>
        )
      }
    >
      {session === null ? (
        <ConversationSkeleton />
      ) : (
        <div className="relative flex h-full min-h-0">
          <div className="flex min-w-0 flex-1 flex-col">
            <Conversing store={store} state={state} mayWrite={mayWrite} />
          </div>
          {panel === null ? null : (
            <aside
              aria-label="About this conversation"
              className={`shrink-0 border-l border-line bg-surface ${panel === "events" ? "w-[480px]" : "w-[368px]"} max-w-full max-xl:absolute max-xl:inset-y-0 max-xl:right-0 max-xl:z-20 max-xl:shadow-pop max-sm:w-full ${chosen ? "" : "max-xl:hidden"}`}
            >
              <ConversationPanel panel={panel} session={session} view={view} onPanel={choose} />
            </aside>
          )}
        </div>
      )}
    </Page>
  );
}

const isWide = (): boolean => matchMedia("(min-width: 80rem)").matches;

function CopyLink() {
  const [copied, copy] = useCopy();
  return (
    <IconButton
      icon={LinkSimpleIcon}
      label={copied ? "Copied" : "Copy link"}
      onClick={() => copy(`${location.origin}${location.pathname}`)}
    />
  );
}

interface ConversingProps {
  store: ConversationStore;
  state: ConversationState;
  mayWrite: boolean;
}

function Conversing({ store, state, mayWrite }: ConversingProps) {
  const { session, view, error } = state;
  const sessionId = session?.id ?? "";
  const viewer = useViewer();
  const [draft, setDraft] = useDraft(sessionId);
  const { stop, stopping, problem } = useStop(store, state);
  const refusal = store.sends.refusal();
  // A refused text goes back to where it can be changed, unless something new stands there.
  useEffect(() => {
    if (refusal !== null) setDraft(refusal.text);
  }, [refusal, setDraft]);
  const blocked =
    view.status === "EXPIRED"
      ? "This conversation has ended by its retention: it takes no new messages"
      : viewer !== null && !mayWrite
        ? "Your role may read this conversation; operators can continue it"
        : null;
  const onDecided = useCallback((rows: readonly InterruptRowFragment[]) => store.decided(rows), [store]);
  return (
    <>
      {error === undefined && problem === null ? null : (
        <p
          role="alert"
          className="flex items-center gap-2 border-b border-line-soft bg-danger-tint px-4 py-2 text-xs text-danger-ink"
        >
          <WarningCircleIcon size={14} weight="fill" aria-hidden="true" />
          <span className="flex-1">{problem ?? `This page is no longer live: ${describeError(error).message}`}</span>
          {error === undefined ? null : (
            <Button size="xs" onClick={store.open}>
              Reconnect
            </Button>
          )}
        </p>
      )}
      <Transcript
        state={state}
        pending={store.sends.pending()}
        blocked={mayWrite ? null : "Operators of the project decide this."}
        onEarlier={store.loadEarlier}
        onDecided={onDecided}
        onResend={store.sends.resend}
        onDiscard={store.sends.discard}
        empty={
          <EmptyState icon={ChatCircleDotsIcon} title={`Say something to ${session?.agent.displayName ?? "the agent"}`}>
            {session?.agent.description ?? "The first message starts a run; you see every step of it as it happens."}
          </EmptyState>
        }
      />
      <Composer
        text={draft}
        onText={setDraft}
        blocked={blocked}
        busy={view.status === "BUSY"}
        stopping={stopping}
        refusal={refusal}
        placeholder={
          view.status === "WAITING"
            ? "Decide above, or go on without it"
            : `Message ${session?.agent.displayName ?? "the agent"}`
        }
        onSend={(policy) => {
          void store.sends.send(draft, policy);
          setDraft("");
        }}
        onStop={stop}
        onDismiss={store.sends.clearRefusal}
      />
    </>
  );
}
