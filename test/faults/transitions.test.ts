import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ContractWorld, endEverything, registerGuide, useWorld } from "@wheelhouse/storage/contract";
import { openStorage } from "@wheelhouse/storage/prisma";
import { describe, expect, it } from "vitest";
import { openWorld, type World } from "../worlds/open-world.ts";
import { type CutPoint, openCutProxy } from "./cut-proxy.ts";
import { expectWhole } from "./sound-session.ts";
import { type Transition, transitions } from "./transitions.ts";

/** After a death: everything or nothing of the transition is there, and whoever comes next can go on. */
async function expectGoesOn(world: ContractWorld, sessionId: string): Promise<void> {
  await expectWhole(world, sessionId);
  await endEverything(world);
  await expectWhole(world, sessionId);
  const session = await world.models.session.findUnique({ where: { id: sessionId } });
  expect([undefined, "IDLE", "ERROR", "WAITING"]).toContain(session?.status);
}

describe("a process that dies in the middle of a transition, on PostgreSQL", { timeout: 120_000 }, () => {
  const world = useWorld(() => openWorld("postgres"));

  it.each(transitions)("leaves all of it or nothing: $name", async (transition) => {
    let deaths = 0;
    for (const of of ["requests", "answers"] as const)
      for (let piece = 1; await diesAt(world(), transition, { of, piece }); piece++) deaths++;
    expect(deaths).toBeGreaterThan(1);
  });
});

/** Whether the process was still at it when the point came. */
async function diesAt(world: World, transition: Transition, point: CutPoint): Promise<boolean> {
  const { sessionId, act } = await transition.prepare(world);
  await using proxy = await openCutProxy(world.url);
  const { clock, newId } = world;
  const dying = await openStorage({ url: proxy.url, clock, newId, onError: () => undefined });
  proxy.arm(point);
  const acted = act(dying.storage).then(
    () => undefined,
    () => undefined,
  );
  await Promise.race([acted, proxy.cut]);
  const died = proxy.isCut;
  await proxy[Symbol.asyncDispose]();
  await dying.storage[Symbol.asyncDispose]();
  await proxy.gone(world.models);
  await expectGoesOn(world, sessionId);
  return died;
}

describe("a connection that is lost before the commit", () => {
  const world = useWorld(() => openWorld("postgres"));
  const locking = ["work behind other work", "a running task is cancelled", "the last question is answered"];

  it.each(transitions.filter(({ name }) => locking.includes(name)))("costs nothing: $name", async ({ prepare }) => {
    const { sessionId, act } = await prepare(world());
    await using proxy = await openCutProxy(world().url);
    const { clock, newId } = world();
    const { storage } = await openStorage({ url: proxy.url, clock, newId, onError: () => undefined });
    void proxy.cut.then(() => proxy.mend());
    proxy.arm({ of: "requests", saying: "FOR NO KEY UPDATE" });
    await act(storage);
    expect(proxy.isCut).toBe(true);
    // The listener connects anew meanwhile, which must not keep the process from ending.
    await storage[Symbol.asyncDispose]();
    await expectGoesOn(world(), sessionId);
  });
});

describe("a process that dies in the middle of a transition, on SQLite", { timeout: 120_000 }, () => {
  it.each(transitions)("leaves all of it or nothing: $name", async (transition) => {
    // What a killed process leaves behind is what its files hold at that moment.
    const images: string[] = [];
    let takesImages = false;
    await using world = await openWorld("sqlite", () => {
      if (takesImages) images.push(copyOf(world.url));
    });
    await registerGuide(world, world.projectId);
    const { sessionId, act } = await transition.prepare(world);
    takesImages = true;
    await act(world.storage);
    takesImages = false;
    images.push(copyOf(world.url));
    expect(images.length).toBeGreaterThan(2);
    for (const image of images) {
      await using opened = await openImage(world, image);
      await expectGoesOn(opened, sessionId);
    }
  });
});

function copyOf(url: string): string {
  const file = url.slice("file:".length);
  const folder = mkdtempSync(join(tmpdir(), "wheelhouse-image-"));
  for (const suffix of ["", "-wal"])
    if (existsSync(file + suffix)) copyFileSync(file + suffix, join(folder, `image.db${suffix}`));
  return folder;
}

async function openImage(world: World, folder: string): Promise<ContractWorld> {
  const { clock, newId } = world;
  const url = `file:${join(folder, "image.db")}`;
  const { storage, models } = await openStorage({ url, clock, newId, onError: () => undefined });
  return {
    ...world,
    storage,
    models,
    async [Symbol.asyncDispose]() {
      await storage[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true });
    },
  };
}
