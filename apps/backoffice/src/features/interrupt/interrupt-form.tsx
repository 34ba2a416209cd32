"use client";

import { ChatCircleTextIcon, CheckIcon, PencilSimpleIcon, WrenchIcon, XIcon } from "@phosphor-icons/react";
import { type ReactNode, useId, useState } from "react";
import { Button } from "../../ui/button.tsx";
import type { ActionRequest, InterruptView } from "../run/live-view.ts";
import { ArgumentList } from "./argument-list.tsx";
import type { Answer } from "./decide.ts";
import { changedArguments, readArguments } from "./read-arguments.ts";

/** An answer without the id of what it answers. */
export type AnswerOf = Answer extends infer A ? (A extends Answer ? Omit<A, "interruptId"> : never) : never;

export interface InterruptFormProps {
  interrupt: InterruptView;
  busy: boolean;
  blocked: string | null;
  onAnswer: (answer: AnswerOf) => void;
}

type Mode = "look" | "edit" | "reject" | "respond";

/** One request of the agent: what it wants to do, and the decisions that are allowed. */
export function InterruptForm({ interrupt, busy, blocked, onAnswer }: InterruptFormProps) {
  const isQuestion = interrupt.kind === "QUESTION";
  const may = (decision: InterruptView["allowedDecisions"][number]) => interrupt.allowedDecisions.includes(decision);
  const [mode, setMode] = useState<Mode>(isQuestion && may("RESPOND") ? "respond" : "look");
  const [action] = interrupt.actions;
  const back = () => setMode("look");
  return (
    <div className="px-3.5 py-3">
      {isQuestion ? (
        <Question action={action} />
      ) : (
        interrupt.actions.map((each, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the place in the request is the identity of an action.
          <Action key={i} action={each} hideArguments={mode === "edit"} />
        ))
      )}
      {blocked !== null ? (
        <p className="mt-2 text-xs text-muted">{blocked}</p>
      ) : interrupt.provisional ? (
        <p className="mt-2 text-xs text-muted">Reading what exactly it asks…</p>
      ) : mode === "edit" && action !== undefined ? (
        <EditArguments
          action={action}
          busy={busy}
          onCancel={back}
          onSubmit={(args) => onAnswer({ decision: "EDIT", args })}
        />
      ) : mode === "reject" ? (
        <TextAnswer
          label="What should the agent know?"
          placeholder="Optional: why not, and what to do instead"
          submit="Reject"
          variant="destructive"
          optional
          busy={busy}
          onCancel={back}
          onSubmit={(message) => onAnswer({ decision: "REJECT", message })}
        />
      ) : mode === "respond" ? (
        <TextAnswer
          label="Your answer"
          placeholder="The agent goes on with what you write"
          submit="Send answer"
          busy={busy}
          onCancel={may("APPROVE") || may("REJECT") ? back : null}
          onSubmit={(value) => onAnswer({ decision: "RESPOND", value })}
        />
      ) : (
        <div className="mt-3 flex flex-wrap gap-2">
          {may("APPROVE") ? (
            <Button variant="primary" icon={CheckIcon} loading={busy} onClick={() => onAnswer({ decision: "APPROVE" })}>
              Approve
            </Button>
          ) : null}
          {may("EDIT") && interrupt.actions.length === 1 ? (
            <Button icon={PencilSimpleIcon} disabled={busy} onClick={() => setMode("edit")}>
              Edit and approve
            </Button>
          ) : null}
          {may("RESPOND") ? (
            <Button icon={ChatCircleTextIcon} disabled={busy} onClick={() => setMode("respond")}>
              Respond
            </Button>
          ) : null}
          {may("REJECT") ? (
            <Button icon={XIcon} disabled={busy} onClick={() => setMode("reject")}>
              Reject
            </Button>
          ) : null}
        </div>
      )}
    </div>
  );
}

function Action({ action, hideArguments }: { action: ActionRequest; hideArguments: boolean }) {
  return (
    <div className="not-first:mt-4">
      <div className="flex items-center gap-2">
        <WrenchIcon size={14} className="text-muted" aria-hidden="true" />
        <span className="mono text-[13px] font-medium text-ink">{action.name}</span>
      </div>
      {action.description === null ? null : (
        <p dir="auto" className="mt-1 text-[13px] whitespace-pre-line text-ink-2">
          {action.description}
        </p>
      )}
      {hideArguments || action.args === undefined ? null : (
        <ArgumentList value={action.args} label={`Arguments of ${action.name}`} />
      )}
    </div>
  );
}

