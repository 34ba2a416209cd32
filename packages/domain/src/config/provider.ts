import { z } from "zod";
import { PublicUrl, VariableName } from "./names.ts";

export const providerTypes = [
  "scripted",
  "openai",
  "anthropic",
  "google-genai",
  "google-vertexai",
  "bedrock",
  "ollama",
  "openai-compatible",
] as const;

/** What a definition says in fields of its own. */
const ownFields = new Set(["model", "temperature", "maxtokens", "maxretries"]);
/**
 * Options of providers' clients that lead the calls elsewhere, past the guard of outgoing calls, or bring a key; those that
 * keep answers for everybody, or print them.
 */
const notForDefinitions =
  /url|endpoint|host|proxy|basepath|azure|configuration|clientoptions|^client$|fetch|auth|credential|apikey|secret|token$|^cache$|^verbose$/;

const Extra = z.record(z.string().min(1).max(100), z.json()).superRefine((extra, context) => {
  for (const key of Object.keys(extra))
    if (ownFields.has(key.toLowerCase()))
      context.addIssue({
        code: "custom",
        path: [key],
        message: "has a field of its own; extra is for everything else",
      });
    else if (notForDefinitions.test(key.toLowerCase()))
      context.addIssue({ code: "custom", path: [key], message: "is not for definitions to set" });
});

const shape = {
  /** The provider's own name of the model. */
  model: z.string().min(1).max(200),
  /** The name of the environment variable that holds the key; the provider's usual one when absent. */
  apiKeyEnv: VariableName.optional(),
  /** Only and always for openai-compatible. */
  baseUrl: PublicUrl.optional(),
  /** Only and always for bedrock. */
  region: z.string().min(1).max(100).optional(),
  /** Only for bedrock. */
  roleArn: z.string().max(2000).regex(/^arn:/, "is the name of a role: arn:…").optional(),
  /** One model call, seconds. */
  timeoutSeconds: z.number().positive().max(3600).optional(),
  /** Further options of the provider's client. */
  extra: Extra.optional(),
};

type Placed = { baseUrl?: string | undefined; region?: string | undefined; roleArn?: string | undefined };

/** Which fields belong to which provider (specification 5.1). */
function checkPlace(type: string, fields: Placed, context: z.core.ParsePayload): void {
  const refuse = (field: keyof Placed, message: string) =>
    context.issues.push({ code: "custom", path: [field], message, input: fields[field] });
  const only = (field: "baseUrl" | "region", owner: string) => {
    if (type === owner && fields[field] === undefined) refuse(field, `is required for ${owner}`);
    if (type !== owner && fields[field] !== undefined) refuse(field, `is only for ${owner}`);
  };
  only("baseUrl", "openai-compatible");
  only("region", "bedrock");
  if (type !== "bedrock" && fields.roleArn !== undefined) refuse("roleArn", "is only for bedrock");
}

/** The model an agent calls: a provider type and the provider's own model name. */
export const ModelSelection = z
  .strictObject({
    provider: z.enum(providerTypes),
    ...shape,
    temperature: z.number().min(0).max(2).optional(),
    /** Longest answer, tokens. */
    maxTokens: z.int().positive().optional(),
    maxRetries: z.int().min(0).max(10).optional(),
  })
  .check((context) => checkPlace(context.value.provider, context.value, context));
export type ModelSelection = z.infer<typeof ModelSelection>;

/** Where models are called, under a name that agents use. */
export const ProviderDefinition = z
  .strictObject({
    type: z.enum(providerTypes),
    displayName: z.string().min(1).max(200).optional(),
    ...shape,
    /** Lower first: the provider of agents that name none. */
    priority: z.int().min(-1_000_000).max(1_000_000).default(0),
    maxRetries: z.int().min(0).max(10).default(2),
  })
  .check((context) => checkPlace(context.value.type, context.value, context));
export type ProviderDefinition = z.infer<typeof ProviderDefinition>;
