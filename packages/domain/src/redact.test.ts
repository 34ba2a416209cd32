import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isSecretName, looksSecret, redacted, redactSecrets, redactText } from "./redact.ts";

describe("redaction", () => {
  it.each([
    "password",
    "apiKey",
    "API_KEY",
    "x-auth-token",
    "Authorization",
    "clientSecret",
    "aws_secret_access_key",
    "set-cookie",
  ])("knows %s as the name of a secret", (name) => expect(isSecretName(name)).toBe(true));

  it.each([
    "maxTokens",
    "promptTokens",
    "tokenCount",
    "apiKeyEnv",
    "key",
    "keyboard",
    "secretary",
    "monkey",
    "tokenizer",
  ])("leaves %s alone", (name) => expect(isSecretName(name)).toBe(false));

  it.each([
    ["an OpenAI key", `sk-proj-${"a1B2".repeat(6)}`],
    ["a GitHub token", `ghp_${"a1B2".repeat(9)}`],
    ["an AWS key id", "AKIAIOSFODNN7EXAMPLE"],
    ["a JWT", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc_def"],
    ["a bearer header", "Bearer abcdefgh12345678"],
    ["a URL with a password", "postgres://app:hunter2@db.example.com/app"],
    ["a private key", "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----"],
  ])("takes %s out of a text", (_, secret) => {
    expect(looksSecret(secret)).toBe(true);
    const text = redactText(`before ${secret} after`);
    expect(text).toContain(redacted);
    expect(text).toMatch(/^before .* after$/);
    expect(text).not.toContain(secret);
  });

  it("leaves ordinary text alone", () => {
    for (const text of ["https://example.com/a:b@c?d", "the risk-based approach", "user@example.com", "12:30"])
      expect(redactText(text)).toBe(text);
  });

  it("goes through JSON by name and by text, and twice is once", () => {
    expect(redactSecrets({ a: { password: { x: 1 }, token: null }, list: ["Bearer abcdefgh12345678", 1] })).toEqual({
      a: { password: redacted, token: null },
      list: [`Bearer ${redacted}`, 1],
    });
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const once = redactSecrets(value);
        expect(redactSecrets(once)).toEqual(once);
      }),
    );
  });
});
