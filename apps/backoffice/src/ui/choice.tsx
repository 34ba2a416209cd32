"use client";

import { useId } from "react";
import { FieldHelp } from "./field.tsx";

export interface ChoiceProps<Value extends string> {
  label: string;
  value: Value;
  options: readonly { value: Value; label: string }[];
  onChange: (value: Value) => void;
  hint?: string;
  problem?: string | undefined;
}

/** One of a few values, in a form: the browser's own list. */
export function Choice<Value extends string>({ label, value, options, onChange, hint, problem }: ChoiceProps<Value>) {
  const id = useId();
  const help = problem ?? hint;
  return (
    <div>
      <label htmlFor={id} className="mb-1.5 block text-xs font-medium text-ink-2">
        {label}
      </label>
      <select
        id={id}
        value={value}
        onChange={(event) => {
          const chosen = options.find((option) => option.value === event.target.value);
          if (chosen !== undefined) onChange(chosen.value);
        }}
        aria-invalid={problem !== undefined}
        aria-describedby={help === undefined ? undefined : `${id}-help`}
        className={`h-9 w-full rounded-md border bg-surface px-2.5 text-[13.5px] text-ink focus-visible:border-focus focus-visible:outline-1 focus-visible:outline-offset-0 ${problem === undefined ? "border-line-strong" : "border-danger"}`}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
      <FieldHelp id={id} hint={hint} problem={problem} />
    </div>
  );
}
