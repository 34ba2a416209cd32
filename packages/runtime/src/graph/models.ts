import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { ModelSelection } from "@wheelhouse/domain";
import { initChatModel } from "langchain";
import { RunRefusal } from "./classify-failure.ts";
import { guide } from "./scripted-guide.ts";
import { type Script, ScriptedModel } from "./scripted-model.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

export interface ModelOptions {
  env: Environment;
  /** Pause between the pieces of scripted models, milliseconds. */
  scriptedDelayMs: number;
}

type Provider = Exclude<ModelSelection["provider"], "scripted">;

/** The variable that usually holds a provider's key; null when the provider needs none. */
const usualKey: Record<Provider, string | null> = {
  openai: "OPENAI_API_KEY",
  anthropic: "ANTHROPIC_API_KEY",
  "google-genai": "GOOGLE_API_KEY",
  ollama: null,
  "openai-compatible": null,
};

const scripts: Readonly<Record<string, Script>> = { guide };

/** The names of the built-in scripts: models of the provider `scripted`. */
export const scriptNames: readonly string[] = Object.keys(scripts);

/** The chat model that a definition names. Throws a RunRefusal (CONFIG_INVALID) that names what is missing. */
export async function createModel(selection: ModelSelection, options: ModelOptions): Promise<BaseChatModel> {
  if (selection.provider === "scripted") return createScripted(selection.model, options.scriptedDelayMs);
  const { provider } = selection;
  const apiKey = keyOf(selection, provider, options.env);
  if (provider === "openai-compatible" && selection.baseUrl === undefined)
    throw new RunRefusal("CONFIG_INVALID", "A model of the provider openai-compatible needs a baseUrl.");
  const { temperature, maxTokens, maxRetries, timeoutSeconds, baseUrl } = selection;
  const limits =
    provider === "google-genai"
      ? { maxOutputTokens: maxTokens }
      : provider === "ollama"
        ? { numPredict: maxTokens }
        : { maxTokens };
  const fields = {
    ...given({ temperature, maxRetries, apiKey, ...limits }),
    ...(timeoutSeconds !== undefined && provider.startsWith("openai") ? { timeout: timeoutSeconds * 1000 } : {}),
    ...(baseUrl === undefined ? {} : provider === "ollama" ? { baseUrl } : { configuration: { baseURL: baseUrl } }),
  };
  const modelProvider = provider === "openai-compatible" ? "openai" : provider;
  return initChatModel(selection.model, { modelProvider, ...fields });
}

function createScripted(name: string, delayMs: number): ScriptedModel {
  const script = scripts[name.replace(/^scripted\//, "")];
  if (script === undefined)
    throw new RunRefusal("CONFIG_INVALID", `There is no scripted model "${name}". Known: ${scriptNames.join(", ")}.`);
  return new ScriptedModel({ model: `scripted/${name.replace(/^scripted\//, "")}`, turns: script, delayMs });
}

/** The key from the environment that was passed in: a missing one is an error that names the variable. */
function keyOf(selection: ModelSelection, provider: Provider, env: Environment): string | undefined {
  const variable = selection.apiKeyEnv ?? usualKey[provider];
  if (variable === null) return provider === "openai-compatible" ? "none" : undefined;
  const key = env[variable];
  if (key !== undefined && key.trim() !== "") return key;
  throw new RunRefusal(
    "CONFIG_INVALID",
    `The model ${provider}/${selection.model} needs a key: set the environment variable ${variable} and start again.`,
  );
}

/** The entries that have a value. */
function given(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
