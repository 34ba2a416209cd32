"use client";

import { CheckIcon, CopySimpleIcon } from "@phosphor-icons/react";
import { useEffect, useState } from "react";
import { shortId } from "./format.ts";

/** Copies and tells so for a moment. */
export function useCopy(): [copied: boolean, copy: (text: string) => void] {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 1400);
    return () => clearTimeout(timer);
  }, [copied]);
  return [
    copied,
    (text) => {
      navigator.clipboard.writeText(text).then(
        () => setCopied(true),
        () => setCopied(false),
      );
    },
  ];
}

export interface CopyableIdProps {
  id: string;
  /** What is copied, for screen readers: "Copy conversation id". */
  what?: string;
  /** Shows the whole id. */
  whole?: boolean;
  className?: string;
}

/** An id, short, in mono; a click copies it whole. */
export function CopyableId({ id, what = "id", whole = false, className }: CopyableIdProps) {
  const [copied, copy] = useCopy();
  return (
    <button
      type="button"
      onClick={(event) => {
        event.preventDefault();
        event.stopPropagation();
        copy(id);
      }}
      title={`${id}\nClick to copy`}
      className={`group/id mono -mx-1 inline-flex max-w-full items-center gap-1 rounded px-1 text-[11.5px] text-muted hover:bg-hover hover:text-ink ${className ?? ""}`}
    >
      <span className="sr-only">{copied ? "Copied" : `Copy ${what}`} </span>
      <span className="truncate">{whole ? id : shortId(id)}</span>
      {copied ? (
        <CheckIcon size={11} weight="bold" className="shrink-0 text-success-ink" />
      ) : (
        <CopySimpleIcon
          size={11}
          className="shrink-0 opacity-0 group-hover/id:opacity-100 group-focus-visible/id:opacity-100"
        />
      )}
    </button>
  );
}

/** A small button that copies any text. */
export function CopyButton({ text, what = "text", className }: { text: string; what?: string; className?: string }) {
  const [copied, copy] = useCopy();
  return (
    <button
      type="button"
      onClick={() => copy(text)}
      aria-label={copied ? "Copied" : `Copy ${what}`}
      title={copied ? "Copied" : `Copy ${what}`}
      className={`inline-flex size-6 items-center justify-center rounded text-muted hover:bg-hover hover:text-ink ${className ?? ""}`}
    >
      {copied ? <CheckIcon size={13} weight="bold" className="text-success-ink" /> : <CopySimpleIcon size={13} />}
    </button>
  );
}
