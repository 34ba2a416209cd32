import type { CallbackManagerForLLMRun } from "@langchain/core/callbacks/manager";
import type { BaseLanguageModelInput } from "@langchain/core/language_models/base";
import {
  BaseChatModel,
  type BaseChatModelCallOptions,
  type BindToolsInput,
} from "@langchain/core/language_models/chat_models";
import { AIMessageChunk, type BaseMessage, type UsageMetadata } from "@langchain/core/messages";
import { ChatGenerationChunk, type ChatResult } from "@langchain/core/outputs";
import type { Runnable } from "@langchain/core/runnables";
import { convertToOpenAITool } from "@langchain/core/utils/function_calling";

/** A tool as a script sees it. */
export interface ScriptTool {
  name: string;
  description: string;
  /** JSON Schema of the arguments. */
  parameters: { properties?: Record<string, unknown>; required?: string[] } & Record<string, unknown>;
}

/** What a scripted model says in one call. */
export interface ScriptedTurn {
  /** A text is split into words; a list is streamed piece by piece as it is. */
  content?: string | readonly string[];
  /** Streamed before the content, as reasoning blocks; content is then streamed as text blocks. */
  reasoning?: readonly string[];
  toolCalls?: readonly { name: string; args: Record<string, unknown>; id?: string }[];
  /** Absent: counted from the text. `none`: never reported. `late`: in a chunk of its own behind the last piece. */
  usage?: UsageMetadata | "none" | "late";
  /** Thrown after the content was streamed. */
  error?: Error;
  /** After the content, wait until the call is aborted. `deaf` never ends, not even then. */
  hang?: "until-abort" | "deaf";
}

/** Decides a turn from the conversation and the bound tools. */
export type Script = (messages: readonly BaseMessage[], tools: readonly ScriptTool[]) => ScriptedTurn;

export interface ScriptedModelOptions {
  /** Reported as the model's name. */
  model?: string;
  /** Turns, the last of which repeats; or a decision. */
  turns: readonly ScriptedTurn[] | Script;
  /**
   * How a turn is taken from a list: by what the model has said since the user last spoke, which is the same in every
   * run, or by how often this object was called, for attempts that fail before they say anything.
   */
  by?: "conversation" | "call";
  /** Pause before each piece, milliseconds, so that streaming can be seen. Default 0. */
  delayMs?: number;
}

interface ScriptedCallOptions extends BaseChatModelCallOptions {
  tools?: ScriptTool[];
}

/** A chat model whose words are decided by a script: it streams, calls tools and reports usage, and is the same every time. */
export class ScriptedModel extends BaseChatModel<ScriptedCallOptions> {
  readonly model: string;
  readonly #script: Script;
  readonly #delayMs: number;
  /** Model calls so far. */
  calls = 0;

  constructor(options: ScriptedModelOptions) {
    super({});
    this.model = options.model ?? "scripted";
    this.#delayMs = options.delayMs ?? 0;
    const { turns, by } = options;
    this.#script =
      typeof turns === "function"
        ? turns
        : (messages) => turns[Math.min(by === "call" ? this.calls - 1 : saidSince(messages), turns.length - 1)] ?? {};
  }

  override _llmType(): string {
    return "scripted";
  }

  override getLsParams(options: this["ParsedCallOptions"]) {
    return { ...super.getLsParams(options), ls_provider: "scripted", ls_model_name: this.model };
  }

