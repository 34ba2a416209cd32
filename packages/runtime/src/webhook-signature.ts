import { createHmac, randomBytes } from "node:crypto";

// Signatures in the form of Standard Webhooks: HMAC-SHA256 over `<id>.<timestamp>.<body>`, so that neither the body nor
// the time of sending can be changed, and an old request cannot be sent again later.

const prefix = "whsec_";

/** A new signing secret: 32 random bytes in Base64 behind `whsec_`. */
export const newSigningSecret = (): string => `${prefix}${randomBytes(32).toString("base64")}`;

export interface SignedMessage {
  /** The same for every attempt. */
  id: string;
  /** When this attempt is sent. */
  at: Date;
  body: string;
}

/** The headers that let a receiver check a message: one signature per secret, so that a secret can be changed in peace. */
export function signatureHeaders(message: SignedMessage, secrets: readonly string[]): Record<string, string> {
  const timestamp = String(Math.floor(message.at.getTime() / 1000));
  const content = `${message.id}.${timestamp}.${message.body}`;
  return {
    "webhook-id": message.id,
    "webhook-timestamp": timestamp,
    "webhook-signature": secrets.map((secret) => `v1,${signatureOf(content, secret)}`).join(" "),
  };
}

function signatureOf(content: string, secret: string): string {
  const key = new Uint8Array(Buffer.from(secret.slice(prefix.length), "base64"));
  return createHmac("sha256", key).update(content).digest("base64");
}
