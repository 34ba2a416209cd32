import type { UsageStatus } from "./status.ts";

/** Tokens as the provider reported them; null where it reported none. Never estimated. */
export interface TokenCounts {
  promptTokens: number | null;
  completionTokens: number | null;
  totalTokens: number | null;
  /** Of the prompt tokens, those read from the provider's cache. */
  cachedPromptTokens: number | null;
  /** Of the prompt tokens, those written to the provider's cache. */
  cacheWriteTokens: number | null;
  /** Of the completion tokens, those spent on reasoning. */
  reasoningTokens: number | null;
}

export interface UsageTotals extends TokenCounts {
  modelCalls: number;
  status: UsageStatus;
}

const tokenKinds = [
  "promptTokens",
  "completionTokens",
  "totalTokens",
  "cachedPromptTokens",
  "cacheWriteTokens",
  "reasoningTokens",
] as const;

/**
 * Sums what was reported. COMPLETE when every call reported its totals (or there was none), UNAVAILABLE when none did,
 * PARTIAL between; a kind that no call reported stays null.
 */
export function sumUsage(calls: readonly TokenCounts[]): UsageTotals {
  const totals: UsageTotals = {
    promptTokens: null,
    completionTokens: null,
    totalTokens: null,
    cachedPromptTokens: null,
    cacheWriteTokens: null,
    reasoningTokens: null,
    modelCalls: calls.length,
    status: "COMPLETE",
  };
  for (const kind of tokenKinds) {
    const reported = calls.map((call) => call[kind]).filter((n) => n !== null);
    if (reported.length > 0) totals[kind] = reported.reduce((a, b) => a + b, 0);
  }
  const known = calls.filter((call) => call.totalTokens !== null).length;
  if (known < calls.length) totals.status = known === 0 ? "UNAVAILABLE" : "PARTIAL";
  return totals;
}
