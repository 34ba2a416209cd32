import { sumUsage } from "@wheelhouse/domain";
import type { ModelCallValues } from "./sql.ts";

/** What the model calls of one batch add to a session. */
export interface UsageDelta {
  calls: number;
  prompt: number;
  completion: number;
  total: number;
  cached: number;
  reasoning: number;
  usage: string;
}

const none: UsageDelta = {
  calls: 0,
  prompt: 0,
  completion: 0,
  total: 0,
  cached: 0,
  reasoning: 0,
  usage: "COMPLETE",
};

export function usageOf(calls: readonly ModelCallValues[]): UsageDelta {
  if (calls.length === 0) return none;
  const totals = sumUsage(
    calls.map((call) => ({
      promptTokens: call.prompt_tokens,
      completionTokens: call.completion_tokens,
      totalTokens: call.total_tokens,
      cachedPromptTokens: call.cached_prompt_tokens,
      cacheWriteTokens: call.cache_write_tokens,
      reasoningTokens: call.reasoning_tokens,
    })),
  );
  return {
    calls: calls.length,
    prompt: totals.promptTokens ?? 0,
    completion: totals.completionTokens ?? 0,
    total: totals.totalTokens ?? 0,
    cached: totals.cachedPromptTokens ?? 0,
    reasoning: totals.reasoningTokens ?? 0,
    usage: totals.status,
  };
}
