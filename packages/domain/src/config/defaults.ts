import { z } from "zod";
import { AgentDefinition } from "./agent.ts";
import { EntityName } from "./names.ts";

/** The one name that an entity of the kind DEFAULTS has. */
export const defaultsName = "default";

const agentShape = AgentDefinition.shape;
const days = z.int().min(1).max(36_500);

export const DefaultsDefinition = z.strictObject({
  /** The provider of agents that name neither model nor provider. */
  provider: EntityName.optional(),
  agent: z
    .strictObject({
      temperature: agentShape.temperature,
      maxTokens: agentShape.maxTokens,
      recursionLimit: agentShape.recursionLimit.unwrap().optional(),
      timeoutSeconds: agentShape.timeoutSeconds.unwrap().optional(),
      interruptTtlSeconds: agentShape.interruptTtlSeconds,
      interruptOn: agentShape.interruptOn.unwrap().optional(),
      mcpServers: agentShape.mcpServers.unwrap().optional(),
      memory: agentShape.memory.unwrap().optional(),
      middleware: agentShape.middleware.unwrap().optional(),
      permissions: agentShape.permissions.unwrap().optional(),
      contextPolicy: agentShape.contextPolicy,
      sandboxProfile: agentShape.sandboxProfile,
      blockedTools: agentShape.blockedTools.unwrap().optional(),
      busyPolicy: agentShape.busyPolicy.unwrap().optional(),
      recordPayloads: agentShape.recordPayloads.unwrap().optional(),
    })
    .optional(),
  /** How long what is past is kept, days. For ever when absent. */
  retention: z.strictObject({ sessionDays: days.optional(), payloadDays: days.optional() }).optional(),
  budgets: z.strictObject({ tokensPerRun: z.int().positive().optional() }).optional(),
});
export type DefaultsDefinition = z.infer<typeof DefaultsDefinition>;

/**
 * An agent's definition as it was written, with the project's defaults where it says nothing.
 * An empty value says something: `interruptOn: {}` asks for nothing, whatever the defaults are.
 */
export function withDefaults(
  written: Readonly<Record<string, unknown>>,
  defaults: DefaultsDefinition | null,
): Record<string, unknown> {
  if (defaults === null) return { ...written };
  const { tokensPerRun } = defaults.budgets ?? {};
  const budget = tokensPerRun === undefined ? {} : { budget: { tokensPerRun } };
  const provider =
    written.model === undefined && defaults.provider !== undefined ? { provider: defaults.provider } : {};
  return { ...defaults.agent, ...budget, ...provider, ...written };
}
