import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { END, type LangGraphRunnableConfig, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
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
    open: (name) => gate(name).opened.resolve(),
    openAll() {
      for (const { opened } of gates.values()) opened.resolve();
    },
    aborted,
  };
}

const lastText = (messages: readonly BaseMessage[]): string => messages.at(-1)?.text ?? "";

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
