"use client";

import { type ReactNode, useId } from "react";

export interface CheckboxProps {
  label: ReactNode;
  checked: boolean;
  onChange: (checked: boolean) => void;
}

/** A box to tick, with its words beside it. */
export function Checkbox({ label, checked, onChange }: CheckboxProps) {
  const id = useId();
  return (
    <label htmlFor={id} className="flex min-h-7 items-center gap-2.5 text-[13px]">
      <input
        id={id}
        type="checkbox"
        checked={checked}
        onChange={(event) => onChange(event.target.checked)}
        className="size-4 accent-(--color-accent)"
      />
      {label}
    </label>
  );
}
