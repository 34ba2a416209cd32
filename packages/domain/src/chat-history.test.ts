import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chatHistory } from "./chat-history.ts";

const messages = ["aaaa", "bb", "cccccc", "d"].map((content) => ({ content }));
const window = (maxChars: number | null, limit = 50) =>
  chatHistory(messages, { limit, maxChars }).map(({ content }) => content);

describe("chatHistory", () => {
  it.each([
    [7, ["cccccc", "d"]],
    [6, ["d"]],
    [0, []],
    [100, ["aaaa", "bb", "cccccc", "d"]],
    [null, ["aaaa", "bb", "cccccc", "d"]],
  ])("keeps the newest that fit into %s characters", (maxChars, kept) => {
    expect(window(maxChars)).toEqual(kept);
  });

  it("keeps at most the limit", () => {
    expect(window(100, 2)).toEqual(["cccccc", "d"]);
    expect(window(100, 0)).toEqual([]);
  });

  it("is always the longest tail that fits", () => {
    const list = fc.array(fc.record({ content: fc.string() }));
    fc.assert(
      fc.property(list, fc.nat(40), fc.nat(10), (all, maxChars, limit) => {
        const kept = chatHistory(all, { limit, maxChars });
        const chars = (tail: { content: string }[]) => tail.reduce((sum, m) => sum + m.content.length, 0);
        expect(kept).toEqual(all.slice(all.length - kept.length));
        expect(kept.length <= limit && chars(kept) <= maxChars).toBe(true);
        const oneMore = all.slice(all.length - kept.length - 1);
        if (kept.length < all.length) expect(oneMore.length > limit || chars(oneMore) > maxChars).toBe(true);
      }),
    );
  });
});
