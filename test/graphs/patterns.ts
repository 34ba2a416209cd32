// Graphs as LangGraph's documentation writes them. They know nothing of this product.
import { AIMessage, type BaseMessage, HumanMessage, isAIMessage } from "@langchain/core/messages";
import { type StructuredToolInterface, tool } from "@langchain/core/tools";
import {
  Annotation,
  END,
  entrypoint,
  getPreviousState,
  interrupt,
  MemorySaver,
  MessagesAnnotation,
  Send,
  START,
  StateGraph,
  task,
} from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { createScriptedModel, type ScriptedModelOptions } from "@wheelhouse/runtime/scripted";
import { z } from "zod";

export const getWeather = tool(async ({ city }) => `It is always sunny in ${city}.`, {
  name: "get_weather",
  description: "Get the weather of a city.",
  schema: z.object({ city: z.string() }),
});

export const multiply = tool(async ({ a, b }) => a * b, {
  name: "multiply",
  description: "Multiply two numbers.",
  schema: z.object({ a: z.number(), b: z.number() }),
});

/** "ReAct agent from scratch": a model node, a tool node, a conditional edge back. */
export function reactAgent(
  turns: ScriptedModelOptions["turns"],
  tools: StructuredToolInterface[] = [getWeather, multiply],
  handleToolErrors = true,
) {
  const model = createScriptedModel({ turns }).bindTools(tools);
  const callModel = async (state: typeof MessagesAnnotation.State) => ({
    messages: [await model.invoke(state.messages)],
  });
  const shouldContinue = ({ messages }: typeof MessagesAnnotation.State) => {
    const last = messages.at(-1);
    return last !== undefined && isAIMessage(last) && (last.tool_calls?.length ?? 0) > 0 ? "tools" : END;
  };
  return new StateGraph(MessagesAnnotation)
    .addNode("agent", callModel)
    .addNode("tools", new ToolNode(tools, { handleToolErrors }))
    .addEdge(START, "agent")
    .addConditionalEdges("agent", shouldContinue, ["tools", END])
    .addEdge("tools", "agent")
    .compile();
}

const JokeState = Annotation.Root({
  topic: Annotation<string>,
  joke: Annotation<string>,
  poem: Annotation<string>,
  approved: Annotation<string>,
  combined: Annotation<string>,
});

/** "Parallelization" with one branch a subgraph that asks a human: branches fan out, wait and join. */
export function parallelWithSubgraph(twoQuestions = false) {
  const model = createScriptedModel({
    turns: (messages) => ({ content: `Here is ${messages.at(-1)?.text ?? ""} for you.` }),
  });
  const write = async (what: string, topic: string) => (await model.invoke(`a ${what} about ${topic}`)).text;
  const review = new StateGraph(JokeState)
    .addNode("draft", async (state) => ({ poem: await write("poem", state.topic) }))
    .addNode("ask", (state) => ({ approved: interrupt({ question: "Is this poem good?", poem: state.poem }) }))
    .addEdge(START, "draft")
    .addEdge("draft", "ask")
    .compile();
  const joke = async (state: typeof JokeState.State) => {
    const text = await write("joke", state.topic);
    return { joke: twoQuestions ? `${text} ${interrupt("Is this joke funny?")}` : text };
  };
  return new StateGraph(JokeState)
    .addNode("plan", (state) => ({ topic: state.topic.trim() }))
    .addNode("tell_joke", joke)
    .addNode("review", review)
    .addNode("join", (state) => ({ combined: `${state.joke}\n${state.poem}\n${state.approved}` }))
    .addEdge(START, "plan")
    .addEdge("plan", "tell_joke")
    .addEdge("plan", "review")
    .addEdge(["tell_joke", "review"], "join")
    .addEdge("join", END)
    .compile({ checkpointer: new MemorySaver() });
}

/** "Functional API": tasks, memory of the previous turn, and a question in the middle. */
export function essayWorkflow() {
  const model = createScriptedModel({ turns: [{ content: "An essay in a few words." }] });
  const writeEssay = task("write_essay", async (topic: string) => (await model.invoke(`An essay about ${topic}`)).text);
  const countWords = task("count_words", async (text: string) => text.split(" ").length);
  return entrypoint({ name: "essay", checkpointer: new MemorySaver() }, async (input: { topic: string }) => {
    const essay = await writeEssay(input.topic);
    const words = await countWords(essay);
    const approved = interrupt({ essay, action: "Please approve or reject" });
    return { essay, words, approved };
  });
}

/** "Functional API: add memory": a chat whose previous messages come back by `getPreviousState`. */
export function functionalChat() {
  const model = createScriptedModel({ turns: (messages) => ({ content: `I have read ${messages.length} messages.` }) });
  const callModel = task("call_model", async (messages: BaseMessage[]) => await model.invoke(messages));
  return entrypoint({ name: "chat", checkpointer: new MemorySaver() }, async (input: { messages: BaseMessage[] }) => {
    const messages = [...(getPreviousState<BaseMessage[]>() ?? []), ...input.messages];
    const response = await callModel(messages);
    return entrypoint.final({ value: [response], save: [...messages, response] });
  });
}

const MapState = Annotation.Root({
  subjects: Annotation<string[]>,
  jokes: Annotation<string[]>({ reducer: (a, b) => a.concat(b), default: () => [] }),
});

/** "Map-reduce" with Send. */
export function mapReduce() {
  return new StateGraph(MapState)
    .addNode("list", (state) => ({ subjects: state.subjects }))
    .addNode("joke", (state: { subject: string }) => ({ jokes: [`A joke about ${state.subject}`] }))
    .addEdge(START, "list")
    .addConditionalEdges("list", (state) => state.subjects.map((subject) => new Send("joke", { subject })), ["joke"])
    .addEdge("joke", END)
    .compile();
}

/** A node that answers without a model. */
export function echo() {
  return new StateGraph(MessagesAnnotation)
    .addNode("echo", (state, config) => {
      config.writer?.({ progress: 0.5 });
      return { messages: [new AIMessage(`You said: ${state.messages.at(-1)?.text ?? ""}`)] };
    })
    .addEdge(START, "echo")
    .compile();
}

/** Keeps on going. */
export function endless() {
  return new StateGraph(MessagesAnnotation)
    .addNode("again", () => ({ messages: [new HumanMessage("again")] }))
    .addEdge(START, "again")
    .addEdge("again", "again")
    .compile();
}
