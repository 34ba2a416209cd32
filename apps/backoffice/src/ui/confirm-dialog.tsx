"use client";

import type { ReactNode } from "react";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";

export interface ConfirmDialogProps {
  open: boolean;
  /** The question, with the name of what goes. */
  title: string;
  /** What happens, on the button. */
  action: string;
  /** What goes with it. */
  children: ReactNode;
  onConfirm: () => void;
  onCancel: () => void;
}

/** Asks before something is done that cannot be undone. */
export function ConfirmDialog({ open, title, action, children, onConfirm, onCancel }: ConfirmDialogProps) {
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => (next ? undefined : onCancel())}
      title={title}
      size="sm"
      footer={
        <>
          <Button onClick={onCancel}>Cancel</Button>
          <Button variant="destructive" onClick={onConfirm}>
            {action}
          </Button>
        </>
      }
    >
      <div className="px-5 pb-4 text-[13px] leading-relaxed text-ink-2">{children}</div>
    </Dialog>
  );
}
