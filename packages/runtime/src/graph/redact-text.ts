/** Removes secrets from a text that people will read. */
export type RedactText = (text: string) => string;

const secretVariable = /(KEY|TOKEN|SECRET|PASSWORD|PASS|CREDENTIALS?|_URL)$/;
const patterns: [RegExp, string][] = [
  // user:password@ in URLs.
  [/\b([a-z][a-z0-9+.-]*:\/\/)[^\s/@]+@/gi, "$1[redacted]@"],
  [/\b(Bearer|Basic)\s+[\w.~+/=-]{8,}/gi, "$1 [redacted]"],
  [/\b(sk|pk|rk|ghp|gho|xox[abp]|AIza)[-_]?[\w-]{12,}/g, "[redacted]"],
  [
    /\b((?:api[-_]?key|access[-_]?token|token|secret|password|signature|key)["']?\s*[=:]\s*["']?)[^\s"'&,;}]{4,}/gi,
    "$1[redacted]",
  ],
];

/** Longest error text shown, UTF-16 code units. */
const maxLength = 500;

/** A redactor that also knows the values of secret-looking variables of the given environment. */
export function createRedactText(env: Readonly<Record<string, string | undefined>>): RedactText {
  const values = Object.entries(env)
    .filter(([name, value]) => value !== undefined && value.length >= 8 && secretVariable.test(name))
    .map(([, value]) => value ?? "")
    .sort((a, b) => b.length - a.length);
  return (text) => {
    let clean = text;
    for (const value of values) clean = clean.replaceAll(value, "[redacted]");
    for (const [pattern, replacement] of patterns) clean = clean.replaceAll(pattern, replacement);
    // A stack that found its way into a message says nothing to a caller.
    clean = clean.replace(/\n\s+at [\s\S]*$/, "").trim();
    return clean.length > maxLength ? `${clean.slice(0, maxLength - 1).toWellFormed()}…` : clean.toWellFormed();
  };
}
