"use client";

import { CheckIcon, HandPalmIcon } from "@phosphor-icons/react";
import { type ReactNode, useState } from "react";
import { useClient } from "../../data/data-provider.tsx";
import { describeError } from "../../data/describe-error.ts";
import type { InterruptRowFragment } from "../../generated/graphql.ts";
import { Button } from "../../ui/button.tsx";
import { Time } from "../../ui/time.tsx";
import type { InterruptView } from "../run/live-view.ts";
import { type Answer, decideInterrupts } from "./decide.ts";
import { DecidedLine } from "./decided-line.tsx";
import { InterruptForm } from "./interrupt-form.tsx";

export interface ApprovalCardProps {
  /** The interrupts of one run, in the order in which they were asked. */
  interrupts: readonly InterruptView[];
  /** Why the viewer may not decide; null when they may. */
  blocked: string | null;
  /** Told the newest rows after a decision, of whoever. */
  onDecided: (rows: readonly InterruptRowFragment[]) => void;
  /** Beside the title: where it comes from. */
  context?: ReactNode;
}

/** What an agent asks of a human, and the answer. Several questions of one run are answered singly or all at once. */
export function ApprovalCard({ interrupts, blocked, onDecided, context }: ApprovalCardProps) {
  const { busy, refusal, decide } = useDecide(onDecided);
  const open = interrupts.filter((each) => each.decision === null && !each.expired);
  const decided = interrupts.filter((each) => each.decision !== null || each.expired);
  const approvable = open.filter((each) => each.allowedDecisions.includes("APPROVE") && !each.provisional);
  if (open.length === 0)
    return (
      <div className="flex flex-col gap-1">
        {decided.map((each) => (
          <DecidedLine key={each.id} interrupt={each} />
        ))}
      </div>
    );
  const [first] = open;
  return (
    // Not a landmark: a page may show many.
    <article
      aria-label={`${open.length} open ${open.length === 1 ? "request" : "requests"} of the agent`}
      className="overflow-hidden rounded-lg border border-warning/50 bg-surface shadow-[0_1px_2px_rgb(0_0_0/0.04)]"
    >
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-warning/30 bg-warning-tint px-3.5 py-2">
        <HandPalmIcon size={16} weight="fill" className="text-warning-ink" aria-hidden="true" />
        <h2 className="text-[13px] font-semibold text-warning-ink">
          {open.length === 1 ? "Waiting for your decision" : `${open.length} decisions needed`}
        </h2>
        {first === undefined ? null : (
          <span className="text-xs text-warning-ink">
            asked <Time at={first.requestedAt} as="ago" />
            {first.expiresAt === null ? null : (
              <>
                {" · expires "}
                <Time at={first.expiresAt} />
              </>
            )}
          </span>
        )}
        {context}
        {approvable.length > 1 && blocked === null ? (
          <span className="ml-auto">
            <Button
              size="sm"
              icon={CheckIcon}
              loading={busy}
              onClick={() =>
                decide(approvable.map((each) => ({ interruptId: globalId(each.id), decision: "APPROVE" as const })))
              }
            >
              Approve all {approvable.length}
            </Button>
          </span>
        ) : null}
      </header>
      {decided.length === 0 ? null : (
        <div className="border-b border-line-soft px-3.5 py-2">
          {decided.map((each) => (
            <DecidedLine key={each.id} interrupt={each} />
          ))}
        </div>
      )}
      <div className="divide-y divide-line-soft">
        {open.map((each) => (
          <InterruptForm
            key={each.id}
            interrupt={each}
            busy={busy}
            blocked={blocked}
            onAnswer={(answer) => decide([{ interruptId: globalId(each.id), ...answer }])}
          />
        ))}
      </div>
      {refusal === null ? null : (
        <p
          role="alert"
          className="border-t border-line-soft bg-danger-tint px-3.5 py-2 text-[13px] whitespace-pre-line text-danger-ink"
        >
          {refusal}
        </p>
      )}
    </article>
  );
}

const globalId = (id: string): string => `Interrupt_${id}`;

function useDecide(onDecided: ApprovalCardProps["onDecided"]) {
  const client = useClient();
  const [busy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<string | null>(null);
  const decide = async (answers: readonly Answer[]): Promise<void> => {
    setBusy(true);
    setRefusal(null);
    try {
      const result = await decideInterrupts(client, answers);
      if (result.outcome === "decided") onDecided(result.interrupts);
      else {
        setRefusal(result.message);
        if (result.interrupt !== null) onDecided([result.interrupt]);
      }
    } catch (error) {
      setRefusal(describeError(error).message);
    } finally {
      setBusy(false);
    }
  };
  return { busy, refusal, decide };
}
