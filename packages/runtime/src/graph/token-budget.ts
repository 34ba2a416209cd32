import { RunRefusal } from "./classify-failure.ts";
import type { ReportedUsage } from "./run-chunk.ts";
import type { TranslationState } from "./translation-state.ts";

/**
 * Counts what a model call used, and ends the run when it is more than it may use. Subagents and summaries count as well;
 * what a provider does not report is not guessed.
 */
export function spendTokens(state: TranslationState, usage: ReportedUsage | null): void {
  const { tokenBudget } = state.options;
  state.tokensUsed += usage?.total_tokens ?? 0;
  if (tokenBudget === null || state.tokensUsed <= tokenBudget) return;
  const message = `The run used ${state.tokensUsed} tokens, and may use ${tokenBudget}.`;
  state.refusal ??= new RunRefusal("BUDGET_EXCEEDED", message);
}
