import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import { isMessageLike, type MessageLike } from "./payload.ts";
import type { ChunkMetadata, ReportedUsage, RunChunk } from "./run-chunk.ts";

/**
 * Turns LangChain's callbacks into chunks, at once and in order.
 *
 * Callbacks, and not the stream modes `messages` and `tasks`: LangGraph makes those from the same callbacks, but each
 * chunk then passes three web streams, so that a node's start would arrive after the first token of its model, and
 * thirty tokens cost more than a millisecond.
 */
export class RunCallbacks extends BaseCallbackHandler {
  override readonly name = "wheelhouse";
  /** LangChain would otherwise queue the calls behind other runs' and lose the order. */
  override awaitHandlers = true;
  /** Asks chat models to stream even when a node calls `invoke`. */
  readonly lc_prefer_streaming = true;
  readonly #emit: (chunk: RunChunk) => void;
  /** The id under which a model run's message was first seen; providers change it in mid-stream. */
  readonly #messageIds = new Map<string, string>();

  constructor(emit: (chunk: RunChunk) => void) {
    super();
    this.#emit = emit;
  }

  /** A value that the graph wrote to its reader. */
  custom(value: unknown, main: boolean): void {
    this.#emit({ type: "custom", value, main });
  }

  override handleChainStart(
    _chain: unknown,
    inputs: unknown,
    id: string,
    parentId?: string,
    tags?: string[],
    metadata?: unknown,
    _runType?: unknown,
    name?: unknown,
  ): void {
    this.#emit({
      type: "chain.start",
      id,
      parentId,
      name: typeof name === "string" ? name : undefined,
      metadata: metadataOf(metadata),
      hidden: tags?.includes("langsmith:hidden") === true,
      inputs,
    });
  }

  override handleChainEnd(outputs: unknown, id: string): void {
    this.#emit({ type: "chain.end", id, outputs });
  }

  override handleChainError(error: unknown, id: string): void {
    this.#emit({ type: "chain.error", id, error });
  }

  override handleChatModelStart(
    _model: unknown,
    messages: unknown[][],
    id: string,
    parentId?: string,
    extra?: Record<string, unknown>,
    tags?: string[],
    metadata?: Record<string, unknown>,
    name?: string,
  ): void {
    this.#emit({
      type: "model.start",
      id,
      parentId,
      name,
      metadata,
      prompt: messages[0],
      tools: toolNames(extra),
      silent: tags !== undefined && (tags.includes("nostream") || tags.includes("langsmith:nostream")),
    });
  }

  override handleLLMStart(
    _model: unknown,
    prompts: string[],
    id: string,
    parentId?: string,
    _extra?: Record<string, unknown>,
    _tags?: string[],
    metadata?: Record<string, unknown>,
    name?: string,
  ): void {
    // A plain completion is no message.
    this.#emit({ type: "model.start", id, parentId, name, metadata, prompt: prompts[0], tools: [], silent: true });
  }

  override handleLLMNewToken(
    token: string,
    _index: unknown,
    id: string,
    _parentId?: string,
    _tags?: string[],
    fields?: { chunk?: unknown },
  ): void {
    const message = chunkMessage(fields?.chunk);
    const messageId = this.#messageId(id, message);
    const calls: unknown = message === null ? undefined : Reflect.get(message, "tool_call_chunks");
    this.#emit({
      type: "model.token",
      id,
      messageId,
      content: message === null ? token : message.content,
      callsTools: Array.isArray(calls) && calls.length > 0,
    });
  }

  override handleLLMEnd(output: { generations: unknown[][]; llmOutput?: unknown }, id: string): void {
    const message = chunkMessage(output.generations[0]?.[0]);
    const messageId = this.#messageId(id, message);
    this.#messageIds.delete(id);
    this.#emit({ type: "model.end", id, messageId, message, usage: usageOf(message, output.llmOutput) });
  }

  override handleLLMError(error: unknown, id: string): void {
    this.#messageIds.delete(id);
    this.#emit({ type: "model.error", id, error });
  }

  override handleToolStart(
    _tool: unknown,
    input: string,
    id: string,
    parentId?: string,
    _tags?: string[],
    _metadata?: Record<string, unknown>,
    name?: string,
    toolCallId?: string,
  ): void {
    this.#emit({ type: "tool.start", id, parentId, name: name ?? "tool", input, toolCallId });
  }

  override handleToolEnd(output: unknown, id: string): void {
    this.#emit({ type: "tool.end", id, output });
  }

  override handleToolError(error: unknown, id: string): void {
    this.#emit({ type: "tool.error", id, error });
  }

  override handleRetrieverStart(
    _retriever: unknown,
    query: string,
    id: string,
    parentId?: string,
    _tags?: string[],
    _metadata?: Record<string, unknown>,
    name?: string,
  ): void {
    this.#emit({ type: "retriever.start", id, parentId, name: name ?? "retriever", query });
  }

  override handleRetrieverEnd(documents: unknown, id: string): void {
    this.#emit({ type: "retriever.end", id, documents });
  }

  override handleRetrieverError(error: unknown, id: string): void {
    this.#emit({ type: "retriever.error", id, error });
  }

  /** One id per message from its first piece into the checkpoint, as LangGraph's own handler makes sure of. */
  #messageId(id: string, message: MessageLike | null): string {
    const known = this.#messageIds.get(id);
    const messageId = known ?? message?.id ?? `run-${id}`;
    if (known === undefined) this.#messageIds.set(id, messageId);
    if (message !== null && message.id !== messageId) {
      message.id = messageId;
      const kwargs: unknown = Reflect.get(message, "lc_kwargs");
      if (typeof kwargs === "object" && kwargs !== null) Reflect.set(kwargs, "id", messageId);
    }
    return messageId;
  }
}

const metadataOf = (value: unknown): ChunkMetadata | undefined =>
  typeof value === "object" && value !== null ? value : undefined;

function chunkMessage(generation: unknown): MessageLike | null {
  if (typeof generation !== "object" || generation === null || !("message" in generation)) return null;
  return isMessageLike(generation.message) ? generation.message : null;
}

function toolNames(extra: Record<string, unknown> | undefined): string[] {
  const params: unknown = extra?.invocation_params;
  const options: unknown = extra?.options;
  const tools: unknown = field(params, "tools") ?? field(options, "tools");
  if (!Array.isArray(tools)) return [];
  return tools
    .map((tool: unknown) => field(field(tool, "function"), "name") ?? field(tool, "name"))
    .filter((name) => typeof name === "string");
}

function usageOf(message: MessageLike | null, llmOutput: unknown): ReportedUsage | null {
  const reported: unknown = message === null ? undefined : Reflect.get(message, "usage_metadata");
  if (typeof reported === "object" && reported !== null) return reported;
  const counted: unknown = field(llmOutput, "tokenUsage");
  if (typeof counted !== "object" || counted === null) return null;
  const number = (name: string): number | undefined => {
    const value: unknown = Reflect.get(counted, name);
    return typeof value === "number" ? value : undefined;
  };
  return {
    input_tokens: number("promptTokens"),
    output_tokens: number("completionTokens"),
    total_tokens: number("totalTokens"),
  };
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}
