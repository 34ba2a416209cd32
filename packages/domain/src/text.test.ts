import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { preview, storableJson, storableText } from "./text.ts";

const anyText = fc.string({ unit: "binary", maxLength: 3000 });

describe("preview", () => {
  it("is storable, on one line and never too long, whatever the text is", () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 1, max: 600 }), (text, max) => {
        const short = preview(text, max);
        expect(short.length).toBeLessThanOrEqual(max);
        expect(short.isWellFormed() && !short.includes("\0") && !/[\n\r\t]/.test(short)).toBe(true);
      }),
    );
  });

  it.each([
    ["family with joiners", "👨‍👩‍👧‍👦"],
    ["flag", "🇨🇭"],
    ["skin tone", "👍🏽"],
    ["combining marks", "e\u0301\u0323"],
    ["Devanagari cluster", "क्षि"],
    ["Hangul jamo", "각"],
  ])("keeps graphemes whole: %s", (_, grapheme) => {
    for (let max = 1; max <= grapheme.length * 4; max++) {
      const short = preview(grapheme.repeat(10), max);
      expect(short.endsWith("…")).toBe(true);
      expect(short.slice(0, -1)).toBe(grapheme.repeat(short.slice(0, -1).length / grapheme.length));
    }
  });

  it("cuts text without spaces, as Chinese and Japanese are written", () => {
    expect(preview("会話の一覧に表示される最後のメッセージ", 8)).toBe("会話の一覧に表…");
  });

  it("collapses white space and leaves what fits alone", () => {
    expect(preview("  a\n\n b\tc ")).toBe("a b c");
    expect(preview("x".repeat(500))).toBe("x".repeat(500));
    expect(preview("x".repeat(501))).toBe(`${"x".repeat(499)}…`);
  });

  it("does not make half a character of the part it did not read", () => {
    expect(preview(`${" ".repeat(19)}😀 and more`, 5)).toBe("…");
    expect(preview(`a${" ".repeat(40)}b`, 5)).toBe("a…");
  });
});

describe("storable text", () => {
  it("has no NUL and no lone surrogate, and keeps its length and all else", () => {
    expect(storableText("a\0b\uD83Dc\uDE00😀")).toBe("a\uFFFDb\uFFFDc\uFFFD😀");
    fc.assert(
      fc.property(anyText, (text) => {
        const stored = storableText(text);
        expect(stored).toHaveLength(text.length);
        expect(storableText(stored)).toBe(stored);
        if (text.isWellFormed() && !text.includes("\0")) expect(stored).toBe(text);
      }),
    );
  });

  it("reaches keys and nested values of JSON, and keeps keys that look special", () => {
    expect(storableJson({ "k\0": ["\uD800", { a: null, b: 1, c: true }] })).toEqual({
      "k\uFFFD": ["\uFFFD", { a: null, b: 1, c: true }],
    });
    const special: unknown = JSON.parse('{"__proto__":{"polluted":true}}');
    expect(JSON.stringify(storableJson(special))).toBe('{"__proto__":{"polluted":true}}');
  });
});
