"use client";

import { ArrowClockwiseIcon, TrashIcon, WarningCircleIcon } from "@phosphor-icons/react";
import { Button } from "../../ui/button.tsx";
import { Spinner } from "../../ui/status.tsx";
import { MessageText } from "../run/message-text.tsx";
import type { PendingSend } from "./sends.ts";

export interface PendingRowProps {
  send: PendingSend;
  onResend: () => void;
  onDiscard: () => void;
}

/** A message on its way. When nobody knows whether it arrived, it can be sent again without being doubled. */
export function PendingRow({ send, onResend, onDiscard }: PendingRowProps) {
  const lost = send.state === "lost";
  return (
    <article aria-label="Your message, on its way" className="flex flex-col items-end pt-6 pb-1">
      <div
        className={`max-w-[min(88%,640px)] min-w-0 rounded-2xl rounded-br-md px-3.5 py-2 text-ink ${lost ? "bg-warning-tint" : "bg-accent-tint opacity-75"}`}
      >
        <MessageText text={send.text} />
      </div>
      {lost ? (
        <div role="alert" className="mt-1.5 flex flex-wrap items-center justify-end gap-2 text-xs text-warning-ink">
          <WarningCircleIcon size={14} weight="fill" aria-hidden="true" />
          The server did not answer. Sending again never doubles it.
          <Button size="xs" icon={ArrowClockwiseIcon} onClick={onResend}>
            Send again
          </Button>
          <Button size="xs" variant="ghost" icon={TrashIcon} onClick={onDiscard}>
            Discard
          </Button>
        </div>
      ) : (
        <p className="mt-1 flex h-6 items-center gap-1.5 text-[11.5px] text-muted">
          <Spinner size={12} /> Sending
        </p>
      )}
    </article>
  );
}
