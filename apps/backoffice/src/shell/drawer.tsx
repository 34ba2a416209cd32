"use client";

import { Dialog as Base } from "@cloudflare/kumo/primitives/dialog";
import type { ReactNode } from "react";
import { useNavigation } from "./navigation-state.tsx";

/** The navigation on narrow screens: slides in over the page. */
export function Drawer({ children }: { children: ReactNode }) {
  const { open, setOpen } = useNavigation();
  return (
    <Base.Root open={open} onOpenChange={setOpen}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 bg-black/40 transition-opacity duration-200 data-ending-style:opacity-0 data-starting-style:opacity-0 md:hidden" />
        <Base.Popup className="fixed inset-y-0 left-0 w-[272px] max-w-[85vw] border-r border-line bg-canvas shadow-pop transition-transform duration-200 data-ending-style:-translate-x-full data-starting-style:-translate-x-full md:hidden">
          <Base.Title className="sr-only">Navigation</Base.Title>
          {children}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
