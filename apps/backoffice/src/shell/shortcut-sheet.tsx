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
      <div className="grid gap-x-10 gap-y-5 px-5 pt-1 pb-6 sm:grid-cols-2">
        {groups.map((group) => {
          const members = unique(shortcuts.filter((each) => each.group === group));
          return members.length === 0 ? null : (
            <section key={group}>
              <h3 className="mb-1.5 text-xs font-medium text-muted">{group}</h3>
              <dl>
                {members.map((each) => (
                  <div
                    key={each.keys}
                    className="flex h-8 items-center justify-between gap-3 border-b border-line-soft"
                  >
                    <dt className="truncate text-[13px]">{each.label}</dt>
                    <dd>
                      <Kbd keys={each.keys} />
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

/** The newest registration of each key. */
const unique = (shortcuts: readonly Shortcut[]): Shortcut[] => [
  ...new Map(shortcuts.map((each) => [each.keys, each])).values(),
];
