"use client";

import { Button } from "../../ui/button.tsx";
import { useCopy } from "../../ui/copyable-id.tsx";
import { Dialog } from "../../ui/dialog.tsx";

/** A signing secret, shown once. Only the button closes it, so that no stray click loses it. */
export function SecretDialog({ secret, onClose }: { secret: string | null; onClose: () => void }) {
  const [copied, copy] = useCopy();
  return (
    <Dialog
      open={secret !== null}
      onOpenChange={() => undefined}
      title="The signing secret"
      description="It is shown this once. Keep it where the receiver can read it."
      size="md"
      footer={
        <>
          <Button onClick={() => copy(secret ?? "")}>{copied ? "Copied" : "Copy"}</Button>
          <Button variant="primary" onClick={onClose}>
            I have kept it
          </Button>
        </>
      }
    >
      <div className="px-5 pb-4">
        <code className="mono block rounded-md border border-line bg-sunken px-3 py-2.5 text-xs break-all select-all">
          {secret}
        </code>
      </div>
    </Dialog>
  );
}
