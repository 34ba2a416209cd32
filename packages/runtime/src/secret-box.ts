import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

/** Encrypts secrets for the database. What is sealed for one purpose opens for that purpose only. */
export interface SecretBox {
  /** `purpose` names the place of the secret, for example `webhook:<id>`: elsewhere it does not open. */
  seal(secret: string, purpose: string): string;
  /** Throws when it was sealed with a secret that is not known here, for another purpose, or was changed. */
  open(sealed: string, purpose: string): string;
  /** Whether it was sealed with the current secret; else it should be sealed again. */
  isCurrent(sealed: string): boolean;
}

interface Key {
  id: string;
  bytes: Uint8Array;
}

const version = "v1";
/** What GCM wants: 96 bits that never repeat under one key. */
const nonceBytes = 12;
const tagBytes = 16;

const utf8 = new TextEncoder();
const base64 = (value: Uint8Array): string => Buffer.from(value).toString("base64url");
const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, "base64url"));

/**
 * AES-256-GCM with keys derived from the installation's secrets: `current` seals, `previous` still open. The form is
 * `v1.<key id>.<nonce>.<tag>.<text>`, so that another version, or another key, can stand beside it.
 */
export function openSecretBox(secrets: { current: string; previous: readonly string[] }): SecretBox {
  const current = keyOf(secrets.current);
  const keys = new Map([...secrets.previous.map(keyOf), current].map((key) => [key.id, key]));
  return {
    seal(secret, purpose) {
      const nonce = new Uint8Array(randomBytes(nonceBytes));
      const cipher = createCipheriv("aes-256-gcm", current.bytes, nonce).setAAD(utf8.encode(purpose));
      const text = cipher.update(secret, "utf8", "base64url") + cipher.final("base64url");
      return [version, current.id, base64(nonce), cipher.getAuthTag().toString("base64url"), text].join(".");
    },
    open(sealed, purpose) {
      const [form, keyId = "", nonce = "", tag = "", text = ""] = sealed.split(".");
      if (form !== version) throw new Error("A stored secret has a form that this version does not know");
      const key = keys.get(keyId);
      if (key === undefined)
        throw new Error(`A stored secret needs the key ${keyId}; name its secret in WHEELHOUSE_SECRET_PREVIOUS`);
      const decipher = createDecipheriv("aes-256-gcm", key.bytes, bytes(nonce), { authTagLength: tagBytes });
      decipher.setAAD(utf8.encode(purpose)).setAuthTag(bytes(tag));
      return decipher.update(text, "base64url", "utf8") + decipher.final("utf8");
    },
    isCurrent: (sealed) => sealed.startsWith(`${version}.${current.id}.`),
  };
}

/** The secret also signs cookies: the derived key is good for nothing else, and its id tells nothing about either. */
function keyOf(secret: string): Key {
  const derived = new Uint8Array(hkdfSync("sha256", secret, "", "wheelhouse secrets at rest", 32));
  const id = Buffer.from(hkdfSync("sha256", secret, "", "wheelhouse secrets at rest: key id", 6)).toString("hex");
  return { id, bytes: derived };
}
