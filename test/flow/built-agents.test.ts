import { sendMessage, upsertConfigEntity } from "@wheelhouse/runtime";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openRealServer, type RealServer } from "../graphs/mcp-servers.ts";
import { expectSound, type FlowWorld, logOf, openFlowWorld, runToEnd, storageKinds, untilEvent } from "./flow-world.ts";
import { killable } from "./killable.ts";

const model = { provider: "scripted", model: "calls" };
const asked = (...wishes: unknown[]) => JSON.stringify(wishes);
/** A promise and what resolves it. */
function gate() {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve: () => resolve() };
}
const text = (said: string) => ({ content: [{ type: "text" as const, text: said }] });

describe.each(storageKinds)("agents from definitions on %s", { timeout: 60_000 }, (kind) => {
  let world: FlowWorld;
  let desk: RealServer;
  /** Each call of the tool `wait` begins, and ends when the test says so. */
  let begun = gate();
  let ended = gate();

  beforeAll(async () => {
    world = await openFlowWorld(kind);
    desk = await openRealServer({
      tools: (server) => {
        server.registerTool("greet", { inputSchema: {} }, async () => text("Good morning."));
        server.registerTool("wait", { inputSchema: {} }, async () => {
          begun.resolve();
          await ended.promise;
          return text("The old one.");
        });
      },
    });
  });
  afterAll(async () => {
    ended.resolve();
    await world[Symbol.asyncDispose]();
    await desk[Symbol.asyncDispose]();
  });

  const define = async (kindOf: "AGENT" | "MCP_SERVER" | "PROVIDER", name: string, definition: unknown) => {
    const input = { kind: kindOf, name, definition };
    const outcome = await upsertConfigEntity(world.deps, world.as({ role: "EDITOR" }), input);
    expect(outcome.outcome).toBe("saved");
  };
  const send = (agent: string, content: string) => sendMessage(world.deps, world.authority, { agent, content });
  const lastWords = async (sessionId: string) =>
    (await world.rows.message.findMany({ where: { sessionId }, orderBy: { seq: "asc" } })).at(-1)?.content;

  it("use the tools of MCP servers, and go on without an optional one that is not there, which the log tells", async () => {
    const worker = world.work();
    await define("PROVIDER", "main", { type: "scripted", model: "calls" });
    await define("MCP_SERVER", "desk", { url: desk.url, toolPrefix: "desk" });
    await define("MCP_SERVER", "away", { url: "http://127.0.0.1:9/mcp", required: false });
    await define("AGENT", "greeter", { provider: "main", mcpServers: ["desk", "away"] });
    const { run, session } = await send("greeter", asked({ name: "desk_greet", args: {} }));
    const events = await runToEnd(world, run.id);
    expect(events.at(-1)?.type).toBe("run.succeeded");
    expect(await lastWords(session.id)).toBe("Answer: Good morning.");
    const told = events.filter(({ type }) => type === "mcp.unavailable");
    expect(told).toMatchObject([{ visibility: "OPERATOR", payload: { server: "away", category: "UNREACHABLE" } }]);
    expect(told[0]?.sequence).toBeLessThan(events.find(({ type }) => type === "step.started")?.sequence ?? 0);
    await expectSound(world, session.id);
    await worker[Symbol.asyncDispose]();
  });

  it("fail before their model when a required one is not there", async () => {
    const worker = world.work();
    await define("MCP_SERVER", "needed", { url: "http://127.0.0.1:9/mcp" });
    await define("AGENT", "needy", { model, mcpServers: ["needed"] });
    const { run, session } = await send("needy", asked());
    expect((await runToEnd(world, run.id)).at(-1)).toMatchObject({
      type: "run.failed",
      payload: { code: "TOOL_ERROR" },
    });
    expect(await world.rows.modelCall.count({ where: { runId: run.id } })).toBe(0);
    await expectSound(world, session.id);
    await worker[Symbol.asyncDispose]();
  });

  it("keep their definition, and its servers, while a run goes on; the next run takes the new one", async () => {
    const worker = world.work();
    [begun, ended] = [gate(), gate()];
    await define("MCP_SERVER", "changing", { url: desk.url });
    await define("AGENT", "changed", { model, mcpServers: ["changing"] });
    const first = await send("changed", asked({ name: "wait", args: {} }));
    await begun.promise;
    await define("MCP_SERVER", "changing", { url: desk.url, allowTools: ["greet"], toolPrefix: "new" });
    const second = await send("changed", asked({ name: "wait", args: {} }));
    await runToEnd(world, second.run.id);
    expect(await lastWords(second.session.id)).toBe("I have no wait, only new_greet.");
    ended.resolve();
    await runToEnd(world, first.run.id);
    expect(await lastWords(first.session.id)).toBe("Answer: The old one.");
    await worker[Symbol.asyncDispose]();
  });

  it("spend one budget over all workers of a run", async () => {
    await define("MCP_SERVER", "slow", { url: desk.url });
    await define("AGENT", "lavish", { model, mcpServers: ["slow"] });
    const first = world.work();
    const measured = await send("lavish", asked({ name: "wait", args: {} }));
    await runToEnd(world, measured.run.id);
    await first[Symbol.asyncDispose]();
    const calls = await world.rows.modelCall.findMany({ where: { runId: measured.run.id } });
    const whole = calls.reduce((sum, { totalTokens }) => sum + (totalTokens ?? 0), 0);
    expect(calls).toHaveLength(2);
    // Enough for each of its two calls, and not for both.
    await define("AGENT", "frugal", { model, mcpServers: ["slow"], budget: { tokensPerRun: whole - 1 } });
    [begun, ended] = [gate(), gate()];
    const dying = killable(world);
    world.work(dying.deps);
    const { run, session } = await send("frugal", asked({ name: "wait", args: {} }));
    await begun.promise;
    await untilEvent(world, session.id, ({ type }) => type === "tool.started");
    dying.kill();
    ended.resolve();
    await world.expireLeases();
    world.work();
    const events = await runToEnd(world, run.id);
    expect(events.map(({ type }) => type)).toContain("run.recovered");
    expect(events.at(-1)).toMatchObject({ type: "run.failed", payload: { code: "BUDGET_EXCEEDED" } });
    expect((await logOf(world, session.id)).at(-1)?.type).toBe("task.failed");
  });
});
