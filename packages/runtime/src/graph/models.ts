import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { ModelSelection } from "@wheelhouse/domain";
import type { OutgoingHttp } from "../outgoing-http.ts";
import { RunRefusal } from "./classify-failure.ts";
import { loadProvider, type Provider } from "./load-provider.ts";
import { guide } from "./scripted-guide.ts";
import { ScriptedModel, type ScriptedModelOptions } from "./scripted-model.ts";
import { type Environment, variableValue } from "./variables.ts";

export interface ModelOptions {
  env: Environment;
  /** Calls to the addresses that definitions name go through it. */
  outgoing: OutgoingHttp;
  /** Models of the provider `scripted`, beside the built-in ones. */
  scripts?: Readonly<Record<string, ScriptedModelOptions["turns"]>> | undefined;
  /** Pause between the pieces of scripted models, milliseconds. */
  scriptedDelayMs: number;
}

/** The variable that usually holds a provider's key; null when the provider needs none, or knows other ways. */
export const usualKey: Readonly<Record<Provider, string | null>> = {
  openai: "OPENAI_API_KEY",
  anthropic: "ANTHROPIC_API_KEY",
  "google-genai": "GOOGLE_API_KEY",
  "google-vertexai": null,
  bedrock: null,
  ollama: null,
  "openai-compatible": null,
};

const builtInScripts: NonNullable<ModelOptions["scripts"]> = { guide };

/** The names of the built-in scripts: models of the provider `scripted`. */
export const scriptNames: readonly string[] = Object.keys(builtInScripts);

/**
 * The chat model that a definition names, and never another. Throws a RunRefusal (CONFIG_INVALID) that names what is
 * missing; nothing is called.
 */
export async function createModel(selection: ModelSelection, options: ModelOptions): Promise<BaseChatModel> {
  const { provider } = selection;
  if (provider === "scripted") return createScripted(selection.model, options);
  const apiKey = keyOf(selection, provider, options.env);
  if (selection.baseUrl !== undefined) {
    const refusal = await options.outgoing.refusalOf(selection.baseUrl);
    if (refusal !== null)
      throw new RunRefusal("CONFIG_INVALID", `The model ${provider}/${selection.model} cannot be called: ${refusal}.`);
  }
  const { make } = await loadProvider(provider);
  try {
    return make(selection, { apiKey, outgoing: options.outgoing });
  } catch {
    // The client's own words may hold what it was given.
    throw new RunRefusal(
      "CONFIG_INVALID",
      `The client of the provider ${provider} does not accept the options of the model ${selection.model}.`,
    );
  }
}

export const scriptNamed = (name: string, scripts: ModelOptions["scripts"]): ScriptedModelOptions["turns"] | null => {
  const known = { ...scripts, ...builtInScripts };
  const plain = name.replace(/^scripted\//, "");
  return Object.hasOwn(known, plain) ? (known[plain] ?? null) : null;
};

function createScripted(name: string, { scripts, scriptedDelayMs }: ModelOptions): ScriptedModel {
  const turns = scriptNamed(name, scripts);
  if (turns === null)
    throw new RunRefusal("CONFIG_INVALID", `There is no scripted model "${name}". Known: ${scriptNames.join(", ")}.`);
  return new ScriptedModel({ model: `scripted/${name.replace(/^scripted\//, "")}`, turns, delayMs: scriptedDelayMs });
}

/** The key from the environment that was passed in; undefined when the provider finds its way without. */
function keyOf(selection: ModelSelection, provider: Provider, env: Environment): string | undefined {
  const variable = selection.apiKeyEnv ?? usualKey[provider];
  return variable === null
    ? undefined
    : variableValue(variable, env, `The model ${provider}/${selection.model} needs a key`);
}
