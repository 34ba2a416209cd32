"use client";

import { EyeIcon, EyeSlashIcon } from "@phosphor-icons/react";
import { type InputHTMLAttributes, useId, useState } from "react";

export interface FieldProps extends Omit<InputHTMLAttributes<HTMLInputElement>, "id" | "onChange" | "value"> {
  label: string;
  value: string;
  onChange: (value: string) => void;
  hint?: string;
  problem?: string | undefined;
}

/** A labelled field of a form, with what is wrong with it. */
export function Field({ label, value, onChange, hint, problem, type = "text", ...rest }: FieldProps) {
  const id = useId();
  const [shown, setShown] = useState(false);
  const password = type === "password";
  const help = problem ?? hint;
  return (
    <div>
      <label htmlFor={id} className="mb-1.5 block text-xs font-medium text-ink-2">
        {label}
      </label>
      <div className="relative">
        <input
          {...rest}
          id={id}
          type={password && shown ? "text" : type}
          value={value}
          onChange={(event) => onChange(event.target.value)}
          aria-invalid={problem !== undefined}
          aria-describedby={help === undefined ? undefined : `${id}-help`}
          className={`h-9 w-full rounded-md border bg-surface px-3 text-[13.5px] placeholder:text-muted focus-visible:border-focus focus-visible:outline-1 focus-visible:outline-offset-0 ${password ? "pr-10" : ""} ${problem === undefined ? "border-line-strong" : "border-danger"}`}
        />
        {password ? (
          <button
            type="button"
            aria-label={shown ? "Hide the password" : "Show the password"}
            onClick={() => setShown(!shown)}
            className="absolute top-1 right-1 inline-flex size-7 items-center justify-center rounded text-muted hover:bg-hover hover:text-ink"
          >
            {shown ? <EyeSlashIcon size={15} aria-hidden="true" /> : <EyeIcon size={15} aria-hidden="true" />}
          </button>
        ) : null}
      </div>
      <FieldHelp id={id} hint={hint} problem={problem} />
    </div>
  );
}

/** What a field is for, or what is wrong with it; `<id>-help` describes the field of that id. */
export function FieldHelp({
  id,
  hint,
  problem,
}: {
  id: string;
  hint: string | undefined;
  problem: string | undefined;
}) {
  const help = problem ?? hint;
  if (help === undefined) return null;
  return (
    <p id={`${id}-help`} className={`mt-1.5 text-xs ${problem === undefined ? "text-muted" : "text-danger-ink"}`}>
      {help}
    </p>
  );
}
