import { z } from "zod";
import { HeaderVariables, PublicUrl, ToolName } from "./names.ts";

/** A server of the Model Context Protocol whose tools agents may use. */
export const McpServerDefinition = z.strictObject({
  displayName: z.string().min(1).max(200).optional(),
  url: PublicUrl,
  transport: z.enum(["streamable_http", "sse"]).default("streamable_http"),
  headers: HeaderVariables.optional(),
  /** Whether a run fails when the server cannot be reached; otherwise it goes on without the server's tools. */
  required: z.boolean().default(true),
  /** Only these of its tools, by the server's own names. All when absent. */
  allowTools: z.array(z.string().min(1).max(200)).min(1).max(200).optional(),
  /** Put before the server's names of its tools, with `_` between. */
  toolPrefix: ToolName.max(50).optional(),
  /** Connecting, listing and each call, seconds. */
  timeoutSeconds: z.number().positive().max(600).default(30),
});
export type McpServerDefinition = z.infer<typeof McpServerDefinition>;
