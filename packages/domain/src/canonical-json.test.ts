import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson } from "./canonical-json.ts";
import { digestOf, scopeKeyOf, sha256 } from "./digest.ts";

const json = fc.jsonValue({ maxDepth: 5, noUnicodeString: false });

/** The same value with the keys of every object in another order. */
function shuffled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shuffled);
  if (value !== null && typeof value === "object")
    return Object.fromEntries(
      Object.entries(value)
        .reverse()
        .map(([k, v]) => [k, shuffled(v)]),
    );
  return value;
}

describe("canonicalJson", () => {
  it("does not depend on the order of keys, at any depth", () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(canonicalJson(shuffled(value))).toBe(canonicalJson(value));
      }),
    );
  });

  it("says the same value as JSON does", () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it("gives different values different texts", () => {
    fc.assert(
      fc.property(json, json, (a, b) => {
        const plain = (v: unknown) => JSON.parse(JSON.stringify(v));
        let equal = true;
        try {
          expect(plain(a)).toEqual(plain(b));
        } catch {
          equal = false;
        }
        if (canonicalJson(a) === canonicalJson(b)) expect(equal).toBe(true);
      }),
    );
  });

  it("has no spaces and sorts keys by code unit", () => {
    expect(canonicalJson({ "\u{1F600}": 3, ä: 2, b: [1, { d: null, c: "x y" }] })).toBe(
      '{"b":[1,{"c":"x y","d":null}],"ä":2,"\u{1F600}":3}',
    );
  });

  it("leaves out undefined and refuses what JSON cannot say", () => {
    expect(canonicalJson({ a: undefined, b: 1 })).toBe('{"b":1}');
    for (const value of [
      Number.NaN,
      Number.POSITIVE_INFINITY,
      undefined,
      () => 1,
      1n,
      Symbol("s"),
      new Date(),
      [undefined],
    ])
      expect(() => canonicalJson(value)).toThrow(TypeError);
  });
});

describe("scopeKeyOf", () => {
  it("is the same for every order of keys and differs by key and by value", () => {
    const part = fc.dictionary(fc.stringMatching(/^[a-z][a-z0-9_]{0,9}$/), fc.string({ minLength: 1, unit: "binary" }));
    fc.assert(
      fc.property(part, (scope) => {
        expect(scopeKeyOf(Object.fromEntries(Object.entries(scope).reverse()))).toBe(scopeKeyOf(scope));
        expect(scopeKeyOf({ ...scope, zz_other: "1" })).not.toBe(scopeKeyOf(scope));
      }),
    );
    expect(scopeKeyOf({ project: "acme", user: "u-7" })).not.toBe(scopeKeyOf({ project: "acme", user: "u-8" }));
  });

  it("is the SHA-256 of the UTF-8 canonical JSON", () => {
    expect(scopeKeyOf({ user: "Zoë", project: "acme" })).toBe(sha256('{"project":"acme","user":"Zoë"}'));
    expect(digestOf({})).toBe("44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a");
  });
});
