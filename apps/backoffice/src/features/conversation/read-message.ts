import type { TranscriptMessageFragment } from "../../generated/graphql.ts";
import type { MessageRow, ToolRequest } from "../run/live-view.ts";
import { localId } from "../run/snapshot.ts";

/** A message as the API answers it, in the words of the view. */
export const readMessage = (row: TranscriptMessageFragment): MessageRow => ({
  messageId: localId(row.id),
  role: row.role,
  text: row.content,
  runId: row.runId === null ? null : localId(row.runId),
  seq: row.seq,
  at: row.createdAt,
  toolRequests: readToolRequests(row.toolCalls),
  toolCallId: row.toolCallId,
  model: row.model,
  tokenCount: row.tokenCount,
});

/** Tool calls as LangChain writes them (`args`), or as model providers do (`function.arguments`, a JSON text). */
export function readToolRequests(value: unknown): ToolRequest[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((call: unknown, index): ToolRequest[] => {
    if (typeof call !== "object" || call === null) return [];
    const inner: unknown = Reflect.get(call, "function");
    const source = typeof inner === "object" && inner !== null ? inner : call;
    const name: unknown = Reflect.get(source, "name");
    const id: unknown = Reflect.get(call, "id");
    const args: unknown = Reflect.get(source, "args") ?? Reflect.get(source, "arguments");
    return [
      {
        id: typeof id === "string" ? id : `call-${index}`,
        name: typeof name === "string" ? name : "tool",
        args: typeof args === "string" ? parsed(args) : args,
      },
    ];
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
