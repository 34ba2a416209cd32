import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AIMessage, type BaseMessage, isAIMessage, isToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { END, type LangGraphRunnableConfig, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import type { CodeAgent } from "@wheelhouse/registry";
import { createScriptedModel } from "@wheelhouse/runtime/scripted";
import { z } from "zod";

/** Doors that graphs wait at until a test opens them. */
export interface Gates {
  /** Resolves when the gate is open; rejects when the signal aborts first. */
  pass(name: string, signal?: AbortSignal): Promise<void>;
  /** Resolves when somebody stands at the gate. */
  reached(name: string): Promise<void>;
  open(name: string): void;
  isOpen(name: string): boolean;
  openAll(): void;
  /** Names of gates whose waiters were aborted. */
  readonly aborted: string[];
}

interface Deferred {
  promise: Promise<void>;
  resolve: () => void;
  reject: (error: Error) => void;
}

function deferred(): Deferred {
  let resolve = (): void => undefined;
  let reject = (_: Error): void => undefined;
  const promise = new Promise<void>((onResolved, onRejected) => {
    resolve = onResolved;
    reject = onRejected;
  });
  // Nobody may be waiting when it is rejected.
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}

export function openGates(): Gates {
  const gates = new Map<string, { reached: Deferred; opened: Deferred }>();
  const aborted: string[] = [];
  const open = new Set<string>();
  const gate = (name: string) => {
    const known = gates.get(name) ?? { reached: deferred(), opened: deferred() };
    gates.set(name, known);
    return known;
  };
  return {
    async pass(name, signal) {
      gate(name).reached.resolve();
      const stopped = deferred();
      const onAbort = () => {
        aborted.push(name);
        stopped.reject(new Error("aborted"));
      };
      signal?.addEventListener("abort", onAbort, { once: true });
      await Promise.race([gate(name).opened.promise, stopped.promise]);
      signal?.removeEventListener("abort", onAbort);
    },
    reached: (name) => gate(name).reached.promise,
    open(name) {
      open.add(name);
      gate(name).opened.resolve();
    },
    isOpen: (name) => open.has(name),
    openAll() {
      for (const { opened } of gates.values()) opened.resolve();
    },
    aborted,
  };
}

const lastText = (messages: readonly BaseMessage[]): string => messages.at(-1)?.text ?? "";

/**
 * The agent with a tool that every tutorial begins with. It tells what it remembers; `hold <gate> …` calls a tool for each
 * gate, one after the other, that waits there; `break <gate>` one that fails while the gate is shut. As providers do, its
 * model refuses a conversation with a tool call that nobody answered.
 */
function reactAgent(gates: Gates) {
  const hold = tool(
    async ({ gate, deaf }, config: LangGraphRunnableConfig) => {
      await gates.pass(gate, deaf ? undefined : config.signal);
      return `passed ${gate}`;
    },
    { name: "hold", description: "Waits.", schema: z.object({ gate: z.string(), deaf: z.boolean() }) },
  );
  const push = tool(
    ({ gate }) => {
      if (!gates.isOpen(gate)) throw new Error(`${gate} is shut`);
      return `passed ${gate}`;
    },
    { name: "push", description: "Fails at a shut gate.", schema: z.object({ gate: z.string() }) },
  );
  const model = createScriptedModel({
    turns: (messages) => {
      refuseUnanswered(messages);
      const heard = messages.filter((message) => message.getType() === "human").map((message) => message.text);
      const [word, ...names] = (heard.at(-1) ?? "").split(" ");
      const since = messages.slice(messages.findLastIndex((message) => message.getType() === "human"));
      const gate = names[since.filter((message) => message.getType() === "tool").length];
      const call = { args: { gate, deaf: word === "deaf" }, id: `call_${messages.length}` };
      if (gate !== undefined && (word === "hold" || word === "deaf"))
        return { content: `To ${gate}.`, toolCalls: [{ name: "hold", ...call }] };
      if (gate !== undefined && word === "break")
        return { content: `To ${gate}.`, toolCalls: [{ name: "push", ...call }] };
      return { content: `Heard: ${heard.join(", ")}` };
    },
  }).bindTools([hold, push]);
  return new StateGraph(MessagesAnnotation)
    .addNode("agent", async ({ messages }, config) => ({ messages: [await model.invoke(messages, config)] }))
    .addNode("tools", new ToolNode([hold, push], { handleToolErrors: false }))
    .addEdge(START, "agent")
    .addConditionalEdges("agent", ({ messages }) => (callsOf(messages.at(-1)).length > 0 ? "tools" : END), [
      "tools",
      END,
    ])
    .addEdge("tools", "agent")
    .compile();
}

const callsOf = (message: BaseMessage | undefined) =>
  message !== undefined && isAIMessage(message) ? (message.tool_calls ?? []) : [];

function refuseUnanswered(messages: readonly BaseMessage[]): void {
  for (const [i, message] of messages.entries())
    for (const call of callsOf(message)) {
      const isAnswer = (later: BaseMessage) => isToolMessage(later) && later.tool_call_id === call.id;
      if (!messages.slice(i + 1).some(isAnswer))
        throw new Error("400: an assistant message with tool calls must be answered");
    }
}

/** Agents that do what a message tells them: `fail`, `wait <gate>`, `deaf <gate>`; anything else is echoed. */
export async function testAgents(gates: Gates) {
  const model = createScriptedModel({
    turns: (messages) => ({ content: `You said: ${messages.findLast((m) => m.getType() === "human")?.text ?? ""}` }),
  });
  const obey = async (text: string, signal: AbortSignal | undefined): Promise<void> => {
    const [word, name = ""] = text.split(" ");
    if (word === "fail") throw new Error("this graph was told to fail");
    if (word === "wait") await gates.pass(name, signal);
    if (word === "deaf") await gates.pass(name);
  };
  const answer = async ({ messages }: typeof MessagesAnnotation.State, config: LangGraphRunnableConfig) => {
    await obey(lastText(messages), config.signal);
    return { messages: [await model.invoke(messages, config)] };
  };
  const echo = new StateGraph(MessagesAnnotation)
    .addNode("answer", answer)
    .addEdge(START, "answer")
    .addEdge("answer", END);
  /** Three nodes; the middle one says something and then waits, so that a worker can be killed in the middle. */
  const stages = new StateGraph(MessagesAnnotation)
    .addNode("first", async (state, config) => ({ messages: [await model.invoke(state.messages, config)] }))
    .addNode("second", async (state, config) => {
      const said = await model.invoke(state.messages, config);
      await gates.pass("second", config.signal);
      return { messages: [said] };
    })
    .addNode("third", () => ({ messages: [new AIMessage("All three stages are done.")] }))
    .addEdge(START, "first")
    .addEdge("first", "second")
    .addEdge("second", "third")
    .addEdge("third", END);
  const codeAgents: Record<string, CodeAgent> = {
    react: { graph: reactAgent(gates) },
    echo: { graph: echo.compile(), busyPolicy: "REJECT" },
    brief: { graph: echo.compile(), timeoutSeconds: 0.3 },
    stages: { graph: stages.compile() },
    typed: {
      graph: echo.compile(),
      inputSchema: z.object({ topic: z.string().min(2), depth: z.enum(["short", "long"]).optional() }),
    },
  };
  const tools = [
    tool(async ({ to, subject }) => `The mail “${subject}” to ${to} was sent.`, {
      name: "send_email",
      description: "Sends a mail.",
      schema: z.object({ to: z.string(), subject: z.string(), body: z.string() }),
    }),
  ];
  const workspaceDir = await mkdtemp(join(tmpdir(), "wheelhouse-flow-agents-"));
  const folder = join(workspaceDir, ".wheelhouse/agents");
  await mkdir(folder, { recursive: true });
  const clerk = "model: scripted/guide\ntools: [send_email]\ninterruptOn: {send_email: [APPROVE, EDIT, REJECT]}\n";
  await writeFile(join(folder, "clerk.yaml"), clerk);
  return { codeAgents, tools, workspaceDir };
}
