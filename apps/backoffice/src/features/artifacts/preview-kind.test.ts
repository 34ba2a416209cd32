import { describe, expect, it } from "vitest";
import { hasOwnLook, isShownAsText, previewOf } from "./preview-kind.ts";

describe("what a body is shown as", () => {
  it.each([
    ["text/markdown; charset=utf-8", "a.md", { kind: "markdown", language: "markdown" }],
    ["text/csv", "a.csv", { kind: "csv" }],
    ["application/json", "a", { kind: "json", language: "json" }],
    ["application/ld+json", "a", { kind: "json", language: "json" }],
    ["application/jsonl", "a.jsonl", { kind: "code", language: "json" }],
    ["image/png", "a.png", { kind: "image" }],
    ["application/pdf", "a.pdf", { kind: "pdf" }],
    ["text/plain", "a.TS", { kind: "code", language: "typescript" }],
    ["text/x-python", "a", { kind: "code", language: "python" }],
    ["text/plain", "notes", { kind: "text" }],
    ["application/octet-stream", "a.bin", { kind: "none" }],
    ["application/zip", "a.ts", { kind: "none" }],
  ])("%s of the name %s", (type, name, preview) => expect(previewOf(type, name)).toEqual(preview));

  it("shows pages and drawings only as what is written in them", () => {
    for (const type of ["text/html", "TEXT/HTML; charset=utf-8", "application/xhtml+xml", "image/svg+xml"]) {
      const preview = previewOf(type, "a.png");
      expect([preview.kind, hasOwnLook(preview), isShownAsText(preview)]).toEqual(["code", false, true]);
    }
  });
});
