import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { newSigningSecret, signatureHeaders } from "./webhook-signature.ts";

// The reference implementation is the judge. It wants messages of the last five minutes.
const body = '{"type":"task.completed","text":"ä"}';
const message = { id: "0190aaaa-0000-7000-8000-000000000001", at: new Date(), body };

describe("a webhook's signature", () => {
  it("is what Standard Webhooks' own library accepts", () => {
    const secret = newSigningSecret();
    expect(new Webhook(secret).verify(body, signatureHeaders(message, [secret]))).toMatchObject({
      type: "task.completed",
    });
  });

  it("is refused when the body, the id, the time or the secret is another", () => {
    const secret = newSigningSecret();
    const headers = signatureHeaders(message, [secret]);
    const later = String(Number(headers["webhook-timestamp"]) + 1);
    expect(() => new Webhook(secret).verify(`${body} `, headers)).toThrow();
    expect(() => new Webhook(secret).verify(body, { ...headers, "webhook-id": "other" })).toThrow();
    expect(() => new Webhook(secret).verify(body, { ...headers, "webhook-timestamp": later })).toThrow();
    expect(() => new Webhook(newSigningSecret()).verify(body, headers)).toThrow();
  });

  it("is there for both secrets while one replaces the other", () => {
    const secrets = [newSigningSecret(), newSigningSecret()];
    const headers = signatureHeaders(message, secrets);
    for (const secret of secrets) expect(new Webhook(secret).verify(body, headers)).toBeDefined();
  });
});
