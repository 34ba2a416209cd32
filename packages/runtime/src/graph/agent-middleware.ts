import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { ToolMessage } from "@langchain/core/messages";
import type { MiddlewareDefinition, ResolvedAgentDefinition } from "@wheelhouse/domain";
import {
  type AgentMiddleware,
  ClearToolUsesEdit,
  contextEditingMiddleware,
  createMiddleware,
  modelCallLimitMiddleware,
  piiMiddleware,
  summarizationMiddleware,
  toolCallLimitMiddleware,
  toolRetryMiddleware,
} from "langchain";
import { isInterruptError, isParentCommand } from "./classify-failure.ts";
import { ToolCallFailed } from "./tool-failures.ts";

/** What a definition says beside the model and the tools, around both. */
export function definedMiddleware(definition: ResolvedAgentDefinition, summarizer: BaseChatModel): AgentMiddleware[] {
  const { middleware, blockedTools, excludedTools } = definition;
  return uniquelyNamed([
    ...freshCounts(middleware),
    ...(blockedTools.length === 0 ? [] : [refusingTools(new Set(blockedTools))]),
    ...(excludedTools.length === 0 ? [] : [hidingTools(new Set(excludedTools))]),
    ...toolLimits(middleware),
    ...middleware.flatMap((each) => middlewareOf(each)),
    // A Deep Agent has one of its own, which knows its files.
    ...(definition.kind === "deep" ? [] : summarization(definition, summarizer)),
    ...toolClearing(definition),
  ]);
}

function middlewareOf(defined: MiddlewareDefinition): AgentMiddleware[] {
  switch (defined.type) {
    case "tool_retry":
      return [toolRetry(defined)];
    case "model_call_limit":
      return [modelCallLimitMiddleware({ runLimit: defined.runLimit, exitBehavior: "error" })];
    case "pii": {
      const { kind, strategy, applyToOutput, applyToToolResults } = defined;
      return [piiMiddleware(kind, { strategy, applyToInput: true, applyToOutput, applyToToolResults })];
    }
    case "tool_call_limit":
    case "summarization":
      // Made of all that a definition says about them together.
      return [];
  }
}

/** One for each tool, and one for all together: LangChain would count a call for each limit that looks at it. */
function toolLimits(middleware: readonly MiddlewareDefinition[]): AgentMiddleware[] {
  const limits = new Map<string | undefined, { runLimit?: number; threadLimit?: number }>();
  for (const each of middleware) {
    if (each.type !== "tool_call_limit") continue;
    const known = limits.get(each.tool) ?? {};
    const [run, thread] = [each.runLimit ?? Infinity, each.threadLimit ?? Infinity];
    const [runLimit, threadLimit] = [
      Math.min(run, known.runLimit ?? Infinity),
      Math.min(thread, known.threadLimit ?? Infinity),
    ];
    limits.set(each.tool, {
      ...(Number.isFinite(threadLimit) ? { threadLimit } : {}),
      // A run is never longer than its conversation.
      ...(Number.isFinite(runLimit) ? { runLimit: Math.min(runLimit, threadLimit) } : {}),
    });
  }
  return [...limits].map(([tool, limit]) =>
    toolCallLimitMiddleware(tool === undefined ? limit : { ...limit, toolName: tool }),
  );
}

/** The first pause before a call is made again, milliseconds; each is twice as long as the one before. */
const retryPauseMs = 200;

function toolRetry({ maxRetries, tools }: Extract<MiddlewareDefinition, { type: "tool_retry" }>): AgentMiddleware {
  return toolRetryMiddleware({
    maxRetries,
    ...(tools === undefined ? {} : { tools }),
    // A question to a person and a hand-over to another agent are thrown as well, and are no failures.
    retryOn: (error) =>
      !isInterruptError(error) && !isParentCommand(error) && (!(error instanceof ToolCallFailed) || error.retryable),
    // What remains a failure goes its usual way.
    onFailure: "error",
    initialDelayMs: retryPauseMs,
  });
}

/** When a conversation is summarized, and what of it stays; null when it never is. */
export function summaryRule({
  middleware,
  contextPolicy,
}: Pick<ResolvedAgentDefinition, "middleware" | "contextPolicy">): { tokens: number; keepMessages: number } | null {
  for (const each of middleware)
    if (each.type === "summarization") return { tokens: each.maxTokens, keepMessages: each.keepMessages };
  const tokens = contextPolicy?.maxInputTokens;
  return tokens === undefined || contextPolicy?.summarizationEnabled === false ? null : { tokens, keepMessages: 20 };
}

function summarization(definition: ResolvedAgentDefinition, model: BaseChatModel): AgentMiddleware[] {
  const rule = summaryRule(definition);
  if (rule === null) return [];
  return [summarizationMiddleware({ model, trigger: { tokens: rule.tokens }, keep: { messages: rule.keepMessages } })];
}

/** Where conversations are not summarized, the results of old tool calls make room. */
function toolClearing({ contextPolicy, middleware }: ResolvedAgentDefinition): AgentMiddleware[] {
  const tokens = contextPolicy?.maxInputTokens;
  if (tokens === undefined || summaryRule({ contextPolicy, middleware }) !== null) return [];
  return [contextEditingMiddleware({ edits: [new ClearToolUsesEdit({ trigger: { tokens } })] })];
}

function refusingTools(blocked: ReadonlySet<string>): AgentMiddleware {
  return createMiddleware({
    name: "BlockedTools",
    wrapToolCall: (request, handler) => {
      const { name, id = "" } = request.toolCall;
      if (!blocked.has(name)) return handler(request);
      const content = `The tool ${name} is blocked here; it was not called.`;
      return new ToolMessage({ content, name, tool_call_id: id, status: "error" });
    },
  });
}

function hidingTools(excluded: ReadonlySet<string>): AgentMiddleware {
  return createMiddleware({
    name: "ExcludedTools",
    wrapModelCall: (request, handler) =>
      handler({
        ...request,
        tools: request.tools.filter(({ name }) => typeof name !== "string" || !excluded.has(name)),
      }),
  });
}

/**
 * Counts of one run begin at nothing with it. LangChain sets them back when a run has succeeded; after one that failed or
 * was cancelled, the next would go on counting.
 */
function freshCounts(defined: readonly MiddlewareDefinition[]): AgentMiddleware[] {
  const types = new Set(defined.map(({ type }) => type));
  const nothingCounted: Record<string, unknown> = {
    ...(types.has("tool_call_limit") ? { runToolCallCount: {} } : {}),
    ...(types.has("model_call_limit") ? { runModelCallCount: 0 } : {}),
  };
  if (Object.keys(nothingCounted).length === 0) return [];
  return [createMiddleware({ name: "FreshCounts", beforeAgent: () => nothingCounted })];
}

/** LangChain refuses two of one name; two limits on one tool are two all the same. */
function uniquelyNamed(middleware: readonly AgentMiddleware[]): AgentMiddleware[] {
  const seen = new Map<string, number>();
  return middleware.map((each) => {
    const count = (seen.get(each.name) ?? 0) + 1;
    seen.set(each.name, count);
    return count === 1 ? each : { ...each, name: `${each.name} ${count}` };
  });
}
