import type { Authority } from "@wheelhouse/domain";
import { sendMessage, upsertConfigEntity } from "@wheelhouse/runtime";
import { describe, expect, it } from "vitest";
import { openFlowWorld, runToEnd, storageKinds } from "./flow-world.ts";

const model = { provider: "scripted", model: "guide" };

describe.each(storageKinds)("a draft of a definition on %s", (kind) => {
  it("is what one run executes, and nothing else knows it", async () => {
    await using world = await openFlowWorld(kind);
    world.work();
    const { deps } = world;
    const authority = { ...world.authority, role: "EDITOR" as const };
    const saved = { kind: "AGENT", name: "writer", definition: { model, systemPrompt: "Saved" } };
    await upsertConfigEntity(deps, authority, saved);
    const say = (more: object) => sendMessage(deps, authority, { agent: "writer", content: "hi", ...more });
    const draft = { model, systemPrompt: "Tried", recursionLimit: 9 };
    const tried = await say({ draft });
    expect(tried.run.manifest).toMatchObject({
      ...{ agent: "writer", source: "API", revision: null, sources: { agent: "draft" } },
      definition: { systemPrompt: "Tried", recursionLimit: 9 },
    });
    expect((await runToEnd(world, tried.run.id)).at(-1)?.type).toBe("run.succeeded");
    const next = await say({ agent: null, sessionId: tried.session.id });
    expect(next.run.manifest).toMatchObject({ revision: 1, definition: { systemPrompt: "Saved" } });
    await runToEnd(world, next.run.id);
    const once = await say({ draft, idempotencyKey: "k" });
    expect(await say({ draft, idempotencyKey: "k" })).toMatchObject({ reused: true, run: { id: once.run.id } });
    await expect(say({ idempotencyKey: "k" })).rejects.toMatchObject({ code: "IDEMPOTENCY_CONFLICT" });
  });

  it.each([
    ["a text", "text", "draft"],
    ["an unknown field", { model, modle: 1 }, "draft"],
    ["a wrong value deep inside", { model: { ...model, temperature: 9 } }, "draft.model.temperature"],
    ["a tool that is not there", { model, tools: ["rocket"] }, "draft.tools[0]"],
    ["a secret", { model, systemPrompt: `sk-proj-${"a1B2".repeat(6)}` }, "draft.systemPrompt"],
  ])("is refused by its path: %s", async (_, draft, path) => {
    await using world = await openFlowWorld(kind);
    const { deps } = world;
    const authority = { ...world.authority, role: "EDITOR" as const };
    await upsertConfigEntity(deps, authority, { kind: "AGENT", name: "writer", definition: { model } });
    const trying = sendMessage(deps, authority, { agent: "writer", content: "hi", draft });
    await expect(trying).rejects.toMatchObject({ code: "CONFIG_INVALID", issues: [expect.objectContaining({ path })] });
    expect(await world.rows.task.count()).toBe(0);
  });

  it("needs an agent of that name, no graph in code, and somebody who may edit", async () => {
    await using world = await openFlowWorld(kind);
    const { deps } = world;
    const authority = { ...world.authority, role: "EDITOR" as const };
    const draft = { model };
    const trying = (agent: string, as: Authority = authority) => sendMessage(deps, as, { agent, content: "hi", draft });
    await expect(trying("nobody")).rejects.toMatchObject({ code: "AGENT_NOT_FOUND" });
    await expect(trying("echo")).rejects.toMatchObject({ code: "CONFIG_INVALID" });
    await expect(trying("clerk", { ...authority, role: "OPERATOR" })).rejects.toMatchObject({ code: "FORBIDDEN" });
  });
});
