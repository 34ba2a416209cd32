"use client";

import { Popover } from "@cloudflare/kumo/primitives/popover";
import { CheckIcon, type Icon, XIcon } from "@phosphor-icons/react";
import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from "react";

export interface FilterOption {
  value: string;
  label: string;
  mark?: ReactNode;
}

export interface FilterMenuProps {
  label: string;
  icon: Icon;
  options: readonly FilterOption[];
  selected: readonly string[];
  onChange: (selected: string[]) => void;
}

/** More options than this get a field to search them. */
const searchFrom = 8;

/** A filter with several choices: a chip that says what is chosen, and a list to choose from. */
export function FilterMenu({ label, icon: Shape, options, selected, onChange }: FilterMenuProps) {
  const names = selected.map((value) => options.find((each) => each.value === value)?.label ?? value);
  const on = selected.length > 0;
  return (
    <span
      className={`inline-flex h-7 items-center rounded-md border text-xs ${on ? "border-line-strong bg-surface" : "border-dashed border-line-strong text-muted"}`}
    >
      <Popover.Root>
        <Popover.Trigger
          className={`inline-flex h-full items-center gap-1.5 rounded-md px-2 hover:bg-hover hover:text-ink ${on ? "rounded-r-none" : ""}`}
        >
          <Shape size={14} aria-hidden="true" />
          <span>{label}</span>
          {on ? (
            <span className="max-w-44 truncate font-medium text-ink">
              <span className="mr-1.5 text-muted">is</span>
              {names.slice(0, 2).join(", ")}
              {names.length > 2 ? ` +${names.length - 2}` : ""}
            </span>
          ) : null}
        </Popover.Trigger>
        <Popover.Portal>
          <Popover.Positioner sideOffset={5} align="start">
            <Popover.Popup
              aria-label={`Filter by ${label.toLowerCase()}`}
              className="w-60 overflow-hidden rounded-lg bg-raised text-ink shadow-pop"
            >
              <Choices label={label} options={options} selected={selected} onChange={onChange} />
            </Popover.Popup>
          </Popover.Positioner>
        </Popover.Portal>
      </Popover.Root>
      {on ? (
        <button
          type="button"
          aria-label={`Clear the filter ${label}`}
          onClick={() => onChange([])}
          className="inline-flex h-full w-6 items-center justify-center rounded-r-md border-l border-line text-muted hover:bg-hover hover:text-ink"
        >
          <XIcon size={11} weight="bold" aria-hidden="true" />
        </button>
      ) : null}
    </span>
  );
}

function Choices({ label, options, selected, onChange }: Omit<FilterMenuProps, "icon">) {
  const [query, setQuery] = useState("");
  const name = useId();
  const list = useRef<HTMLFieldSetElement>(null);
  const shown = options.filter((each) => each.label.toLowerCase().includes(query.trim().toLowerCase()));
  const toggle = (value: string) =>
    onChange(selected.includes(value) ? selected.filter((each) => each !== value) : [...selected, value]);
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const boxes = [...(list.current?.querySelectorAll("input") ?? [])];
    const focused = document.activeElement;
    const at = focused instanceof HTMLInputElement ? boxes.indexOf(focused) : -1;
    boxes[(at + step + boxes.length) % boxes.length]?.focus();
  };
  return (
    // The arrow keys move among the boxes, as they do in a menu.
    // biome-ignore lint/a11y/noStaticElementInteractions: the boxes inside are the controls.
    <div onKeyDown={onKeyDown}>
      {options.length > searchFrom ? (
        <input
          aria-label={`Search ${label.toLowerCase()}`}
          placeholder={`Search ${label.toLowerCase()}…`}
          value={query}
          onChange={(event) => setQuery(event.target.value)}
          className="h-9 w-full border-b border-line bg-transparent px-3 text-[13px] outline-none placeholder:text-muted"
        />
      ) : null}
      <fieldset ref={list} className="max-h-72 overflow-y-auto p-1">
        <legend className="sr-only">{label}</legend>
        {shown.map((option) => (
          <label
            key={option.value}
            htmlFor={`${name}-${option.value}`}
            className="flex h-8 items-center gap-2.5 rounded-md px-2 text-[13px] hover:bg-hover has-[input:focus-visible]:bg-hover"
          >
            <span className="relative flex size-4 shrink-0">
              <input
                id={`${name}-${option.value}`}
                type="checkbox"
                checked={selected.includes(option.value)}
                onChange={() => toggle(option.value)}
                onKeyDown={(event) => {
                  if (event.key === "Enter") toggle(option.value);
                }}
                className="peer absolute inset-0 cursor-pointer appearance-none rounded border border-line-strong bg-surface checked:border-accent checked:bg-accent"
              />
              <CheckIcon
                size={11}
                weight="bold"
                aria-hidden="true"
                className="pointer-events-none absolute inset-0 m-auto hidden text-on-accent peer-checked:block"
              />
            </span>
            {option.mark}
            <span className="truncate">{option.label}</span>
          </label>
        ))}
        {shown.length === 0 ? <p className="px-2 py-3 text-xs text-muted">Nothing matches</p> : null}
      </fieldset>
    </div>
  );
}
