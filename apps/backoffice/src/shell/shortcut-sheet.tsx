"use client";

import { Dialog } from "../ui/dialog.tsx";
import { Kbd } from "../ui/kbd.tsx";
import { type Shortcut, useShortcutList } from "./shortcuts.tsx";

const groups: readonly Shortcut["group"][] = ["General", "Go to", "List", "Conversation", "Run"];

/** Every shortcut that works on this page. */
export function ShortcutSheet({ open, onOpenChange }: { open: boolean; onOpenChange: (open: boolean) => void }) {
  const list = useShortcutList();
  const shortcuts = open ? list() : [];
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title="Keyboard shortcuts" size="md">
      <div className="gap-x-10 px-5 pt-1 pb-3 sm:columns-2">
        {groups.map((group) => {
          const members = byLabel(shortcuts.filter((each) => each.group === group));
          return members.length === 0 ? null : (
            <section key={group} className="mb-5 break-inside-avoid">
              <h3 className="mb-1.5 text-xs font-medium text-muted">{group}</h3>
              <dl>
                {members.map(({ label, keys }) => (
                  <div key={label} className="flex h-8 items-center justify-between gap-3 border-b border-line-soft">
                    <dt className="truncate text-[13px]">{label}</dt>
                    <dd className="flex shrink-0 items-center gap-2">
                      {keys.map((each) => (
                        <Kbd key={each} keys={each} />
                      ))}
                    </dd>
                  </div>
                ))}
              </dl>
            </section>
          );
        })}
      </div>
    </Dialog>
  );
}

/** What can be done, and every way of keys to it. */
function byLabel(shortcuts: readonly Shortcut[]): { label: string; keys: string[] }[] {
  const found = new Map<string, Set<string>>();
  for (const { label, keys } of shortcuts) found.set(label, (found.get(label) ?? new Set()).add(keys));
  return [...found].map(([label, keys]) => ({ label, keys: [...keys] }));
}