  override bindTools(
    tools: BindToolsInput[],
    kwargs?: Partial<ScriptedCallOptions>,
  ): Runnable<BaseLanguageModelInput, AIMessageChunk, ScriptedCallOptions> {
    return this.withConfig({ ...kwargs, tools: tools.map(scriptTool) });
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    options: this["ParsedCallOptions"],
    runManager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    this.calls += 1;
    const call = this.calls;
    const turn = this.#script(messages, options.tools ?? []);
    for (const chunk of turnChunks(turn, this.model, call, messages)) {
      if (this.#delayMs > 0) await pause(this.#delayMs, options.signal);
      options.signal?.throwIfAborted();
      yield chunk;
      await runManager?.handleLLMNewToken(chunk.text, undefined, undefined, undefined, undefined, { chunk });
    }
    if (turn.hang !== undefined) await pause(2 ** 31 - 1, turn.hang === "deaf" ? undefined : options.signal);
    if (turn.error !== undefined) throw turn.error;
  }

  override async _generate(
    messages: BaseMessage[],
    options: this["ParsedCallOptions"],
    runManager?: CallbackManagerForLLMRun,
  ): Promise<ChatResult> {
    let whole: ChatGenerationChunk | undefined;
    for await (const chunk of this._streamResponseChunks(messages, options, runManager))
      whole = whole === undefined ? chunk : whole.concat(chunk);
    return { generations: whole === undefined ? [] : [whole] };
  }
}

/** A scripted model for tests and for graphs in code. */
export const createScriptedModel = (options: ScriptedModelOptions): ScriptedModel => new ScriptedModel(options);

/** Splits a text into pieces of one to three words, as a provider would stream it; joined they are the text. */
export function wordPieces(text: string): string[] {
  const pieces: string[] = [];
  let piece = "";
  for (const [word] of text.matchAll(/\s*\S+\s*$|\s*\S+/g)) {
    piece += word;
    if (piece.length >= 6) {
      pieces.push(piece);
      piece = "";
    }
  }
  if (piece !== "") pieces.push(piece);
  return pieces.length === 0 && text !== "" ? [text] : pieces;
}

/** Assistant messages behind the last user message. */
function saidSince(messages: readonly BaseMessage[]): number {
  const last = messages.findLastIndex((message) => message.getType() === "human");
  return messages.slice(last + 1).filter((message) => message.getType() === "ai").length;
}

function* turnChunks(
  turn: ScriptedTurn,
  model: string,
  call: number,
  messages: readonly BaseMessage[],
): Generator<ChatGenerationChunk> {
  const pieces = typeof turn.content === "string" ? wordPieces(turn.content) : (turn.content ?? []);
  const blocks = turn.reasoning !== undefined;
  for (const reasoning of turn.reasoning ?? [])
    yield generation("", { content: [{ type: "reasoning", reasoning, index: 0 }] });
  for (const text of pieces) yield generation(text, { content: blocks ? [{ type: "text", text, index: 1 }] : text });
  for (const [index, { name, args, id }] of (turn.toolCalls ?? []).entries()) {
    const json = JSON.stringify(args);
    const half = Math.ceil(json.length / 2);
    const callId = id ?? `call_${messages.length}_${call}_${index}`;
    yield toolPiece({ index, name, id: callId, args: json.slice(0, half) });
    yield toolPiece({ index, args: json.slice(half) });
  }
  const usage = typeof turn.usage === "object" ? turn.usage : countUsage(turn, pieces, messages);
  const finish = { finish_reason: (turn.toolCalls?.length ?? 0) > 0 ? "tool_calls" : "stop", model_name: model };
  if (turn.error !== undefined || turn.hang !== undefined) return;
  if (turn.usage === "late") {
    yield generation("", { content: "", response_metadata: finish });
    yield generation("", { content: "", usage_metadata: usage });
  } else if (turn.usage === "none") yield generation("", { content: "", response_metadata: finish });
  else yield generation("", { content: "", response_metadata: finish, usage_metadata: usage });
}

type ChunkFields = Exclude<ConstructorParameters<typeof AIMessageChunk>[0], string>;

const generation = (text: string, fields: ChunkFields): ChatGenerationChunk =>
  new ChatGenerationChunk({ text, message: new AIMessageChunk(fields) });

const toolPiece = (piece: { index: number; name?: string; id?: string; args: string }): ChatGenerationChunk =>
  generation("", { content: "", tool_call_chunks: [{ type: "tool_call_chunk", ...piece }] });

/** About four characters a token, which is what a provider would count within a few percent for English. */
function countUsage(turn: ScriptedTurn, pieces: readonly string[], messages: readonly BaseMessage[]): UsageMetadata {
  const tokens = (length: number) => Math.ceil(length / 4);
  const input = messages.reduce((sum, message) => sum + tokens(message.text.length) + 4, 0);
  const known = messages.slice(0, -1).reduce((sum, message) => sum + tokens(message.text.length) + 4, 0);
  const reasoning = tokens((turn.reasoning ?? []).join("").length);
  const calls = tokens(JSON.stringify(turn.toolCalls ?? []).length - 2);
  const output = tokens(pieces.join("").length) + reasoning + calls;
  return {
    input_tokens: input,
    output_tokens: output,
    total_tokens: input + output,
    input_token_details: { cache_read: messages.length > 2 ? known : 0 },
    output_token_details: { reasoning },
  };
}

function scriptTool(tool: BindToolsInput): ScriptTool {
  const { function: definition } = convertToOpenAITool(tool);
  return {
    name: definition.name,
    description: definition.description ?? "",
    parameters: { ...definition.parameters },
  };
}

/** Resolves after `ms`; rejects at once when the signal aborts. */
function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason ?? new Error("aborted"));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    }, ms);
    if (signal?.aborted) onAbort();
    else signal?.addEventListener("abort", onAbort, { once: true });
  });
}
