import type { Environment } from "./substitute-variables.ts";

/** A capable small model of each provider, by the variable that holds the provider's key. */
const byKey: readonly (readonly [string, string])[] = [
  ["OPENAI_API_KEY", "openai/gpt-5-mini"],
  ["ANTHROPIC_API_KEY", "anthropic/claude-haiku-4-5"],
  ["GOOGLE_API_KEY", "google-genai/gemini-2.5-flash"],
];

/**
 * The environment of workspace files: `WHEELHOUSE_MODEL`, when it is not set, names a model of the first provider whose
 * key is set, so that one key is enough to let a real model answer. Without any it stays unset.
 */
export function withDefaultModel(env: Environment): Environment {
  if (env.WHEELHOUSE_MODEL) return env;
  const found = byKey.find(([key]) => env[key]);
  return found === undefined ? env : { ...env, WHEELHOUSE_MODEL: found[1] };
}
