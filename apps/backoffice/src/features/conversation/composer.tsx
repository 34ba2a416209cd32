"use client";

import { ArrowUpIcon, LightningIcon, StopIcon, XIcon } from "@phosphor-icons/react";
import type { BusyPolicy } from "@wheelhouse/domain";
import { type KeyboardEvent, useId, useRef } from "react";
import { Button } from "../../ui/button.tsx";
import { Kbd } from "../../ui/kbd.tsx";
import type { SendRefusal } from "./sends.ts";

/** A longer text is not measured with every key: the field keeps its greatest height. Characters. */
const longestMeasured = 4_000;

export interface ComposerProps {
  text: string;
  onText: (text: string) => void;
  /** Why nothing can be sent; null when it can. */
  blocked: string | null;
  busy: boolean;
  stopping: boolean;
  refusal: SendRefusal | null;
  placeholder: string;
  onSend: (policy: BusyPolicy | null) => void;
  onStop: () => void;
  onDismiss: () => void;
}

/** Where an operator writes. While a run is active a message queues behind it, or takes its place. */
export function Composer(props: ComposerProps) {
  const { text, onText, blocked, busy, stopping, refusal, placeholder, onSend, onStop, onDismiss } = props;
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  const ready = text.trim() !== "" && blocked === null;
  const send = (policy: BusyPolicy | null) => {
    if (!ready) return;
    onSend(policy);
    field.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send(busy ? "ENQUEUE" : null);
  };
  return (
    <div className="shrink-0 px-3 pb-3 md:px-6 md:pb-4">
      <div className="mx-auto max-w-[760px]">
        {refusal === null ? null : <Refusal refusal={refusal} onDismiss={onDismiss} />}
        <div
          className={`rounded-xl border bg-surface shadow-[0_1px_3px_rgb(0_0_0/0.05)] transition-colors ${blocked === null ? "border-line focus-within:border-focus" : "border-line bg-sunken"}`}
        >
          <label htmlFor={id} className="sr-only">
            Message to the agent
          </label>
          <textarea
            id={id}
            ref={field}
            dir="auto"
            rows={1}
            value={text}
            disabled={blocked !== null}
            onChange={(event) => onText(event.target.value)}
            onKeyDown={onKeyDown}
            placeholder={blocked ?? placeholder}
            aria-describedby={`${id}-hint`}
            className={`quick-text block min-h-[42px] w-full resize-none bg-transparent px-3.5 pt-2.5 pb-1 text-[13.5px] leading-relaxed text-ink outline-none placeholder:text-muted disabled:cursor-not-allowed ${text.length > longestMeasured ? "h-[40vh]" : "field-sizing-content max-h-[40vh]"}`}
          />
          <div className="flex min-h-9 items-center gap-2 pr-2 pb-2 pl-3.5">
            <span id={`${id}-hint`} className="flex flex-1 items-center gap-3 text-[11.5px] text-muted">
              {blocked === null ? (
                <span className="flex items-center gap-1.5 max-sm:sr-only">
                  <Kbd keys="enter" /> {busy ? "queues" : "sends"}
                  <span className="ml-1.5 flex items-center gap-1.5">
                    <Kbd keys="shift+enter" /> new line
                  </span>
                </span>
              ) : null}
            </span>
            {busy ? (
              <Button icon={StopIcon} loading={stopping} disabled={blocked !== null && blocked !== ""} onClick={onStop}>
                Stop
              </Button>
            ) : null}
            {busy && ready ? (
              <Button
                icon={LightningIcon}
                title="Stop the active run and send at once"
                onClick={() => send("INTERRUPT")}
              >
                Interrupt
              </Button>
            ) : null}
            <Button
              variant="primary"
              icon={ArrowUpIcon}
              disabled={!ready}
              onClick={() => send(busy ? "ENQUEUE" : null)}
            >
              {busy ? "Queue" : "Send"}
            </Button>
          </div>
        </div>
      </div>
    </div>
  );
}

const advice: Record<string, string> = {
  BUSY: "A run became active in the meantime. Queue the message behind it, or interrupt it.",
  SESSION_EXPIRED: "This conversation has ended by its retention. Start a new one.",
  FORBIDDEN: "Your role in this project may read, not write.",
  UNAUTHENTICATED: "You are signed out. Sign in again in another tab; your text stays here.",
};

function Refusal({ refusal, onDismiss }: { refusal: SendRefusal; onDismiss: () => void }) {
  return (
    <div
      role="alert"
      className="mb-2 flex items-start gap-3 rounded-lg border border-danger/40 bg-danger-tint px-3.5 py-2 text-[13px]"
    >
      <p className="min-w-0 flex-1 break-words text-ink">
        <span className="font-medium text-danger-ink">Not sent. </span>
        {refusal.message}
        {advice[refusal.code] === undefined ? "" : `. ${advice[refusal.code]}`.replace("..", ".")}
        <code className="mono ml-2 text-[11px] text-danger-ink">{refusal.code}</code>
      </p>
      <button
        type="button"
        aria-label="Dismiss"
        onClick={onDismiss}
        className="rounded p-1 text-muted hover:bg-hover hover:text-ink"
      >
        <XIcon size={13} aria-hidden="true" />
      </button>
    </div>
  );
}
