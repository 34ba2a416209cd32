"use client";

import { PencilSimpleIcon } from "@phosphor-icons/react";
import { useRef, useState } from "react";
import { useClient } from "../../data/data-provider.tsx";
import { describeError } from "../../data/describe-error.ts";
import { renameSessionDocument } from "./conversation-documents.ts";

export interface ConversationTitleProps {
  sessionId: string;
  title: string | null;
  /** Shown while there is no title. */
  fallback: string;
  mayEdit: boolean;
  onRenamed: (title: string | null) => void;
}

/** The title of a conversation; an operator changes it in place: Enter keeps it, Esc does not. */
export function ConversationTitle({ sessionId, title, fallback, mayEdit, onRenamed }: ConversationTitleProps) {
  const client = useClient();
  const [editing, setEditing] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const done = useRef(false);
  const save = async (text: string) => {
    if (done.current) return;
    done.current = true;
    setEditing(false);
    const next = text.trim() === "" ? null : text.trim();
    if (next === title) return;
    onRenamed(next);
    try {
      const { updateSession: answer } = await client.request(renameSessionDocument, {
        input: { sessionId, title: next },
      });
      if (answer.__typename === "Session") return;
      setProblem(answer.message);
    } catch (error) {
      setProblem(describeError(error).message);
    }
    onRenamed(title);
  };
  if (editing)
    return (
      <input
        aria-label="Title of the conversation"
        defaultValue={title ?? ""}
        placeholder={fallback}
        maxLength={200}
        dir="auto"
        // The operator asked for this field by pressing the title.
        // biome-ignore lint/a11y/noAutofocus: see above.
        autoFocus
        onFocus={(event) => event.target.select()}
        onBlur={(event) => void save(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter") void save(event.currentTarget.value);
          if (event.key === "Escape") {
            done.current = true;
            setEditing(false);
          }
        }}
        className="h-7 w-[min(420px,60vw)] rounded-md border border-line-strong bg-surface px-1.5 text-[13.5px] font-semibold text-ink"
      />
    );
  const text = title ?? fallback;
  if (!mayEdit) return <span dir="auto">{text}</span>;
  return (
    <button
      type="button"
      title={problem ?? "Rename"}
      onClick={() => {
        done.current = false;
        setProblem(null);
        setEditing(true);
      }}
      className={`group/title relative inline-flex max-w-full items-center rounded-md px-1.5 py-0.5 hover:bg-hover ${problem === null ? "" : "text-danger-ink"}`}
    >
      <span dir="auto" className="truncate">
        {text}
      </span>
      <PencilSimpleIcon
        size={12}
        aria-label="Rename"
        className="absolute -right-4 text-muted opacity-0 group-hover/title:opacity-100 group-focus-visible/title:opacity-100"
      />
    </button>
  );
}
