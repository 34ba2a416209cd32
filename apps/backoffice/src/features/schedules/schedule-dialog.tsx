"use client";

import { type FormEvent, useId, useState } from "react";
import { describeError } from "../../data/describe-error.ts";
import { type FieldProblems, readIssues } from "../../data/read-issues.ts";
import { useDebounced } from "../../data/use-debounced.ts";
import { useMutation } from "../../data/use-mutation.ts";
import { useQuery } from "../../data/use-query.ts";
import { useViewer } from "../../shell/viewer.tsx";
import { Button } from "../../ui/button.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import { Choice } from "../../ui/choice.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Field } from "../../ui/field.tsx";
import { Time } from "../../ui/time.tsx";
import { useAgentNames } from "../agents/use-agent-names.ts";
import {
  draftFields,
  draftOf,
  inputOf,
  newDraft,
  overlapChoices,
  type ScheduleDraft,
  withSessionPolicy,
} from "./schedule-draft.ts";
import {
  createScheduleDocument,
  cronTimesDocument,
  type ScheduleRow,
  updateScheduleDocument,
} from "./schedules-documents.ts";

export interface ScheduleDialogProps {
  /** The schedule to change; null makes a new one. */
  schedule: ScheduleRow | null;
  open: boolean;
  onClose: () => void;
  onSaved: () => void;
}

/** Makes a schedule or changes one. */
export function ScheduleDialog({ schedule, open, onClose, onSaved }: ScheduleDialogProps) {
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => (next ? undefined : onClose())}
      title={schedule === null ? "New schedule" : "Change the schedule"}
      size="md"
    >
      {open ? <ScheduleForm schedule={schedule} onClose={onClose} onSaved={onSaved} /> : null}
    </Dialog>
  );
}

function ScheduleForm({ schedule, onClose, onSaved }: Omit<ScheduleDialogProps, "open">) {
  const viewer = useViewer();
  const agents = useAgentNames() ?? [];
  const [draft, setDraft] = useState<ScheduleDraft>(() =>
    schedule === null ? newDraft(viewer?.project.timeZone ?? "UTC", "") : draftOf(schedule),
  );
  const [problems, setProblems] = useState<FieldProblems>({});
  const { save, saving, failure } = useSaving(schedule);
  const change = (part: Partial<ScheduleDraft>) => {
    setProblems({});
    setDraft((before) => ({ ...before, ...part }));
  };
  const agent = draft.agent === "" ? (agents[0]?.name ?? "") : draft.agent;
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (saving) return;
    const refused = await save({ ...draft, agent });
    if (refused === null) onSaved();
    else setProblems(refused);
  };
  const options = agents.map(({ name, displayName }) => ({ value: name, label: displayName }));
  const known = options.some(({ value }) => value === agent) || agent === "";
  return (
    <form onSubmit={submit} className="space-y-4 px-5 pb-4">
      <Field
        autoFocus={schedule === null}
        label="Name"
        value={draft.name}
        onChange={(name) => change({ name })}
        problem={problems.name}
        maxLength={100}
        placeholder="morning report"
        hint="The name also names its conversation."
      />
      <Choice
        label="Agent"
        value={agent}
        options={known ? options : [{ value: agent, label: `${agent} (gone)` }, ...options]}
        onChange={(next) => change({ agent: next })}
        problem={problems.agent}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <Field
          label="Cron expression"
          value={draft.cron}
          onChange={(cron) => change({ cron })}
          problem={problems.cron}
          spellCheck={false}
        />
        <Field
          label="Time zone"
          value={draft.timeZone}
          onChange={(timeZone) => change({ timeZone })}
          problem={problems.timeZone}
          spellCheck={false}
        />
      </div>
      {/* Once the fields were refused they say themselves what is wrong. */}
      {problems.cron === undefined && problems.timeZone === undefined ? (
        <Foretold cron={draft.cron} timeZone={draft.timeZone} />
      ) : null}
      <InputField draft={draft} onChange={change} problem={problems.input} />
      <div className="grid gap-4 sm:grid-cols-2">
        <Choice
          label="Works in"
          value={draft.sessionPolicy}
          options={[
            { value: "SAME", label: "One conversation that goes on" },
            { value: "NEW", label: "A new conversation each time" },
          ]}
          onChange={(sessionPolicy) => change(withSessionPolicy(draft, sessionPolicy))}
          problem={problems.sessionPolicy}
        />
        <Choice
          label="When the work before goes on"
          value={draft.overlapPolicy}
          options={overlapChoices[draft.sessionPolicy]}
          onChange={(overlapPolicy) => change({ overlapPolicy })}
          problem={problems.overlapPolicy}
        />
      </div>
      <Checkbox label="Enabled" checked={draft.enabled} onChange={(enabled) => change({ enabled })} />
      {problems.form === undefined && failure === undefined ? null : (
        <p role="alert" className="text-[13px] text-danger-ink">
          {problems.form ?? describeError(failure).message}
        </p>
      )}
      <div className="flex items-center justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="primary" loading={saving}>
          {schedule === null ? "Create schedule" : "Save changes"}
        </Button>
      </div>
    </form>
  );
}

