"use client";

import { type Icon, MagnifyingGlassIcon } from "@phosphor-icons/react";
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from "react";
import { Dialog } from "../ui/dialog.tsx";
import { Kbd } from "../ui/kbd.tsx";
import { Spinner } from "../ui/status.tsx";
import { type PaletteItem, usePaletteItems } from "./use-palette-items.tsx";

export interface CommandPaletteProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

/** Everything within a few key presses: pages, actions, agents, conversations by text or id. */
export function CommandPalette({ open, onOpenChange }: CommandPaletteProps) {
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title="Search or jump to" bare place="top" size="md">
      {open ? <Palette onDone={() => onOpenChange(false)} /> : null}
    </Dialog>
  );
}

function Palette({ onDone }: { onDone: () => void }) {
  const [query, setQuery] = useState("");
  const { groups, searching } = usePaletteItems(query);
  const items = groups.flatMap((group) => group.items);
  const [activeId, setActiveId] = useState<string | null>(null);
  const active = items.find((item) => item.id === activeId) ?? items[0];
  const listId = useId();
  const list = useRef<HTMLDivElement>(null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new query begins at its best match.
  useEffect(() => setActiveId(null), [query]);
  useEffect(() => {
    if (active !== undefined)
      list.current?.querySelector(`[data-id="${CSS.escape(active.id)}"]`)?.scrollIntoView({ block: "nearest" });
  }, [active]);

  const choose = (item: PaletteItem | undefined) => {
    if (item === undefined) return;
    onDone();
    item.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && items.length > 0) {
      event.preventDefault();
      const at = active === undefined ? 0 : items.indexOf(active);
      setActiveId(items[(at + step + items.length) % items.length]?.id ?? null);
    } else if (event.key === "Enter" && !event.nativeEvent.isComposing) {
      event.preventDefault();
      choose(active);
    }
  };

  return (
    <div className="flex max-h-[min(70vh,560px)] flex-col">
      <div className="flex h-12 shrink-0 items-center gap-3 border-b border-line px-4">
        {searching ? (
          <Spinner size={16} className="text-muted" />
        ) : (
          <MagnifyingGlassIcon size={16} aria-hidden="true" className="shrink-0 text-muted" />
        )}
        <input
          // biome-ignore lint/a11y/noAutofocus: the palette is opened to type into it.
          autoFocus
          value={query}
          onChange={(event) => setQuery(event.target.value)}
          onKeyDown={onKeyDown}
          role="combobox"
          aria-expanded="true"
          aria-controls={listId}
          aria-activedescendant={active === undefined ? undefined : `${listId}-${active.id}`}
          aria-label="Search or jump to"
          placeholder="Search conversations, agents, actions… or paste an id"
          className="h-full min-w-0 flex-1 bg-transparent text-[14px] text-ink outline-none placeholder:text-muted"
        />
        <Kbd keys="escape" />
      </div>
      <div ref={list} id={listId} role="listbox" aria-label="Results" className="min-h-0 flex-1 overflow-y-auto p-1.5">
        {groups.map((group) => (
          // biome-ignore lint/a11y/useSemanticElements: a group of options, for which there is no element.
          <div key={group.label} role="group" aria-label={group.label} className="mb-1">
            <div aria-hidden="true" className="px-2.5 pt-2 pb-1 text-2xs font-medium text-muted">
              {group.label}
            </div>
            {group.items.map((item) => (
              <Option
                key={item.id}
                id={`${listId}-${item.id}`}
                item={item}
                active={item === active}
                onPoint={() => setActiveId(item.id)}
                onChoose={() => choose(item)}
              />
            ))}
          </div>
        ))}
      </div>
      {items.length === 0 ? (
        <p role="status" className="px-4 pt-4 pb-8 text-center text-[13px] text-muted">
          {searching ? "Searching…" : `Nothing matches “${query.trim()}”`}
        </p>
      ) : null}
      <div className="flex h-9 shrink-0 items-center gap-4 border-t border-line bg-sunken px-4 text-2xs text-muted max-sm:hidden">
        <Hint keys="arrowup arrowdown">Move</Hint>
        <Hint keys="enter">Open</Hint>
        <Hint keys="escape">Close</Hint>
      </div>
    </div>
  );
}

function Hint({ keys, children }: { keys: string; children: ReactNode }) {
  return (
    <span className="inline-flex items-center gap-1.5">
      <Kbd keys={keys} />
      {children}
    </span>
  );
}

interface OptionProps {
  id: string;
  item: PaletteItem;
  active: boolean;
  onPoint: () => void;
  onChoose: () => void;
}

function Option({ id, item, active, onPoint, onChoose }: OptionProps) {
  const Shape: Icon = item.icon;
  return (
    // The keyboard works through the field: the focus stays there.
    // biome-ignore lint/a11y/useKeyWithClickEvents: see above.
    // biome-ignore lint/a11y/useFocusableInteractive: see above.
    <div
      id={id}
      role="option"
      data-id={item.id}
      aria-selected={active}
      onPointerMove={onPoint}
      onClick={onChoose}
      className={`flex h-9 cursor-pointer items-center gap-3 rounded-md px-2.5 ${active ? "bg-hover" : ""}`}
    >
      <Shape size={16} aria-hidden="true" className={`shrink-0 ${active ? "text-ink-2" : "text-muted"}`} />
      <span className="min-w-0 flex-1 truncate text-[13px]">{item.label}</span>
      {item.detail === undefined ? null : (
        <span className="max-w-[40%] shrink-0 truncate text-xs text-muted">{item.detail}</span>
      )}
      {item.keys === undefined ? null : <Kbd keys={item.keys} />}
    </div>
  );
}
