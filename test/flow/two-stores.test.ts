import { AIMessage } from "@langchain/core/messages";
import { END, type LangGraphRunnableConfig, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import type { CodeAgent } from "@wheelhouse/registry";
import { sendMessage } from "@wheelhouse/runtime";
import { createScriptedModel } from "@wheelhouse/runtime/scripted";
import { describe, expect, it } from "vitest";
import type { Gates } from "./flow-graphs.ts";
import { expectSound, type FlowWorld, logOf, openFlowWorld, runToEnd, storageKinds } from "./flow-world.ts";
import { killable } from "./killable.ts";

type State = typeof MessagesAnnotation.State;

/** Graphs that are told in part and stored in part when they are stopped at the gate. */
function splitGraphs(gates: Gates, arrived: () => void): Record<string, CodeAgent> {
  const passGate = async (signal: AbortSignal | undefined): Promise<void> => {
    arrived();
    await gates.pass("gate", signal);
  };
  const model = createScriptedModel({ turns: () => ({ content: "Said before the gate." }) });
  const say = async ({ messages }: State, config: LangGraphRunnableConfig) => ({
    messages: [await model.invoke(messages, config)],
  });
  const wait = async (_: State, config: LangGraphRunnableConfig) => {
    await passGate(config.signal);
    return { messages: [new AIMessage("Said behind the gate.")] };
  };
  const line = new StateGraph(MessagesAnnotation)
    .addNode("say", say)
    .addNode("wait", wait)
    .addEdge(START, "say")
    .addEdge("say", "wait")
    .addEdge("wait", END);
  // Keeps no checkpoints of its own: what it says is told, and stored only with the node around it.
  const unstored = new StateGraph(MessagesAnnotation).addNode("say", say).addEdge(START, "say").addEdge("say", END);
  const inner = unstored.compile({ checkpointer: false });
  const around = async (state: State, config: LangGraphRunnableConfig) => {
    const { messages } = await inner.invoke(state, config);
    await passGate(config.signal);
    return { messages: [...messages.slice(state.messages.length), new AIMessage("Said behind the gate.")] };
  };
  return {
    unstored: {
      graph: new StateGraph(MessagesAnnotation)
        .addNode("around", around)
        .addEdge(START, "around")
        .addEdge("around", END)
        .compile(),
    },
    branches: {
      graph: new StateGraph(MessagesAnnotation)
        .addNode("say", say)
        .addNode("wait", wait)
        .addEdge(START, "say")
        .addEdge(START, "wait")
        .addEdge("say", END)
        .addEdge("wait", END)
        .compile(),
    },
    subgraph: {
      graph: new StateGraph(MessagesAnnotation)
        .addNode("below", line.compile())
        .addEdge(START, "below")
        .addEdge("below", END)
        .compile(),
    },
  };
}

const said = async (world: FlowWorld, sessionId: string) => {
  const rows = await world.rows.message.findMany({ where: { sessionId }, orderBy: { seq: "asc" } });
  return rows.map(({ content }) => content);
};

describe.each(storageKinds)(
  "a worker killed between the log and the checkpoint on %s",
  { timeout: 120_000 },
  (kind) => {
    it.each(["unstored", "branches", "subgraph"])(
      "twice in a row leaves a transcript that both tell alike: %s",
      async (agent) => {
        let arrivals = 0;
        await using world = await openFlowWorld(
          kind,
          {},
          { moreAgents: (gates) => splitGraphs(gates, () => arrivals++) },
        );
        const { run, session } = await sendMessage(world.deps, world.authority, { agent, content: "go" });
        const toldInFull = async () =>
          (await logOf(world, session.id)).filter(({ type }) => type === "message.completed").length;
        for (const round of [1, 2]) {
          const victim = killable(world);
          world.work(victim.deps);
          // It stands at the gate, and what is before the gate was said in full: each time anew where nothing stored it.
          await expect.poll(() => arrivals, { timeout: 60_000 }).toBe(round);
          await expect.poll(toldInFull, { timeout: 60_000 }).toBe(agent === "unstored" ? round : 1);
          victim.kill();
          await world.expireLeases();
        }
        world.gates.open("gate");
        world.work();
        const events = await runToEnd(world, run.id);
        expect(events.at(-1)?.type).toBe("run.succeeded");
        expect(await said(world, session.id)).toEqual(["go", "Said before the gate.", "Said behind the gate."]);
        const taken = events.filter(({ type }) => type === "message.discarded").length;
        // Only what no store kept is said again.
        expect(taken).toBe(agent === "unstored" ? 2 : 0);
        await expectSound(world, session.id);
        const { messageCount } = await world.rows.session.findUniqueOrThrow({ where: { id: session.id } });
        expect(messageCount).toBe(3);
      },
    );

    const flushes = [100_000, 9, 11];
    it.each(["branches", "subgraph"].flatMap((agent) => flushes.map((flushEvents) => [agent, flushEvents] as const)))(
      "with an answer that is stored and told in part, tells it once: %s, its log written every %s events",
      async (agent, flushEvents) => {
        let arrivals = 0;
        const lazy = { flushMs: 600_000, flushBytes: 100_000_000, flushEvents };
        const extras = { moreAgents: (gates: Gates) => splitGraphs(gates, () => arrivals++) };
        await using world = await openFlowWorld(kind, lazy, extras);
        const { run, task, session } = await sendMessage(world.deps, world.authority, { agent, content: "go" });
        const { threadId } = await world.rows.session.findUniqueOrThrow({ where: { id: session.id } });
        const stored = async () => {
          const { graphs } = world.deps;
          const reached = await graphs.lastCheckpoint(threadId, run.id);
          const ids = await graphs.pendingMessageIds(threadId, run.id, reached);
          return [...ids].filter((id) => id !== task.id).length;
        };
        const victim = killable(world);
        world.work(victim.deps);
        await expect.poll(() => arrivals, { timeout: 60_000 }).toBe(1);
        // What spoke is done, and the step around it is not.
        await expect.poll(stored, { timeout: 60_000 }).toBe(1);
        victim.kill();
        await world.expireLeases();
        world.gates.open("gate");
        world.work();
        expect((await runToEnd(world, run.id)).at(-1)?.type).toBe("run.succeeded");
        const transcript = await said(world, session.id);
        expect(transcript.toSorted()).toEqual(["Said before the gate.", "Said behind the gate.", "go"]);
        // What a subgraph had stored for itself is known when its node is done.
        if (agent === "branches") expect(transcript[1]).toBe("Said before the gate.");
        await expectSound(world, session.id);
      },
    );
  },
);
