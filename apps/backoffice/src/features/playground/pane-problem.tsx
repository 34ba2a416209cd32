"use client";

import { WarningCircleIcon, XIcon } from "@phosphor-icons/react";
import { Button, IconButton } from "../../ui/button.tsx";
import type { SendRefusal } from "../conversation/sends.ts";

export interface PaneProblemProps {
  refusal: SendRefusal;
  onSendAgain: () => void;
  onDismiss: () => void;
}

/** Why a message was not taken: of a draft, everything that is wrong with it, each by its path. */
export function PaneProblem({ refusal, onSendAgain, onDismiss }: PaneProblemProps) {
  const { code, message, issues } = refusal;
  return (
    <div role="alert" className="shrink-0 border-b border-danger/40 bg-danger-tint px-4 py-2.5 text-[13px] text-ink">
      <div className="flex items-start gap-2">
        <WarningCircleIcon size={15} weight="fill" aria-hidden="true" className="mt-0.5 shrink-0 text-danger-ink" />
        <div className="min-w-0 flex-1">
          <p className="break-words">
            <span className="font-medium text-danger-ink">Not sent. </span>
            {issues.length === 0 ? message : "The definition cannot be run as it is."}
            <code className="mono ml-2 text-[11px] text-danger-ink">{code}</code>
          </p>
          {issues.length === 0 ? null : (
            <ul aria-label="What is wrong" className="mt-1.5 max-h-40 space-y-1 overflow-y-auto">
              {issues.map((issue) => (
                <li key={`${issue.path} ${issue.message}`} className="text-xs leading-relaxed break-words">
                  <code className="mono rounded bg-surface px-1 py-px text-[11px] text-ink">{issue.path}</code>{" "}
                  {issue.message}
                </li>
              ))}
            </ul>
          )}
        </div>
        <Button size="xs" onClick={onSendAgain}>
          Send again
        </Button>
        <IconButton icon={XIcon} label="Dismiss" onClick={onDismiss} />
      </div>
    </div>
  );
}
