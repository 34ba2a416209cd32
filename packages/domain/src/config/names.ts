import { z } from "zod";

/** Names of things an operator makes: agents, tools, providers. */
export const EntityName = z
  .string()
  .regex(
    /^[a-z0-9]([a-z0-9_-]{0,98}[a-z0-9])?$/,
    "use 1 to 100 lower-case letters, digits, - and _, beginning and ending with a letter or digit",
  );

/** What a model calls a tool; names that MCP servers give are wider than those of entities. */
export const ToolName = z.string().regex(/^[A-Za-z0-9_-]{1,128}$/, "use 1 to 128 letters, digits, _ and -");

/** The name of an environment variable that holds a secret. Definitions never hold the secret itself. */
export const VariableName = z
  .string()
  .max(200)
  .regex(/^[A-Z][A-Z0-9_]*$/, "name an environment variable: capital letters, digits and _");

// What proxies and the connection itself decide; a definition that set them could smuggle a second request.
const reservedHeaders = new Set([
  "connection",
  "content-length",
  "cookie",
  "expect",
  "host",
  "keep-alive",
  "proxy-authorization",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

const HeaderName = z
  .string()
  .max(100)
  .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, "is not the name of a header")
  .refine((name) => !reservedHeaders.has(name.toLowerCase()), "this header is not for definitions to set");

/** Headers of outgoing requests: by header, the name of the variable that holds its value. */
export const HeaderVariables = z
  .record(HeaderName, VariableName)
  .refine((headers) => Object.keys(headers).length <= 50, "at most 50 headers")
  .refine(
    (headers) => new Set(Object.keys(headers).map((name) => name.toLowerCase())).size === Object.keys(headers).length,
    "a header is named twice",
  );

/** An absolute http or https address without user, password and fragment. */
export const PublicUrl = z
  .string()
  .max(2000)
  .superRefine((text, context) => {
    const refuse = (message: string) => context.addIssue({ code: "custom", message });
    if (!URL.canParse(text)) return refuse("is not an absolute URL");
    const url = new URL(text);
    if (url.protocol !== "http:" && url.protocol !== "https:") return refuse("must begin with http:// or https://");
    if (url.username !== "" || url.password !== "")
      return refuse("must not hold a user or password; name a variable for a header instead");
    if (text.includes("#")) return refuse("must not have a fragment");
  });

/** JSON Schema, as it is written. */
export const JsonSchema = z.record(z.string(), z.unknown());

/** JSON Schema of an object, such as a tool's arguments. */
export const ObjectSchema = JsonSchema.refine(
  (schema) => schema.type === undefined || schema.type === "object",
  'must describe an object: "type": "object"',
);