function Question({ action }: { action: ActionRequest | undefined }) {
  const args = action?.args;
  const value: unknown = typeof args === "object" && args !== null && "value" in args ? args.value : args;
  if (typeof value === "string")
    return (
      <p dir="auto" className="text-sm font-medium text-pretty whitespace-pre-line text-ink">
        {value}
      </p>
    );
  return <ArgumentList value={value} label="Question" />;
}

interface EditArgumentsProps {
  action: ActionRequest;
  busy: boolean;
  onCancel: () => void;
  onSubmit: (args: Record<string, unknown>) => void;
}

function EditArguments({ action, busy, onCancel, onSubmit }: EditArgumentsProps) {
  const id = useId();
  const [text, setText] = useState(() => JSON.stringify(action.args ?? {}, null, 2));
  const read = readArguments(text);
  const changed = read.ok ? changedArguments(action.args, read.args) : [];
  return (
    <Form onSubmit={() => read.ok && onSubmit(read.args)}>
      <label htmlFor={id} className="text-xs font-medium text-muted">
        Arguments, as JSON
      </label>
      <textarea
        id={id}
        value={text}
        onChange={(event) => setText(event.target.value)}
        spellCheck={false}
        aria-invalid={!read.ok}
        aria-describedby={`${id}-state`}
        // The operator asked for this field by pressing Edit.
        // biome-ignore lint/a11y/noAutofocus: see above.
        autoFocus
        className="mono mt-1 field-sizing-content max-h-80 min-h-24 w-full resize-y rounded-md border border-line bg-sunken px-3 py-2 text-xs leading-[1.6] text-ink aria-invalid:border-danger"
      />
      <p id={`${id}-state`} role="status" className={`mt-1 text-xs ${read.ok ? "text-muted" : "text-danger-ink"}`}>
        {!read.ok ? read.problem : changed.length === 0 ? "Nothing changed yet" : `Changed: ${changed.join(", ")}`}
      </p>
      {action.checked ? null : (
        <p className="mt-1 text-xs text-muted">
          The arguments of this tool are not described here, so nothing checks what you write before the tool is called.
        </p>
      )}
      <Buttons>
        <Button
          type="submit"
          variant="primary"
          icon={CheckIcon}
          loading={busy}
          disabled={!read.ok || changed.length === 0}
        >
          Approve with changes
        </Button>
        <Button variant="ghost" disabled={busy} onClick={onCancel}>
          Back
        </Button>
      </Buttons>
    </Form>
  );
}

interface TextAnswerProps {
  label: string;
  placeholder: string;
  submit: string;
  variant?: "primary" | "destructive";
  optional?: boolean;
  busy: boolean;
  onCancel: (() => void) | null;
  onSubmit: (text: string) => void;
}

function TextAnswer({
  label,
  placeholder,
  submit,
  variant = "primary",
  optional = false,
  busy,
  onCancel,
  onSubmit,
}: TextAnswerProps) {
  const id = useId();
  const [text, setText] = useState("");
  const ready = optional || text.trim() !== "";
  return (
    <Form onSubmit={() => ready && onSubmit(text.trim())}>
      <label htmlFor={id} className="text-xs font-medium text-muted">
        {label}
      </label>
      <textarea
        id={id}
        dir="auto"
        value={text}
        placeholder={placeholder}
        onChange={(event) => setText(event.target.value)}
        className="mt-1 field-sizing-content max-h-60 min-h-16 w-full resize-y rounded-md border border-line bg-sunken px-3 py-2 text-[13px] text-ink placeholder:text-muted"
      />
      <Buttons>
        <Button type="submit" variant={variant} loading={busy} disabled={!ready}>
          {submit}
        </Button>
        {onCancel === null ? null : (
          <Button variant="ghost" disabled={busy} onClick={onCancel}>
            Back
          </Button>
        )}
      </Buttons>
    </Form>
  );
}

function Form({ onSubmit, children }: { onSubmit: () => void; children: ReactNode }) {
  return (
    <form
      className="mt-3"
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
      onKeyDown={(event) => {
        if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) event.currentTarget.requestSubmit();
      }}
    >
      {children}
    </form>
  );
}

const Buttons = ({ children }: { children: ReactNode }) => (
  <div className="mt-2.5 flex flex-wrap gap-2">{children}</div>
);
