import { describe, expect, it } from "vitest";
import { draftText, readDraft } from "./read-draft.ts";

const saved = { systemPrompt: "Be kind", tools: ["search"] };

describe("readDraft", () => {
  it("takes what is saved for no draft, however it is spaced, and an empty editor as well", () => {
    expect(readDraft(draftText(saved), saved)).toEqual({ kind: "saved" });
    expect(readDraft('{"systemPrompt":"Be kind","tools":["search"]}', saved)).toEqual({ kind: "saved" });
    expect(readDraft(" \n", saved)).toEqual({ kind: "saved" });
  });

  it("takes any other object for a draft", () => {
    const definition = { ...saved, tools: [] };
    expect(readDraft(draftText(definition), saved)).toEqual({ kind: "draft", definition });
    expect(readDraft("{}", undefined)).toEqual({ kind: "draft", definition: {} });
  });

  it("says what is wrong with what is no definition", () => {
    expect(readDraft('{"tools": [}', saved)).toMatchObject({ message: expect.stringMatching(/^is not JSON: ./) });
    for (const text of ["[]", "7", "null", '"text"'])
      expect(readDraft(text, saved)).toEqual({ kind: "invalid", message: "a definition is a JSON object" });
  });
});
