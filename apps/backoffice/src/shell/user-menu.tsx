"use client";

import { DropdownMenu } from "@cloudflare/kumo/components/dropdown";
import { DesktopIcon, DotsThreeIcon, KeyboardIcon, MoonIcon, SignOutIcon, SunIcon } from "@phosphor-icons/react";
import { Skeleton } from "../ui/states.tsx";
import { useShell } from "./shell-context.ts";
import { useSignOut } from "./use-sign-out.ts";
import { type Theme, useTheme } from "./use-theme.ts";
import { useViewer } from "./viewer.tsx";

const roleNames = { VIEWER: "Viewer", OPERATOR: "Operator", EDITOR: "Editor", OWNER: "Owner" } as const;

export const themeIcons = { light: SunIcon, dark: MoonIcon, system: DesktopIcon } as const;

const initials = (name: string): string => {
  const words = name.trim().split(/\s+/);
  return [words[0], words.length > 1 ? words.at(-1) : undefined]
    .map((word) => (word === undefined ? "" : ([...new Intl.Segmenter().segment(word)][0]?.segment ?? "")))
    .join("")
    .toUpperCase();
};

/** Who is signed in, the theme, the way out. */
export function UserMenu() {
  const viewer = useViewer();
  const [theme, setTheme] = useTheme();
  const { openShortcuts } = useShell();
  const signOut = useSignOut();
  if (viewer === null)
    return (
      <div className="flex h-10 items-center gap-2.5 px-1.5">
        <Skeleton className="size-6 rounded-full" />
        <Skeleton className="h-3 w-28" />
      </div>
    );
  return (
    <DropdownMenu>
      <DropdownMenu.Trigger
        render={
          <button
            type="button"
            className="flex h-10 w-full items-center gap-2.5 rounded-md px-1.5 text-left hover:bg-hover data-popup-open:bg-hover"
          >
            <span
              aria-hidden="true"
              className="flex size-[22px] shrink-0 items-center justify-center rounded-full bg-accent-tint text-[10px] font-semibold text-accent-ink"
            >
              {initials(viewer.name)}
            </span>
            <span className="min-w-0 flex-1">
              <span className="block truncate text-[13px] leading-tight font-medium">{viewer.name}</span>
              <span className="block truncate text-2xs leading-tight text-muted">{roleNames[viewer.role]}</span>
            </span>
            <DotsThreeIcon size={16} weight="bold" aria-hidden="true" className="text-muted" />
          </button>
        }
      />
      <DropdownMenu.Content side="top" align="start" className="min-w-52">
        {viewer.email === null ? null : (
          <DropdownMenu.Group>
            <DropdownMenu.Label>
              <span className="font-normal text-muted">{viewer.email}</span>
            </DropdownMenu.Label>
          </DropdownMenu.Group>
        )}
        <DropdownMenu.RadioGroup value={theme} onValueChange={(next: Theme) => setTheme(next)}>
          {(["light", "dark", "system"] as const).map((each) => (
            <DropdownMenu.RadioItem key={each} value={each} icon={themeIcons[each]} closeOnClick={false}>
              {each === "light" ? "Light" : each === "dark" ? "Dark" : "System theme"}
              <DropdownMenu.RadioItemIndicator />
            </DropdownMenu.RadioItem>
          ))}
        </DropdownMenu.RadioGroup>
        <DropdownMenu.Separator />
        <DropdownMenu.Item icon={KeyboardIcon} onClick={openShortcuts}>
          Keyboard shortcuts
          <DropdownMenu.Shortcut>?</DropdownMenu.Shortcut>
        </DropdownMenu.Item>
        <DropdownMenu.Item icon={SignOutIcon} onClick={signOut}>
          Sign out
        </DropdownMenu.Item>
      </DropdownMenu.Content>
    </DropdownMenu>
  );
}
