import { RunRefusal } from "./classify-failure.ts";

/** What was passed in of the process's environment; nothing here reads the process's own. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Whoever may write a definition could otherwise send the installation's own secrets to an address of their choice. */
const ownVariables = /^(WHEELHOUSE_|DATABASE_|S3_)/;

/** A definition is right, and a variable that it names is not set where it is read. */
export class VariableMissing extends RunRefusal {
  constructor(message: string) {
    super("CONFIG_INVALID", message);
  }
}

/** The value of a variable that a definition names. Throws a RunRefusal (CONFIG_INVALID) that names what is missing. */
export function variableValue(name: string, env: Environment, purpose: string): string {
  if (ownVariables.test(name))
    throw new RunRefusal(
      "CONFIG_INVALID",
      `${purpose}: the variable ${name} is the installation's own; definitions cannot use it.`,
    );
  const value = env[name];
  if (value === undefined || value.trim() === "")
    throw new VariableMissing(`${purpose}: the environment variable ${name} is not set.`);
  return value;
}

/** Headers with their values, which are read anew each time and kept nowhere. */
export function headerValues(
  headers: Readonly<Record<string, string>> | undefined,
  env: Environment,
  purpose: string,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers ?? {}).map(([header, variable]) => [header, variableValue(variable, env, purpose)]),
  );
}

/** Some services answer with the request they got; what it was signed with must not come to the model that way. */
export const withoutSecrets = (text: string, secrets: readonly string[]): string =>
  secrets
    .filter((secret) => secret.length >= 6)
    .reduce((clean, secret) => clean.replaceAll(secret, "[redacted]"), text);
