import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openRegistry } from "@wheelhouse/registry";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { watchWorkspace } from "./watch-workspace.ts";

let workspaceDir: string;
beforeEach(async () => {
  workspaceDir = await mkdtemp(join(tmpdir(), "wheelhouse-watch-"));
});
afterEach(() => rm(workspaceDir, { recursive: true }));

const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const scope = { project: "default" };

async function watched() {
  const registry = await openRegistry({ workspaceDir, env: {} });
  const watching = watchWorkspace({ workspaceDir, registry, log, onRead: async () => undefined });
  return { registry, [Symbol.dispose]: () => watching[Symbol.dispose]() };
}

describe("a workspace that is watched", () => {
  it("takes agents that are written, changed and removed while it is open", async () => {
    await mkdir(join(workspaceDir, ".wheelhouse/agents"), { recursive: true });
    using world = await watched();
    const file = join(workspaceDir, ".wheelhouse/agents/late.yaml");
    const name = async () => (await world.registry.resolveAgent("late", scope))?.displayName;
    await writeFile(file, "displayName: One\nmodel: scripted/guide\n");
    await expect.poll(name, { timeout: 10_000 }).toBe("One");
    await writeFile(file, "displayName: Two\nmodel: scripted/guide\n");
    await expect.poll(name, { timeout: 10_000 }).toBe("Two");
    await writeFile(file, "displayName: [\n");
    await expect.poll(() => world.registry.issues().length, { timeout: 10_000 }).toBe(1);
    await rm(file);
    await expect.poll(() => world.registry.issues().length, { timeout: 10_000 }).toBe(0);
    expect(await name()).toBeUndefined();
  });

  it("may have nothing to watch", async () => {
    using world = await watched();
    expect(await world.registry.sharedAgents()).toEqual([]);
  });
});
