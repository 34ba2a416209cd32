import { z } from "zod";
import { HeaderVariables, ObjectSchema, PublicUrl, ToolName } from "./names.ts";

const Description = z.string().min(1).max(4000);

/** The places of a URL template that arguments fill: `{id}` is one. */
export const placeholdersOf = (template: string): string[] =>
  [...template.matchAll(/\{([A-Za-z_][A-Za-z0-9_]*)\}/g)].flatMap(([, name]) => (name === undefined ? [] : [name]));

const UrlTemplate = z.string().superRefine((template, context) => {
  const refuse = (message: string) => context.addIssue({ code: "custom", message });
  const filled = template.replaceAll(/\{[A-Za-z_][A-Za-z0-9_]*\}/g, "x");
  if (/[{}]/.test(filled)) return refuse("has a brace that is no placeholder; write {name}");
  const checked = PublicUrl.safeParse(filled);
  if (!checked.success) return refuse(checked.error.issues[0]?.message ?? "is not a URL");
  // An argument that names the host would let the model choose whom to call.
  if (/^[^/]*\/\/[^/?]*\{/.test(template)) return refuse("placeholders may stand in the path and the query only");
});

const HttpTool = z
  .strictObject({
    type: z.literal("http"),
    description: Description,
    method: z.enum(["GET", "POST", "PUT", "PATCH", "DELETE"]).default("GET"),
    /** `https://api.example.com/orders/{id}`: arguments fill the placeholders, the others go to the query or the body. */
    url: UrlTemplate,
    /** JSON Schema of the arguments. */
    argumentsSchema: ObjectSchema.default({ type: "object", properties: {} }),
    headers: HeaderVariables.optional(),
    timeoutSeconds: z.number().positive().max(300).default(30),
    /** What of an answer is read, bytes; a longer one is an error. */
    maxResponseBytes: z.int().positive().max(10_485_760).default(262_144),
    /** False for a call that must not be made again when a crash left it open whether it was made. */
    repeatable: z.boolean().optional(),
  })
  .superRefine(({ url, argumentsSchema }, context) => {
    const { properties } = argumentsSchema;
    const known = new Set(typeof properties === "object" && properties !== null ? Object.keys(properties) : []);
    for (const name of placeholdersOf(url))
      if (!known.has(name))
        context.addIssue({ code: "custom", path: ["url"], message: `{${name}} is not among the arguments` });
  });

const RetrievalTool = z.strictObject({
  type: z.literal("retrieval"),
  description: Description,
  collection: z.string().min(1).max(200),
  topK: z.int().min(1).max(100).default(5),
  /** Only rows whose metadata has these values. */
  filters: z.record(z.string().min(1).max(200), z.union([z.string(), z.number(), z.boolean()])).optional(),
});

const CodeTool = z.strictObject({
  type: z.literal("code"),
  description: Description.optional(),
  /** The name under which the host program registered it. */
  tool: ToolName,
});

/** A declarative tool. Source text is never evaluated in the server. */
export const ToolDefinition = z.discriminatedUnion("type", [HttpTool, RetrievalTool, CodeTool]);
export type ToolDefinition = z.infer<typeof ToolDefinition>;
export type HttpToolDefinition = z.infer<typeof HttpTool>;
