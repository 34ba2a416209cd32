import { describe, expect, it } from "vitest";
import { openSecretBox } from "./secret-box.ts";

const old = "the secret that this installation had before";
const now = "the secret that this installation has today";
const box = openSecretBox({ current: now, previous: [] });

describe("secrets at rest", () => {
  it("open for what they were sealed for, and differ each time", () => {
    const sealed = [box.seal("whsec_ärger", "webhook:1"), box.seal("whsec_ärger", "webhook:1")];
    for (const each of sealed) expect(box.open(each, "webhook:1")).toBe("whsec_ärger");
    expect(sealed[0]).not.toBe(sealed[1]);
    expect(sealed.join()).not.toContain("rger");
  });

  it("do not open elsewhere, changed, shortened or in a form of the future", () => {
    const sealed = box.seal("whsec_1", "webhook:1");
    const [form = "", id = "", nonce = "", tag = "", text = ""] = sealed.split(".");
    const flip = (part: string) => `${part.startsWith("A") ? "B" : "A"}${part.slice(1)}`;
    expect(() => box.open(sealed, "webhook:2")).toThrow();
    const changed = [
      [flip(nonce), tag, text],
      [nonce, flip(tag), text],
      [nonce, tag, flip(text)],
      [nonce, tag.slice(0, 6), text],
      [nonce, tag, text.slice(0, 4)],
      ["", tag, text],
    ];
    for (const rest of changed) expect(() => box.open([form, id, ...rest].join("."), "webhook:1")).toThrow();
    expect(() => box.open(["v9", id, nonce, tag, text].join("."), "webhook:1")).toThrow(/does not know/);
  });

  it("outlive a change of the installation's secret while the one before is named", () => {
    const before = openSecretBox({ current: old, previous: [] }).seal("whsec_1", "webhook:1");
    const rotated = openSecretBox({ current: now, previous: [old] });
    expect(rotated.open(before, "webhook:1")).toBe("whsec_1");
    expect([rotated.isCurrent(before), rotated.isCurrent(rotated.seal("x", "y"))]).toEqual([false, true]);
    expect(() => box.open(before, "webhook:1")).toThrow(/WHEELHOUSE_SECRET_PREVIOUS/);
  });
});
