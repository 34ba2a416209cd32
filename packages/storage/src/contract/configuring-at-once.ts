import { describe, expect, it } from "vitest";
import { configPut, inDraft, putOf } from "./configuring.ts";
import type { OpenContractWorld } from "./contract-world.ts";
import { rangeTo, useWorld } from "./sample-work.ts";

/** Several writers at the same definitions, in one process and in two. */
export function configuringAtOnceContract(openWorld: OpenContractWorld): void {
  describe("definitions with several writers", () => {
    const world = useWorld(openWorld);

    it("take exactly one of several writers that all read the same revision", async () => {
      const write = configPut(world());
      await putOf(world(), write);
      const second = (await world().openSecond()) ?? world().storage;
      const put = (n: number) =>
        (n % 2 === 0 ? world().storage : second).config.change(world().authority(), async (draft) => ({
          keep: true,
          answer: await draft.put({ ...write, digest: `d${n}`, definition: { n }, expectedRevision: 1 }),
        }));
      const outcomes = await Promise.all(rangeTo(8).map(put));
      const [won] = outcomes.filter(({ outcome }) => outcome === "put");
      const lost = outcomes.filter(({ outcome }) => outcome === "conflict");
      expect(lost).toHaveLength(7);
      const winner = won?.outcome === "put" ? won.entity.definition : null;
      for (const each of lost) expect(each).toMatchObject({ current: { revision: 2, definition: winner } });
      expect(await world().models.configRevision.count({ where: { entity: { name: write.name } } })).toBe(2);
    });

    it("give their changes places without a gap, so that a reader at any moment misses none", async () => {
      const second = (await world().openSecond()) ?? world().storage;
      const start = await world().storage.config.position(world().projectId);
      const names = rangeTo(30).map((n) => `many-${n}-${world().newId()}`);
      let writing = true;
      const writers = Promise.all(
        names.map((name, i) =>
          (i % 2 === 0 ? world().storage : second).config.change(world().authority(), async (draft) => ({
            keep: true,
            answer: await draft.put(configPut(world(), { kind: "TOOL", name })),
          })),
        ),
      ).finally(() => {
        writing = false;
      });
      const seen: { position: number; name: string }[] = [];
      for (let after = start, last = false; !last; ) {
        last = !writing;
        const page = await world().storage.config.changes(world().authority(), { after, limit: 100 });
        seen.push(...page.changes);
        after = page.scannedTo;
        await new Promise((resolve) => setImmediate(resolve));
      }
      await writers;
      expect(seen.map(({ position }) => position - start)).toEqual(rangeTo(30));
      expect(seen.map(({ name }) => name).sort()).toEqual(names.sort());
    });

    it("link their audit entries, each to the one before", async () => {
      await Promise.all(rangeTo(5).map(() => putOf(world(), configPut(world(), { kind: "SKILL" }))));
      const entries = await world().models.auditEntry.findMany({
        where: { chain: world().projectId },
        orderBy: { position: "asc" },
      });
      expect(entries.map(({ position }) => position)).toEqual(rangeTo(entries.length));
      expect(entries.map(({ prevHash }) => prevHash)).toEqual([null, ...entries.slice(0, -1).map(({ hash }) => hash)]);
    });

    it("wake listeners of another process", async () => {
      const second = await world().openSecond();
      if (second === null) return;
      const heard = new Promise<void>((resolve) => second.wakeUps.onConfig(world().projectId, resolve));
      await inDraft(world(), world().authority(), (draft) => draft.put(configPut(world())));
      await heard;
    });
  });
}
