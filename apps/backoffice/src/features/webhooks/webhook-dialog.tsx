"use client";

import { type FormEvent, useId, useState } from "react";
import { describeError } from "../../data/describe-error.ts";
import { type FieldProblems, readIssues } from "../../data/read-issues.ts";
import { useMutation } from "../../data/use-mutation.ts";
import type { WebhookEvent } from "../../generated/graphql.ts";
import { Button } from "../../ui/button.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Field } from "../../ui/field.tsx";
import { createWebhookDocument, eventChoices, updateWebhookDocument, type WebhookRow } from "./webhooks-documents.ts";

export interface WebhookDialogProps {
  /** The webhook to change; null makes a new one. */
  webhook: WebhookRow | null;
  open: boolean;
  onClose: () => void;
  /** With the secret of a new webhook, which is shown this once. */
  onSaved: (secret: string | null) => void;
}

/** Makes a webhook or changes one. */
export function WebhookDialog({ webhook, open, onClose, onSaved }: WebhookDialogProps) {
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => (next ? undefined : onClose())}
      title={webhook === null ? "New webhook" : "Change the webhook"}
      size="md"
    >
      {open ? <WebhookForm webhook={webhook} onClose={onClose} onSaved={onSaved} /> : null}
    </Dialog>
  );
}

function WebhookForm({ webhook, onClose, onSaved }: Omit<WebhookDialogProps, "open">) {
  const [url, setUrl] = useState(webhook?.url ?? "");
  const [events, setEvents] = useState<readonly WebhookEvent[]>(webhook?.events ?? ["TASK_COMPLETED", "TASK_FAILED"]);
  const [enabled, setEnabled] = useState(webhook?.enabled ?? true);
  const [problems, setProblems] = useState<FieldProblems>({});
  const [create, creating] = useMutation(createWebhookDocument);
  const [update, updating] = useMutation(updateWebhookDocument);
  const failure = creating.error ?? updating.error;
  const eventsId = useId();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (creating.running || updating.running) return;
    setProblems({});
    const input = { url, events: [...events] };
    const answer =
      webhook === null
        ? (await create({ input }))?.createWebhook
        : (await update({ input: { ...input, enabled, webhookId: webhook.id } }))?.updateWebhook;
    if (answer === undefined) return;
    if (answer.__typename === "WebhookSecretSuccess") onSaved(answer.secret);
    else if (answer.__typename === "Webhook") onSaved(null);
    else setProblems(readIssues(answer, ["url", "events"]));
  };
  const toggle = (value: WebhookEvent, on: boolean) =>
    setEvents(
      eventChoices.map((choice) => choice.value).filter((each) => (each === value ? on : events.includes(each))),
    );
  return (
    <form onSubmit={submit} className="space-y-4 px-5 pb-4">
      <Field
        autoFocus={webhook === null}
        label="Address"
        value={url}
        onChange={setUrl}
        problem={problems.url}
        inputMode="url"
        spellCheck={false}
        placeholder="https://example.com/wheelhouse"
        hint="Messages are sent there as signed POST requests."
      />
      <fieldset aria-describedby={problems.events === undefined ? undefined : eventsId}>
        <legend className="mb-1 text-xs font-medium text-ink-2">Tell it when</legend>
        {eventChoices.map(({ value, label }) => (
          <Checkbox key={value} label={label} checked={events.includes(value)} onChange={(on) => toggle(value, on)} />
        ))}
        {problems.events === undefined ? null : (
          <p id={eventsId} className="mt-1 text-xs text-danger-ink">
            {problems.events}
          </p>
        )}
      </fieldset>
      {webhook === null ? null : (
        <div>
          <Checkbox label="Enabled" checked={enabled} onChange={setEnabled} />
          {enabled ? null : <p className="text-xs text-muted">What still waits to be delivered is given up.</p>}
        </div>
      )}
      {problems.form === undefined && failure === undefined ? null : (
        <p role="alert" className="text-[13px] text-danger-ink">
          {problems.form ?? describeError(failure).message}
        </p>
      )}
      <div className="flex items-center justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="primary" loading={creating.running || updating.running}>
          {webhook === null ? "Create webhook" : "Save changes"}
        </Button>
      </div>
    </form>
  );
}
