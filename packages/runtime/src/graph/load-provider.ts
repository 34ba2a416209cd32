import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { ModelSelection } from "@wheelhouse/domain";
import type { OutgoingHttp } from "../outgoing-http.ts";
import { RunRefusal } from "./classify-failure.ts";
import { guardedFetch } from "./guarded-fetch.ts";

export type Provider = Exclude<ModelSelection["provider"], "scripted">;

/** What a client needs beside the definition. */
interface ClientDeps {
  /** Undefined when the provider finds its way without. */
  apiKey: string | undefined;
  outgoing: OutgoingHttp;
}

export interface LoadedProvider {
  /** Builds the client. Calls nothing. */
  make(selection: ModelSelection, deps: ClientDeps): BaseChatModel;
}

/** The client of a provider, from its package. Throws a RunRefusal (CONFIG_INVALID) when it is not installed. */
export const loadProvider = (provider: Provider): Promise<LoadedProvider> => fromPackage(provider, loaders[provider]);

/** Until a provider's first word, milliseconds, where a definition sets no time: its own client would wait as long. */
const firstWordMs = 600_000;
/** Of one answer of a model; the longest are far below. */
const maxAnswerBytes = 64_000_000;

/** Each is loaded with the first agent that needs it. */
const loaders: Readonly<Record<Provider, () => Promise<LoadedProvider>>> = {
  openai: async () => {
    const { ChatOpenAI } = await import("@langchain/openai");
    return {
      make: (selection, { apiKey }) =>
        new ChatOpenAI({ ...fieldsOf(selection), ...given({ apiKey, timeout: timeoutOf(selection) }) }),
    };
  },
  "openai-compatible": async () => {
    const { ChatOpenAI } = await import("@langchain/openai");
    return {
      make: (selection, { apiKey = "none", outgoing }) =>
        new ChatOpenAI({
          ...fieldsOf(selection),
          ...given({ apiKey, timeout: timeoutOf(selection) }),
          // Others speak this part of the protocol only.
          useResponsesApi: false,
          configuration: {
            baseURL: selection.baseUrl ?? null,
            fetch: guardedFetch(outgoing, {
              timeoutMs: timeoutOf(selection) ?? firstWordMs,
              maxResponseBytes: maxAnswerBytes,
            }),
          },
        }),
    };
  },
  anthropic: async () => {
    const { ChatAnthropic } = await import("@langchain/anthropic");
    return { make: (selection, { apiKey }) => new ChatAnthropic({ ...fieldsOf(selection), ...given({ apiKey }) }) };
  },
  "google-genai": async () => {
    const { ChatGoogleGenerativeAI } = await import("@langchain/google-genai");
    return {
      make: (selection, { apiKey }) =>
        new ChatGoogleGenerativeAI({ ...fieldsOf(selection, "maxOutputTokens"), ...given({ apiKey }) }),
    };
  },
  "google-vertexai": async () => {
    const { ChatVertexAI } = await import("@langchain/google-vertexai");
    return {
      make: (selection, { apiKey }) =>
        new ChatVertexAI({ ...fieldsOf(selection, "maxOutputTokens"), ...given({ apiKey }) }),
    };
  },
  bedrock: async () => {
    const [{ ChatBedrockConverse }, { fromTemporaryCredentials }] = await Promise.all([
      import("@langchain/aws"),
      import("@aws-sdk/credential-providers"),
    ]);
    return {
      make: (selection, { apiKey: bedrockApiKey }) => {
        const { region, roleArn } = selection;
        const credentials =
          roleArn === undefined
            ? undefined
            : fromTemporaryCredentials({ params: { RoleArn: roleArn }, clientConfig: given({ region }) });
        return new ChatBedrockConverse({ ...fieldsOf(selection), ...given({ region, credentials, bedrockApiKey }) });
      },
    };
  },
  ollama: async () => {
    const { ChatOllama } = await import("@langchain/ollama");
    return { make: (selection) => new ChatOllama(fieldsOf(selection, "numPredict")) };
  },
};

/** Loads what a provider needs; a package that is missing is told by the provider's name. */
export async function fromPackage<T>(provider: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    const code: unknown = typeof error === "object" && error !== null ? Reflect.get(error, "code") : undefined;
    if (code !== "ERR_MODULE_NOT_FOUND" && code !== "MODULE_NOT_FOUND") throw error;
    throw new RunRefusal(
      "CONFIG_INVALID",
      `The client of the provider ${provider} is not installed with this installation.`,
    );
  }
}

const timeoutOf = ({ timeoutSeconds }: ModelSelection): number | undefined =>
  timeoutSeconds === undefined ? undefined : timeoutSeconds * 1000;

/** What all clients call alike, except for the longest answer. Fields of the definition go over its `extra`. */
function fieldsOf(selection: ModelSelection, maxTokensName = "maxTokens"): { model: string } & Record<string, unknown> {
  const { model, temperature, maxTokens, maxRetries = 2, extra } = selection;
  return { ...extra, model, ...given({ temperature, maxRetries, [maxTokensName]: maxTokens }) };
}

/** The entries that have a value. */
const given = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
