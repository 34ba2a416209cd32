"use client";

import { useId } from "react";
import { Button } from "../../ui/button.tsx";
import type { PaneDefinition, Side } from "./use-pane.ts";

export interface DefinitionEditorProps {
  side: Side;
  definition: PaneDefinition;
  mayEdit: boolean;
}

/** The definition that the next message is tried with. Nothing here is saved: a draft goes with the messages. */
export function DefinitionEditor({ side, definition, mayEdit }: DefinitionEditorProps) {
  const { text, setText, reset, draft, source } = definition;
  const id = useId();
  if (source === "CODE")
    return (
      <p className="border-b border-line-soft bg-sunken px-4 py-3 text-xs leading-relaxed text-muted">
        This agent is a graph in code: it has no definition to try another for.
      </p>
    );
  const isInvalid = draft.kind === "invalid";
  return (
    <div className="flex max-h-[45%] shrink-0 flex-col gap-2 border-b border-line-soft bg-sunken px-3 py-2.5 md:px-4">
      <div className="flex min-h-7 items-center gap-2">
        <label htmlFor={id} className="text-xs font-medium text-ink-2 max-sm:flex-1">
          Definition on the {side}
        </label>
        <span
          id={`${id}-help`}
          className={`min-w-0 flex-1 text-xs ${isInvalid ? "text-danger-ink" : "text-muted max-sm:sr-only"}`}
        >
          {isInvalid ? draft.message : mayEdit ? "Tried with your messages, saved nowhere" : "Editors can try another"}
        </span>
        {draft.kind === "saved" ? null : (
          <Button size="xs" onClick={reset}>
            Back to the saved one
          </Button>
        )}
      </div>
      <textarea
        id={id}
        dir="ltr"
        value={text}
        readOnly={!mayEdit}
        spellCheck={false}
        rows={10}
        onChange={(event) => setText(event.target.value)}
        aria-invalid={isInvalid}
        aria-describedby={`${id}-help`}
        className={`mono min-h-24 w-full flex-1 resize-none rounded-md border bg-surface px-3 py-2 text-xs leading-relaxed text-ink focus-visible:border-focus focus-visible:outline-1 focus-visible:outline-offset-0 ${isInvalid ? "border-danger" : "border-line-strong"}`}
      />
    </div>
  );
}
