import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sumUsage, type TokenCounts } from "./usage.ts";

const tokens = fc.option(fc.nat(100_000), { nil: null });
const counts: fc.Arbitrary<TokenCounts> = fc.record({
  promptTokens: tokens,
  completionTokens: tokens,
  totalTokens: tokens,
  cachedPromptTokens: tokens,
  cacheWriteTokens: tokens,
  reasoningTokens: tokens,
});

describe("sumUsage", () => {
  it("does not depend on the order, and adds nothing that was not reported", () => {
    fc.assert(
      fc.property(fc.array(counts), (calls) => {
        const total = sumUsage(calls);
        expect(sumUsage([...calls].reverse())).toEqual(total);
        const reported = calls.map((call) => call.totalTokens).filter((n) => n !== null);
        expect(total.totalTokens).toBe(reported.length === 0 ? null : reported.reduce((a, b) => a + b, 0));
        expect(total.modelCalls).toBe(calls.length);
        const status =
          reported.length === calls.length ? "COMPLETE" : reported.length === 0 ? "UNAVAILABLE" : "PARTIAL";
        expect(total.status).toBe(status);
      }),
    );
  });

  it("keeps a reported zero apart from nothing reported", () => {
    const none = { promptTokens: null, completionTokens: null, totalTokens: null };
    const rest = { cachedPromptTokens: null, cacheWriteTokens: null, reasoningTokens: null };
    expect(sumUsage([{ ...none, ...rest, totalTokens: 0 }])).toMatchObject({ totalTokens: 0, promptTokens: null });
  });
});
