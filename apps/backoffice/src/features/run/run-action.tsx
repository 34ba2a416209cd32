"use client";

import type { Icon } from "@phosphor-icons/react";
import { type ReactNode, useState } from "react";
import { describeError } from "../../data/describe-error.ts";
import { Button } from "../../ui/button.tsx";

export interface RunActionProps {
  icon: Icon;
  disabled: boolean;
  title?: string | undefined;
  /** Answers why it could not be done; null when it was. */
  act: () => Promise<string | null>;
  children: ReactNode;
}

/** A button that does something to a run, and says beside itself why it could not. */
export function RunAction({ icon, disabled, title, act, children }: RunActionProps) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const press = async () => {
    setBusy(true);
    try {
      setProblem(await act());
    } catch (error) {
      setProblem(describeError(error).message);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      {problem === null ? null : (
        <span role="alert" className="max-w-64 truncate text-xs text-danger-ink" title={problem}>
          {problem}
        </span>
      )}
      <Button icon={icon} loading={busy} disabled={disabled} title={title} onClick={() => void press()}>
        {children}
      </Button>
    </>
  );
}
