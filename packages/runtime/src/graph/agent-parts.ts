import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { StructuredTool } from "@langchain/core/tools";
import type { ResolvedAgentDefinition } from "@wheelhouse/domain";
import { type AgentMiddleware, toolStrategy } from "langchain";

/** The answer as a call of a tool, which every model that knows tools can make. */
export const answerFormat = (schema: Record<string, unknown>) => toolStrategy({ ...schema, type: "object" });

export interface AgentParts {
  model: BaseChatModel;
  /** The same model for work that is not the agent's answer: nobody is told its words. */
  summarizer: BaseChatModel;
  tools: StructuredTool[];
  middleware: AgentMiddleware[];
}

export interface NamedSubagent {
  name: string;
  definition: ResolvedAgentDefinition;
}
