import { describe, expect, it } from "vitest";
import { contentTypeOf, isTextType, looksLike, safeHeaders } from "./content-type.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const png = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0]);
const jpeg = Uint8Array.from([0xff, 0xd8, 0xff, 0xe0]);
const zip = Uint8Array.from([0x50, 0x4b, 0x03, 0x04, 0]);
const random = Uint8Array.from([0x9c, 0xff, 0x00, 0x13, 0x80]);
const html = bytes("<!doctype html><title>x</title>");
const svg = bytes(`<?xml version="1.0"?><!-- by hand --><svg xmlns="http://www.w3.org/2000/svg"/>`);

describe("what a body looks like", () => {
  const seen: [name: string, head: Uint8Array, type: string | null][] = [
    ["an image", png, "image/png"],
    ["a page", html, "text/html"],
    ["a page behind spaces and a comment", bytes("\ufeff \n<!-- hi --><HTML>"), "text/html"],
    ["a script", bytes("<script>alert(1)</script>"), "text/html"],
    ["a drawing", svg, "image/svg+xml"],
    ["XML", bytes("<?xml version='1.0'?><feed/>"), "application/xml"],
    ["text", bytes("less < more"), "text/plain"],
    ["text that is cut in a letter", bytes("é").subarray(0, 1), "text/plain"],
    ["nothing", bytes(""), "text/plain"],
    ["anything else", random, null],
  ];
  it.each(seen)("is found: %s", (_name, head, type) => {
    expect(looksLike(head)).toBe(type);
  });
});

describe("what a body is called", () => {
  const called: [declared: string | null, name: string, head: Uint8Array, type: string][] = [
    [null, "a.md", bytes("# A"), "text/markdown"],
    [null, "a", bytes("# A"), "text/plain"],
    [null, "a", png, "image/png"],
    [null, "a", random, "application/octet-stream"],
    [null, "a.txt", png, "image/png"],
    [null, "a.png", html, "text/html"],
    [null, "a.docx", zip, "application/vnd.openxmlformats-officedocument.wordprocessingml.document"],
    ["", "a.csv", bytes("a,b"), "text/csv"],
    ["text/plain; charset=utf-8", "a", bytes("a"), "text/plain; charset=utf-8"],
    ["application/octet-stream", "a.png", png, "application/octet-stream"],
    ["text/plain", "a.html", html, "text/plain"],
    ["application/x-own", "a", random, "application/x-own"],
    ["audio/ogg", "a", random, "audio/ogg"],
  ];
  it.each(called)("%s, %s", (declared, name, head, type) => {
    expect(contentTypeOf({ declared, name, head })).toBe(type);
  });

  const belied: [declared: string, head: Uint8Array][] = [
    ["image/png", html],
    ["image/png", jpeg],
    ["image/png", bytes("")],
    ["image/svg+xml", html],
    ["image/tiff", html],
    ["application/pdf", zip],
    ["text/plain", png],
    ["application/json", random],
    ["text", bytes("a")],
    ["text/plain\r\nset-cookie: a=b", bytes("a")],
    [`text/${"a".repeat(300)}`, bytes("a")],
  ];
  it.each(belied)("not %s when it is something else", (declared, head) => {
    expect(() => contentTypeOf({ declared, name: "a", head })).toThrow(/^contentType: /);
  });
});

describe("what a browser is told", () => {
  it("shows no page and no drawing, whatever it is called", () => {
    for (const type of ["text/html", "TEXT/HTML; charset=utf-8", "image/svg+xml", "application/xhtml+xml", "text/xml"])
      expect(safeHeaders(type, "a")["content-disposition"]).toMatch(/^attachment/);
    for (const type of ["image/png", "application/pdf", "text/plain", "text/csv; header=present"])
      expect(safeHeaders(type, "a")["content-disposition"]).toMatch(/^inline/);
  });

  it("breaks out of no header", () => {
    const { "content-disposition": disposition = "" } = safeHeaders("text/plain", `a"; x=\r\nb'(é).txt`);
    expect(disposition).not.toMatch(/[\r\n]/);
    expect(disposition).toBe(
      `inline; filename="a__ x___b_(e).txt"; filename*=UTF-8''a%22%3B%20x%3D%0D%0Ab%27%28%C3%A9%29.txt`,
    );
  });

  it("says the charset of text once", () => {
    expect(safeHeaders("text/plain", "a")["content-type"]).toBe("text/plain; charset=utf-8");
    expect(safeHeaders("text/plain; charset=latin1", "a")["content-type"]).toBe("text/plain; charset=latin1");
    expect(safeHeaders("image/png", "a")["content-type"]).toBe("image/png");
  });

  it("knows which types are text", () => {
    expect(["text/x-python", "application/json", "application/ld+json", "image/svg+xml"].every(isTextType)).toBe(true);
    expect(["image/png", "application/octet-stream", "application/pdf"].some(isTextType)).toBe(false);
  });
});
