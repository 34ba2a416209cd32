import type { InterruptRowFragment } from "../../generated/graphql.ts";
import type { LogClient } from "../run/log-client.ts";
import { decideInterruptsDocument } from "../run/run-documents.ts";

/** One answer to one interrupt, as an operator gives it. Ids are global. */
export type Answer =
  | { interruptId: string; decision: "APPROVE" }
  | { interruptId: string; decision: "EDIT"; args: Record<string, unknown> }
  | { interruptId: string; decision: "REJECT"; message: string }
  | { interruptId: string; decision: "RESPOND"; value: unknown };

export type DecideResult =
  | { outcome: "decided"; interrupts: InterruptRowFragment[]; runId: string | null }
  /** Somebody was faster; `interrupt` says who. */
  | { outcome: "refused"; code: string; message: string; interrupt: InterruptRowFragment | null };

/** Answers interrupts of one task, all or none. Throws when the server cannot be reached. */
export async function decideInterrupts(
  client: Pick<LogClient, "request">,
  answers: readonly Answer[],
): Promise<DecideResult> {
  const { decideInterrupts: answer } = await client.request(decideInterruptsDocument, {
    input: { decisions: [...answers] },
  });
  if (answer.__typename === "DecideInterruptsSuccess")
    return { outcome: "decided", interrupts: answer.interrupts, runId: answer.run?.id ?? null };
  const issues = answer.__typename === "Invalid" ? answer.issues.map((issue) => `${issue.path}: ${issue.message}`) : [];
  return {
    outcome: "refused",
    code: answer.code,
    message: issues.length > 0 ? issues.join("\n") : answer.message,
    interrupt: answer.__typename === "AlreadyDecided" ? answer.interrupt : null,
  };
}
