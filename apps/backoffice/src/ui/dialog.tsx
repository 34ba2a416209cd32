"use client";

import { Dialog as Base } from "@cloudflare/kumo/primitives/dialog";
import { XIcon } from "@phosphor-icons/react";
import type { ReactNode } from "react";

export interface DialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  /** Hides the title bar; the title then only names the dialog. */
  bare?: boolean;
  description?: ReactNode;
  size?: "sm" | "md" | "lg";
  /** `top` leaves room for a list to grow below. */
  place?: "center" | "top";
  children: ReactNode;
  footer?: ReactNode;
}

const widths = { sm: "max-w-md", md: "max-w-xl", lg: "max-w-3xl" } as const;

/** A modal dialog: names itself, keeps the focus, closes with Esc. Fills the width of a phone. */
export function Dialog(props: DialogProps) {
  const { open, onOpenChange, title, bare = false, description, size = "md", place = "center", children } = props;
  return (
    <Base.Root open={open} onOpenChange={onOpenChange}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 bg-black/30 transition-opacity duration-150 data-ending-style:opacity-0 data-starting-style:opacity-0 dark:bg-black/60" />
        <Base.Popup
          className={`fixed left-1/2 flex max-h-[min(80vh,720px)] w-[calc(100vw-24px)] -translate-x-1/2 flex-col overflow-hidden rounded-xl bg-raised text-ink shadow-pop transition-[opacity,scale] duration-150 data-ending-style:scale-[0.98] data-ending-style:opacity-0 data-starting-style:scale-[0.98] data-starting-style:opacity-0 ${widths[size]} ${place === "top" ? "top-[12vh]" : "top-1/2 -translate-y-1/2"}`}
        >
          {bare ? (
            <Base.Title className="sr-only">{title}</Base.Title>
          ) : (
            <div className="flex items-start justify-between gap-4 px-5 pt-4 pb-3">
              <div>
                <Base.Title className="text-[15px] font-semibold tracking-[-0.01em]">{title}</Base.Title>
                {description === undefined ? null : (
                  <Base.Description className="mt-0.5 text-[13px] text-muted">{description}</Base.Description>
                )}
              </div>
              <Base.Close
                aria-label="Close"
                className="-mr-1.5 inline-flex size-7 shrink-0 items-center justify-center rounded-md text-muted hover:bg-hover hover:text-ink"
              >
                <XIcon size={15} aria-hidden="true" />
              </Base.Close>
            </div>
          )}
          <div className="min-h-0 flex-1 overflow-y-auto">{children}</div>
          {props.footer === undefined ? null : (
            <div className="flex items-center justify-end gap-2 border-t border-line-soft px-5 py-3">
              {props.footer}
            </div>
          )}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
