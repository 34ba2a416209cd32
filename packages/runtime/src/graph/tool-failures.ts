import { ToolMessage } from "@langchain/core/messages";
import { type AgentMiddleware, createMiddleware } from "langchain";

/** A call that a tool of a definition could not make. Its message is fit for the model, which may do something else. */
export class ToolCallFailed extends Error {
  /** Whether the same call may succeed later. */
  readonly retryable: boolean;

  constructor(message: string, { retryable }: { retryable: boolean }) {
    super(message);
    this.name = "ToolCallFailed";
    this.retryable = retryable;
  }
}

/** Tells the model what its call came to, where the run would otherwise fail. Stands outside of whatever tries again. */
export const toolFailures = (): AgentMiddleware =>
  createMiddleware({
    name: "ToolFailures",
    wrapToolCall: async (request, handler) => {
      try {
        return await handler(request);
      } catch (error) {
        if (!(error instanceof ToolCallFailed)) throw error;
        const { name, id = "" } = request.toolCall;
        return new ToolMessage({ content: error.message, name, tool_call_id: id, status: "error" });
      }
    },
  });
