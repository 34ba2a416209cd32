"use client";

import { ListIcon } from "@phosphor-icons/react";
import { useNavigation } from "./navigation-state.tsx";

/** Opens the navigation drawer on narrow screens; absent on wide ones. */
export function NavigationToggle() {
  const { open, setOpen } = useNavigation();
  return (
    <button
      type="button"
      aria-label="Open navigation"
      aria-expanded={open}
      onClick={() => setOpen(true)}
      className="-ml-1 inline-flex size-8 shrink-0 items-center justify-center rounded-md text-ink-2 hover:bg-hover md:hidden"
    >
      <ListIcon size={18} aria-hidden="true" />
    </button>
  );
}
