import type { AgentName } from "./use-agent-names.ts";

/** The agents to choose from: those that people work with and that are not hidden, or that are chosen already. */
export const offeredAgents = (agents: readonly AgentName[], chosen: string | null | undefined): readonly AgentName[] =>
  agents.filter(({ name, mode, hidden }) => mode !== "SUBAGENT" && (!hidden || name === chosen));
