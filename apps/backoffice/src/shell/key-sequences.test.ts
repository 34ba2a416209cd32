import { describe, expect, it } from "vitest";
import { chordOf, createKeySequences } from "./key-sequences.ts";

const press = (key: string, timeStamp = 0, more: Partial<Parameters<typeof chordOf>[0]> = {}) => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  timeStamp,
  ...more,
});

describe("chordOf", () => {
  it("names combinations, and leaves Shift to the character it makes", () => {
    expect(chordOf(press("k", 0, { metaKey: true }))).toBe("mod+k");
    expect(chordOf(press("K", 0, { ctrlKey: true, shiftKey: true }))).toBe("mod+shift+k");
    expect(chordOf(press("?", 0, { shiftKey: true }))).toBe("?");
    expect(chordOf(press("Enter", 0, { shiftKey: true }))).toBe("shift+enter");
  });
});

describe("createKeySequences", () => {
  const known = ["g c", "g r", "j", "c", "mod+k"];

  it("completes a sequence in time, and only then", () => {
    const keys = createKeySequences();
    expect(keys.press(press("g", 0), known)).toBeNull();
    expect(keys.press(press("c", 500), known)).toBe("g c");
    expect(keys.press(press("g", 1000), known)).toBeNull();
    expect(keys.press(press("c", 3000), known)).toBe("c");
  });

  it("forgets a beginning that leads nowhere", () => {
    const keys = createKeySequences();
    keys.press(press("g", 0), known);
    expect(keys.press(press("j", 100), known)).toBe("j");
    expect(keys.press(press("r", 200), known)).toBeNull();
  });
});
