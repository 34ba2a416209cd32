import { isSecretName } from "@wheelhouse/domain";

export type Environment = Readonly<Record<string, string | undefined>>;

const reference = /\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;

export const hasVariables = (text: string): boolean => text.includes("${");

/**
 * Replaces `${VAR}` and `${VAR:-default}` (used when VAR is unset or empty); `$${` stands for `${` itself.
 * A variable that is named like a secret is refused: definitions are stored and shown. Throws an Error that says why.
 */
export function substituteVariables(text: string, env: Environment): string {
  return text.replaceAll(reference, (whole: string, name: string | undefined, fallback: string | undefined) => {
    if (name === undefined) return whole.slice(1);
    if (isSecretName(name))
      throw new Error(`$\{${name}} is named like a secret; give the name of the variable instead (apiKeyEnv: ${name})`);
    const value = env[name];
    if (value !== undefined && value !== "") return value;
    if (fallback === undefined)
      throw new Error(`the variable ${name} is not set; set it or write $\{${name}:-default}`);
    return fallback;
  });
}
