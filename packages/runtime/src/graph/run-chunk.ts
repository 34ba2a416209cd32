import type { MessageLike } from "./payload.ts";

/** The metadata keys that LangGraph and LangChain put on every callback, as far as they are read here. */
export interface ChunkMetadata {
  langgraph_node?: unknown;
  /** `node:task` segments joined by `|`: one path per execution of a node, unique within a thread. */
  langgraph_checkpoint_ns?: unknown;
  ls_provider?: unknown;
  ls_model_name?: unknown;
}

/** One thing that happened while a graph ran, in the order in which it happened. `id` is the callback run's id. */
export type RunChunk =
  | {
      type: "chain.start";
      id: string;
      parentId: string | undefined;
      name: string | undefined;
      metadata: ChunkMetadata | undefined;
      /** LangGraph's own plumbing, tagged so. */
      hidden: boolean;
      inputs: unknown;
    }
  | { type: "chain.end"; id: string; outputs: unknown }
  | { type: "chain.error"; id: string; error: unknown }
  | {
      type: "model.start";
      id: string;
      parentId: string | undefined;
      name: string | undefined;
      metadata: ChunkMetadata | undefined;
      prompt: unknown;
      /** The names of the tools the model may call. */
      tools: string[];
      /** Tagged by the graph's author as not for the reader. */
      silent: boolean;
    }
  | { type: "model.token"; id: string; messageId: string; content: unknown; callsTools: boolean }
  | { type: "model.end"; id: string; messageId: string; message: MessageLike | null; usage: ReportedUsage | null }
  | { type: "model.error"; id: string; error: unknown }
  | {
      type: "tool.start";
      id: string;
      parentId: string | undefined;
      name: string;
      input: unknown;
      toolCallId: string | undefined;
    }
  | { type: "tool.end"; id: string; output: unknown }
  | { type: "tool.error"; id: string; error: unknown }
  | { type: "retriever.start"; id: string; parentId: string | undefined; name: string; query: string }
  | { type: "retriever.end"; id: string; documents: unknown }
  | { type: "retriever.error"; id: string; error: unknown }
  | { type: "custom"; value: unknown; main: boolean };

/** Token counts as LangChain normalises them. */
export interface ReportedUsage {
  input_tokens?: number | undefined;
  output_tokens?: number | undefined;
  total_tokens?: number | undefined;
  input_token_details?: { cache_read?: number; cache_creation?: number } | undefined;
  output_token_details?: { reasoning?: number } | undefined;
}