/** Saves a draft: answers null, or what is wrong with it. */
function useSaving(schedule: ScheduleRow | null) {
  const [create, creating] = useMutation(createScheduleDocument);
  const [update, updating] = useMutation(updateScheduleDocument);
  const save = async (draft: ScheduleDraft): Promise<FieldProblems | null> => {
    const input = inputOf(draft);
    if (input === undefined) return { input: "This is no JSON." };
    const { as: _as, text: _text, ...fields } = draft;
    const answer =
      schedule === null
        ? (await create({ input: { ...fields, input } }))?.createSchedule
        : (await update({ input: { ...fields, input, scheduleId: schedule.id } }))?.updateSchedule;
    if (answer === undefined) return {};
    return answer.__typename === "Schedule" ? null : readIssues(answer, draftFields);
  };
  return { save, saving: creating.running || updating.running, failure: creating.error ?? updating.error };
}

/** When it would be due, told while one types. */
function Foretold({ cron, timeZone }: { cron: string; timeZone: string }) {
  const asked = useDebounced(`${cron}\n${timeZone}`, 250);
  const [askedCron = "", askedZone = ""] = asked.split("\n");
  const { data, error } = useQuery(cronTimesDocument, { cron: askedCron, timeZone: askedZone });
  return (
    <p role="status" className="-mt-1.5 min-h-[18px] text-xs text-muted">
      {error !== undefined ? (
        <span className="text-danger-ink">{describeError(error).message}</span>
      ) : data === undefined ? null : (
        <>
          Next:{" "}
          {data.cronTimes.map((at, index) => (
            <span key={at}>
              {index === 0 ? "" : " · "}
              <Time at={at} as="absolute" />
            </span>
          ))}
        </>
      )}
    </p>
  );
}

interface InputFieldProps {
  draft: ScheduleDraft;
  onChange: (part: Partial<ScheduleDraft>) => void;
  problem: string | undefined;
}

function InputField({ draft, onChange, problem }: InputFieldProps) {
  const id = useId();
  const json = draft.as === "json";
  const turn = () => {
    if (json) onChange({ as: "message", text: "" });
    else onChange({ as: "json", text: JSON.stringify(inputOf(draft), null, 2) });
  };
  return (
    <div>
      <div className="mb-1.5 flex items-baseline justify-between">
        <label htmlFor={id} className="text-xs font-medium text-ink-2">
          {json ? "Input (JSON)" : "Message"}
        </label>
        <button type="button" onClick={turn} className="rounded text-xs text-accent-ink hover:underline">
          {json ? "Write a message instead" : "Edit as JSON"}
        </button>
      </div>
      <textarea
        id={id}
        value={draft.text}
        onChange={(event) => onChange({ text: event.target.value })}
        rows={json ? 7 : 4}
        spellCheck={!json}
        aria-invalid={problem !== undefined}
        aria-describedby={problem === undefined ? undefined : `${id}-help`}
        placeholder={json ? undefined : "What should it do each time?"}
        className={`block w-full resize-y rounded-md border bg-surface px-3 py-2 text-[13.5px] leading-relaxed placeholder:text-muted focus-visible:border-focus focus-visible:outline-1 focus-visible:outline-offset-0 ${json ? "mono text-xs" : ""} ${problem === undefined ? "border-line-strong" : "border-danger"}`}
      />
      {problem === undefined ? null : (
        <p id={`${id}-help`} className="mt-1.5 text-xs text-danger-ink">
          {problem}
        </p>
      )}
    </div>
  );
}
