"use client";

import { CheckIcon, CopySimpleIcon, type Icon, LinkSimpleIcon, WarningCircleIcon } from "@phosphor-icons/react";
import { memo } from "react";
import { useCopy } from "../../ui/copyable-id.tsx";
import { formatCount } from "../../ui/format.ts";
import { Time } from "../../ui/time.tsx";
import type { MessageView } from "../run/live-view.ts";
import { MessageText } from "../run/message-text.tsx";

/** One message of the transcript. */
export const MessageRow = memo(function MessageRow({ message }: { message: MessageView }) {
  if (message.role === "USER") return <UserMessage message={message} />;
  if (message.role === "SYSTEM") return <SystemMessage message={message} />;
  return <AgentMessage message={message} />;
});

function UserMessage({ message }: { message: MessageView }) {
  return (
    <article aria-label="Message of the user" className="group/message flex flex-col items-end pt-6 pb-1">
      <div className="max-w-[min(88%,640px)] min-w-0 rounded-2xl rounded-br-md bg-accent-tint px-3.5 py-2 text-ink">
        <MessageText text={message.text} />
      </div>
      <Footer message={message} />
    </article>
  );
}

function AgentMessage({ message }: { message: MessageView }) {
  const streaming = message.state === "streaming";
  return (
    <article aria-label="Answer of the agent" aria-busy={streaming} className="group/message py-2">
      <MessageText text={message.text} streaming={streaming} />
      {message.gap ? (
        <p className="mt-1 flex items-center gap-1.5 text-xs text-warning-ink">
          <WarningCircleIcon size={14} aria-hidden="true" />
          The beginning of this text is being read again
        </p>
      ) : null}
      {streaming ? null : <Footer message={message} />}
    </article>
  );
}

function SystemMessage({ message }: { message: MessageView }) {
  return (
    <article
      aria-label="System message"
      className="my-3 rounded-md border border-dashed border-line px-3 py-2 text-xs text-muted"
    >
      <span className="mr-2 font-medium text-ink-2">System</span>
      <span dir="auto" className="break-words whitespace-pre-wrap">
        {message.text.slice(0, 4_000)}
      </span>
    </article>
  );
}

function Footer({ message }: { message: MessageView }) {
  const { model, tokenCount, finishReason } = message;
  return (
    <div
      className={`mt-1 flex h-6 items-center gap-2 text-[11.5px] text-muted ${message.role === "USER" ? "flex-row-reverse" : ""}`}
    >
      <Time at={message.at} as="clock" />
      {model === null ? null : <span className="mono truncate">{model}</span>}
      {tokenCount === null ? null : <span className="tnum">{formatCount(tokenCount)} tokens</span>}
      {finishReason === null || finishReason === "stop" || finishReason === "end_turn" ? null : (
        <span>{finishReason}</span>
      )}
      <span className="flex opacity-0 group-focus-within/message:opacity-100 group-hover/message:opacity-100 [@media(hover:none)]:opacity-100">
        <SmallCopy text={message.text} label="Copy message" icon={CopySimpleIcon} />
        <SmallCopy text={linkTo(message.messageId)} label="Copy link to message" icon={LinkSimpleIcon} />
      </span>
    </div>
  );
}

const linkTo = (messageId: string): string =>
  typeof location === "undefined" ? "" : `${location.origin}${location.pathname}#message-${messageId}`;

function SmallCopy({ text, label, icon: Shape }: { text: string; label: string; icon: Icon }) {
  const [copied, copy] = useCopy();
  return (
    <button
      type="button"
      aria-label={copied ? "Copied" : label}
      title={label}
      onClick={() => copy(text)}
      className="inline-flex size-6 items-center justify-center rounded text-muted hover:bg-hover hover:text-ink"
    >
      {copied ? (
        <CheckIcon size={13} weight="bold" className="text-success-ink" />
      ) : (
        <Shape size={13} aria-hidden="true" />
      )}
    </button>
  );
}
