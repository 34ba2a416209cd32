import { HumanMessage } from "@langchain/core/messages";
import type { BaseCheckpointSaver } from "@langchain/langgraph";
import { MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { createScriptedModel } from "@wheelhouse/runtime/scripted";

/** What the model says: thirty pieces, without any pause before or between them. */
const pieces = Array.from({ length: 30 }, (_, index) => `piece ${index} of it `);

/** The smallest graph that streams an answer: one node, one model call. */
export function writerGraph(checkpointer?: BaseCheckpointSaver) {
  const model = createScriptedModel({ turns: [{ content: pieces }] });
  return new StateGraph(MessagesAnnotation)
    .addNode("writer", async (state, config) => ({ messages: [await model.invoke(state.messages, config)] }))
    .addEdge(START, "writer")
    .compile(checkpointer === undefined ? {} : { checkpointer });
}

/**
 * By default LangChain hands pieces to the stream in the background, one after the other for the whole process. From
 * about eight runs at once that queue falls behind and a stream ends before its pieces come: it yields nothing at all.
 * The alternative to measure against is the setting that its documentation names for this.
 */
export function streamReliably(): void {
  process.env.LANGCHAIN_CALLBACKS_BACKGROUND = "false";
}

/** Runs the graph as LangGraph's documentation does; answers how long the first piece took, milliseconds. */
export async function runBare(graph: ReturnType<typeof writerGraph>, threadId: string): Promise<number> {
  const startedAt = performance.now();
  const stream = await graph.stream(
    { messages: [new HumanMessage("Write something.")] },
    { streamMode: "messages", configurable: { thread_id: threadId }, durability: "sync" },
  );
  let firstMs: number | undefined;
  for await (const _piece of stream) firstMs ??= performance.now() - startedAt;
  if (firstMs === undefined) throw new Error("The graph streamed nothing");
  return firstMs;
}
