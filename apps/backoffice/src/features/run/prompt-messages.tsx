"use client";

import { CaretRightIcon, WrenchIcon } from "@phosphor-icons/react";
import { useState } from "react";
import { JsonTree } from "../../ui/json-tree.tsx";
import { previewArguments } from "../conversation/read-result.ts";
import { HugeText } from "./message-text.tsx";
import type { PromptMessage } from "./read-prompt.ts";
import { toggled } from "./toggled.ts";

const tones: Record<string, string> = {
  system: "text-muted",
  user: "text-accent-ink",
  assistant: "text-ink",
  tool: "text-warning-ink",
};

/** Of a long prompt the first and the last messages tell the most: the others begin closed. */
const openAtEnds = 3;
const longestOpen = 1_200;

/** The messages of a prompt, each to be opened; as text, because a model reads text. */
export function PromptMessages({ messages }: { messages: readonly PromptMessage[] }) {
  const [flipped, setFlipped] = useState<ReadonlySet<number>>(new Set());
  return (
    <ol className="overflow-hidden rounded-md border border-line">
      {messages.map((message, index) => {
        const atEnd = index < 1 || index >= messages.length - openAtEnds;
        const open = flipped.has(index) !== (atEnd && message.text.length <= longestOpen);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: the place in the prompt is the identity of a message.
          <li key={index} className="border-b border-line-soft last:border-b-0">
            <button
              type="button"
              aria-expanded={open}
              onClick={() => setFlipped((before) => toggled(before, index))}
              className="flex h-8 w-full items-center gap-2 px-2.5 text-left text-xs hover:bg-hover focus-visible:outline-offset-[-2px]"
            >
              <CaretRightIcon
                size={10}
                weight="bold"
                aria-hidden="true"
                className={`shrink-0 text-muted ${open ? "rotate-90" : ""}`}
              />
              <span className={`shrink-0 font-medium ${tones[message.role] ?? "text-ink"}`}>{message.role}</span>
              {open ? null : (
                <span dir="auto" className="min-w-0 truncate text-muted">
                  {message.text.slice(0, 200) || message.toolRequests.map((request) => request.name).join(", ")}
                </span>
              )}
            </button>
            {open ? <MessageBody message={message} /> : null}
          </li>
        );
      })}
    </ol>
  );
}

function MessageBody({ message }: { message: PromptMessage }) {
  return (
    <div className="space-y-2 px-2.5 pb-2.5 pl-[26px]">
      {message.text === "" ? null : <HugeText text={message.text} />}
      {message.toolRequests.map((request) => (
        <p
          key={request.id}
          className="flex items-start gap-2 rounded border border-line-soft bg-sunken px-2 py-1 text-xs"
        >
          <WrenchIcon size={12} className="mt-0.5 shrink-0 text-muted" aria-hidden="true" />
          <span className="mono min-w-0 break-words text-ink">
            {request.name}
            <span className="text-muted">({previewArguments(request.args, [])})</span>
          </span>
        </p>
      ))}
      {message.parts.length === 0 ? null : (
        <JsonTree value={message.parts} label="Further parts" openDepth={1} maxHeight={220} />
      )}
    </div>
  );
}
