import { BusyPolicy, EntityName } from "@wheelhouse/domain";
import { digestOf } from "@wheelhouse/domain/digest";
import { z } from "zod";
import type { ResolvedAgent } from "./agent-registry.ts";
import type { CodeAgent } from "./workspace-config.ts";

/** What manifests say about every run, whatever the agent. */
export interface RegistryLimits {
  recursionLimit: number;
  /** Whole run, seconds. */
  timeoutSeconds: number;
  /** Longest tool output kept, bytes. */
  maxPayloadBytes: number;
}

const Metadata = z.object({
  displayName: z.string().min(1).max(200).optional(),
  description: z.string().max(2000).optional(),
  busyPolicy: BusyPolicy.default("REJECT"),
  recursionLimit: z.int().min(1).max(10_000).optional(),
  timeoutSeconds: z.number().positive().max(86_400).optional(),
  interruptTtlSeconds: z.number().positive().max(31_536_000).optional(),
  recordPayloads: z.boolean().default(true),
});

/** An agent in code as it would run. Throws an Error that says what is wrong with its registration. */
export function resolveCodeAgent(
  name: string,
  agent: CodeAgent,
  context: { file: string; limits: RegistryLimits },
): ResolvedAgent {
  const checkedName = EntityName.safeParse(name);
  if (!checkedName.success) throw new Error(`agents.${name}: ${z.prettifyError(checkedName.error)}`);
  if (agent.graph === undefined || agent.graph === null) throw new Error(`agents.${name}.graph: is required`);
  const checked = Metadata.safeParse(agent);
  if (!checked.success) throw new Error(`agents.${name}: ${z.prettifyError(checked.error)}`);
  const { displayName = name, description = null, busyPolicy, recordPayloads, interruptTtlSeconds } = checked.data;
  const inputSchema = jsonSchemaOf(`agents.${name}.inputSchema`, agent.inputSchema);
  const outputSchema = jsonSchemaOf(`agents.${name}.outputSchema`, agent.outputSchema);
  const limits = {
    recursionLimit: checked.data.recursionLimit ?? context.limits.recursionLimit,
    timeoutSeconds: checked.data.timeoutSeconds ?? context.limits.timeoutSeconds,
    maxPayloadBytes: context.limits.maxPayloadBytes,
    ...(interruptTtlSeconds === undefined ? {} : { interruptTtlSeconds }),
  };
  const manifest = {
    agent: name,
    source: "CODE" as const,
    revision: null,
    digest: digestOf({ name, displayName, description, inputSchema, outputSchema }),
    definition: null,
    sources: { agent: context.file },
    limits,
    recordPayloads,
  };
  return {
    ...{ name, displayName, description, source: "CODE", inputSchema, outputSchema, busyPolicy },
    ...{ definition: null, manifest, manifestDigest: digestOf(manifest) },
  };
}

const JsonSchema = z.record(z.string(), z.unknown());

function jsonSchemaOf(path: string, schema: unknown): Record<string, unknown> | null {
  if (schema === undefined || schema === null) return null;
  if (schema instanceof z.core.$ZodType) return JsonSchema.parse(z.toJSONSchema(schema, { io: "input" }));
  const parsed = JsonSchema.safeParse(schema);
  if (!parsed.success) throw new Error(`${path}: give a JSON Schema or a Zod schema`);
  return parsed.data;
}
