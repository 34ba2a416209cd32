import { AIMessage, type BaseMessage, type ToolCall, ToolMessage } from "@langchain/core/messages";
import { interrupt } from "@langchain/langgraph";
import type { Decision } from "@wheelhouse/domain";
import { type AgentMiddleware, createMiddleware } from "langchain";
import { type ActionRequest, decisionWords, type Review, type ReviewConfig, Reviews } from "./interrupts.ts";

/** What the middleware has to know of a tool that asks first. */
export interface AskingTool {
  allowed: readonly Decision[];
  /** What the tool does. */
  description: string;
  /** JSON Schema of the arguments; null when it has none that can be told. */
  argsSchema: Record<string, unknown> | null;
}

/**
 * Lets an agent stop before tools that ask first. It asks as LangChain's own middleware does, with two differences:
 * each call is decided by itself (there, one rejected call takes the approved ones with it), and a human may answer in
 * the tool's place.
 */
export function approvals(asking: ReadonlyMap<string, AskingTool>): AgentMiddleware[] {
  if (asking.size === 0) return [];
  return [
    createMiddleware({
      name: "Approvals",
      afterModel: {
        canJumpTo: ["model"],
        hook: ({ messages }) => {
          const last = messages.findLast((message: BaseMessage) => AIMessage.isInstance(message));
          if (!AIMessage.isInstance(last)) return undefined;
          const calls = last.tool_calls ?? [];
          const asked = calls.filter((call) => asking.has(call.name));
          if (asked.length === 0) return undefined;
          const { decisions } = Reviews.parse(interrupt(requestOf(asked, asking)));
          if (decisions.length !== asked.length)
            throw new Error(`${asked.length} tool calls wait for a decision, and ${decisions.length} came.`);
          return decide(last, asked, decisions);
        },
      },
    }),
  ];
}

function requestOf(
  asked: readonly ToolCall[],
  asking: ReadonlyMap<string, AskingTool>,
): { actionRequests: ActionRequest[]; reviewConfigs: ReviewConfig[] } {
  return {
    actionRequests: asked.map(({ name, args }) => ({ name, args, description: asking.get(name)?.description ?? "" })),
    reviewConfigs: asked.map(({ name }) => {
      const tool = asking.get(name);
      const allowedDecisions = (tool?.allowed ?? []).map((decision) => decisionWords[decision]);
      return { actionName: name, allowedDecisions, ...(tool?.argsSchema ? { argsSchema: tool.argsSchema } : {}) };
    }),
  };
}

/** Calls that were answered have their tool message now; the others go on to their tools. */
function decide(message: AIMessage, asked: readonly ToolCall[], decisions: readonly Review[]) {
  const reviews = new Map(asked.map((call, place) => [call, decisions[place]]));
  const calls = message.tool_calls ?? [];
  const edited = calls.map((call) => {
    const review = reviews.get(call);
    return review?.type === "edit" ? { ...call, args: review.editedAction.args } : call;
  });
  const answers = asked.flatMap((call) => answerOf(call, reviews.get(call)));
  const isEdited = edited.some((call, i) => call !== calls[i]);
  return {
    messages: [...(isEdited ? [withCalls(message, edited)] : []), ...answers],
    // With nothing left for the tools, the agent would take the turn for ended.
    ...(answers.length === calls.length ? { jumpTo: "model" as const } : {}),
  };
}

function answerOf(call: ToolCall, review: Review | undefined): ToolMessage[] {
  const about = { name: call.name, tool_call_id: call.id ?? "" };
  if (review?.type === "respond") return [new ToolMessage({ ...about, content: review.message })];
  if (review?.type !== "reject") return [];
  const content = review.message ?? `A person rejected this call of ${call.name}; it was not made.`;
  return [new ToolMessage({ ...about, content, status: "error" })];
}

/** The same message, by its id, with other calls. */
function withCalls(message: AIMessage, calls: ToolCall[]): AIMessage {
  const { id, name, content, additional_kwargs, response_metadata, usage_metadata } = message;
  return new AIMessage({
    ...{ content, additional_kwargs, response_metadata, tool_calls: calls },
    ...(id === undefined ? {} : { id }),
    ...(name === undefined ? {} : { name }),
    ...(usage_metadata === undefined ? {} : { usage_metadata }),
  });
}
