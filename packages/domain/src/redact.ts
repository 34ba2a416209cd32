/** What stands where a secret stood. */
export const redacted = "[redacted]";

const secretWords = new Set([
  "password",
  "passwd",
  "passphrase",
  "pwd",
  "secret",
  "secrets",
  "token",
  "apikey",
  "authorization",
  "cookie",
  "credential",
  "credentials",
  "bearer",
]);
const secretPairs = new Set(["api key", "private key", "access key", "secret key", "signing key", "encryption key"]);
/** Words that turn a secret's name into the name of something said about it: `token_count`, `passwordPolicy`. */
const aboutWords = new Set(["count", "limit", "budget", "policy", "length", "type", "usage", "env", "name", "id"]);

// Prefixes that providers publish so that scanners can find leaked keys, then forms that are secret by construction.
const secretPatterns: readonly RegExp[] = [
  /\b(?:sk|pk|rk)[-_](?:[a-z]+[-_])*[A-Za-z0-9_-]{16,}/g,
  /\bgh[pousr]_[A-Za-z0-9]{20,}/g,
  /\bgithub_pat_[A-Za-z0-9_]{20,}/g,
  /\bglpat-[A-Za-z0-9_-]{16,}/g,
  /\bxox[abeoprs]-[A-Za-z0-9-]{10,}/g,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  /\bAIza[A-Za-z0-9_-]{30,}/g,
  /\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*/g,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
];
const bearer = /\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{8,}/gi;
const urlCredentials = /\b([a-z][a-z0-9+.-]{1,20}:\/\/)[^\s/@:]{0,200}:[^\s/@]{1,200}@/gi;

const wordsOf = (name: string): string[] =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");

/** Whether a key is named like one that holds a secret: `password`, `apiKey`, `X-Auth-Token`; not `maxTokens`, `apiKeyEnv`. */
export function isSecretName(name: string): boolean {
  const words = wordsOf(name);
  if (aboutWords.has(words.at(-1) ?? "")) return false;
  return words.some((word, i) => secretWords.has(word) || secretPairs.has(`${word} ${words[i + 1] ?? ""}`));
}

/** A text with everything in it that has the form of a secret replaced. */
export function redactText(text: string): string {
  let out = text;
  for (const pattern of secretPatterns) out = out.replaceAll(pattern, redacted);
  return out.replaceAll(bearer, `$1 ${redacted}`).replaceAll(urlCredentials, `$1${redacted}@`);
}

/** Whether a text holds something that has the form of a secret. */
export const looksSecret = (text: string): boolean => redactText(text) !== text;

/** A JSON value in which secrets are replaced: values under secret names whole, others where their text looks secret. */
export function redactSecrets(value: unknown): unknown {
  if (typeof value === "string") return redactText(value);
  if (Array.isArray(value)) return value.map(redactSecrets);
  if (value !== null && typeof value === "object")
    return Object.fromEntries(
      Object.entries(value).map(([key, v]) => [key, isSecretName(key) && v !== null ? redacted : redactSecrets(v)]),
    );
  return value;
}
