"use client";

import { MagnifyingGlassIcon, XIcon } from "@phosphor-icons/react";
import { useEffect, useRef, useState } from "react";
import { useShortcuts } from "../shell/shortcuts.tsx";
import { Kbd } from "../ui/kbd.tsx";

/** How long typing must rest before it is searched, in milliseconds. */
const delayMs = 250;

export interface SearchFieldProps {
  label: string;
  placeholder: string;
  value: string;
  onChange: (text: string) => void;
  maxLength: number;
}

/** A field that searches as one types. `/` goes to it, Esc clears it and leaves. */
export function SearchField({ label, placeholder, value, onChange, maxLength }: SearchFieldProps) {
  const [text, setText] = useState(value);
  const [told, setTold] = useState(value);
  const input = useRef<HTMLInputElement>(null);
  // The address changed by other means: back, a link, "clear all".
  if (value !== told) {
    setTold(value);
    setText(value);
  }
  useEffect(() => {
    if (text === told) return;
    const timer = setTimeout(() => {
      setTold(text);
      onChange(text);
    }, delayMs);
    return () => clearTimeout(timer);
  }, [text, told, onChange]);
  useShortcuts([{ keys: "/", label, group: "List", run: () => input.current?.focus() }]);
  return (
    <span className="relative inline-flex h-7 min-w-40 flex-1 items-center max-sm:basis-full sm:max-w-72">
      <MagnifyingGlassIcon size={14} aria-hidden="true" className="pointer-events-none absolute left-2 text-muted" />
      <input
        ref={input}
        type="search"
        aria-label={label}
        placeholder={placeholder}
        value={text}
        maxLength={maxLength}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== "Escape") return;
          if (text === "") event.currentTarget.blur();
          else setText("");
        }}
        className="peer h-full [&::-webkit-search-cancel-button]:hidden w-full rounded-md border border-line bg-surface pr-7 pl-7 text-[13px] placeholder:text-muted hover:border-line-strong focus-visible:border-focus focus-visible:outline-1 focus-visible:outline-offset-0"
      />
      {text === "" ? (
        <span className="pointer-events-none absolute right-1.5 peer-focus:hidden max-sm:hidden">
          <Kbd keys="/" />
        </span>
      ) : (
        <button
          type="button"
          aria-label="Clear the search"
          onClick={() => setText("")}
          className="absolute right-0.5 inline-flex size-6 items-center justify-center rounded text-muted hover:bg-hover hover:text-ink"
        >
          <XIcon size={11} weight="bold" aria-hidden="true" />
        </button>
      )}
    </span>
  );
}
