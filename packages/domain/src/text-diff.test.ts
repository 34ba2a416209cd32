import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type DiffLine, diffTexts } from "./text-diff.ts";

const marks = { SAME: " ", REMOVED: "-", ADDED: "+" } as const;
const told = (hunk: readonly DiffLine[] = []) => hunk.map(({ kind, text }) => `${marks[kind]}${text}`);

/** The new text, made of the old one and what the difference says. */
function applied(oldText: string[], hunks: readonly DiffLine[][]): string[] {
  const result: string[] = [];
  let at = 0;
  for (const line of hunks.flat()) {
    if (line.oldLine !== null) {
      result.push(...oldText.slice(at, line.oldLine - 1));
      at = line.oldLine;
    }
    if (line.kind !== "REMOVED") result.push(line.text);
  }
  return [...result, ...oldText.slice(at)];
}

describe("the difference of two texts", () => {
  it("is told by lines, with what stands around", () => {
    const { hunks, added, removed } = diffTexts("a\nb\nc\nd\ne\nf\ng\n", "a\nb\nc\nD\ne\nf\ng\nh\n");
    expect(hunks.map(told)).toEqual([[" a", " b", " c", "-d", "+D", " e", " f", " g", "+h"]]);
    expect({ added, removed }).toEqual({ added: 2, removed: 1 });
    expect(hunks[0]?.at(-1)).toEqual({ kind: "ADDED", text: "h", oldLine: null, newLine: 8 });
  });

  it("leaves out what is far from every change", () => {
    const lines = Array.from({ length: 40 }, (_, i) => `${i}`);
    const changed = lines.with(5, "five").with(30, "thirty");
    const { hunks } = diffTexts(lines.join("\n"), changed.join("\n"));
    expect(hunks.map((hunk) => hunk.length)).toEqual([8, 8]);
  });

  it("is nothing between equal texts, whatever ends their lines", () => {
    expect(diffTexts("a\r\nb", "a\nb\n")).toEqual({ hunks: [], added: 0, removed: 0 });
    expect(diffTexts("", "").hunks).toEqual([]);
  });

  it("leads from the old text to the new one, and counts what it says", () => {
    const words = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 30 });
    fc.assert(
      fc.property(words, words, (a, b) => {
        const { hunks, added, removed } = diffTexts(a.join("\n"), b.join("\n"));
        expect(applied(a, hunks)).toEqual(b);
        expect(b.length - a.length).toBe(added - removed);
        for (const [i, line] of hunks.flat().entries())
          if (line.newLine !== null) expect(b[line.newLine - 1], `line ${i}`).toBe(line.text);
      }),
    );
  });

  it("of two texts with nothing in common ends soon", () => {
    const text = (letter: string) => Array.from({ length: 5_000 }, (_, i) => `${letter}${i}`).join("\n");
    expect(diffTexts(text("a"), text("b"))).toMatchObject({ added: 5_000, removed: 5_000 });
  });
});
