import { type Authority, isSubset, type Scope } from "@wheelhouse/domain";
import { digestOf, scopeKeyOf } from "@wheelhouse/domain/digest";
import { describe, expect, it } from "vitest";
import type { ConfigDraft, ConfigPut } from "../configuration.ts";
import type { ContractWorld, OpenContractWorld } from "./contract-world.ts";
import { rangeTo, submit, useWorld } from "./sample-work.ts";

/** One write, kept. */
export const inDraft = <T>(world: ContractWorld, caller: Authority, work: (draft: ConfigDraft) => Promise<T>) =>
  world.storage.config.change(caller, async (draft) => ({ keep: true, answer: await work(draft) }));

/** A definition to write: an agent at the project, unless it is said otherwise. */
export function configPut(world: ContractWorld, more: Partial<ConfigPut> = {}): ConfigPut {
  const { kind = "AGENT", name = `agent-${world.newId()}`, definition = { systemPrompt: "Be kind" } } = more;
  return {
    ...{ kind, name, scope: { project: "acme" }, definition, digest: digestOf(definition) },
    agent: kind === "AGENT" ? { displayName: "Agent", description: null, inputSchema: null, outputSchema: null } : null,
    ...{ references: [], reason: null, at: world.clock.now(), ...more },
  };
}

/** Writes and insists that it was taken. */
export async function putOf(world: ContractWorld, write: ConfigPut, caller = world.authority()) {
  const done = await inDraft(world, caller, (draft) => draft.put(write));
  if (done.outcome !== "put") throw new Error(`The definition was not written: ${done.outcome}`);
  return done;
}

/** Definitions with their revisions, changes and audit entries. */
export function configuringContract(openWorld: OpenContractWorld): void {
  describe("definitions", () => {
    const world = useWorld(openWorld);
    const reads = (caller = world().authority()) => world().storage.config.reads(caller);

    it("are written with their revision, change, audit entry and agent, all or nothing", async () => {
      const write = configPut(world(), { reason: "first" });
      const { entity, change } = await putOf(world(), write);
      const second = { ...write, definition: { systemPrompt: "Be brief" }, digest: "d2", expectedRevision: 1 };
      const { entity: later } = await putOf(world(), second);
      expect([entity.revision, later.revision, later.id]).toEqual([1, 2, entity.id]);
      const { models } = world();
      const revisions = await models.configRevision.findMany({ where: { entityId: entity.id } });
      expect(revisions.map(({ definition, reason }) => [definition, reason])).toEqual([
        [{ systemPrompt: "Be kind" }, "first"],
        [{ systemPrompt: "Be brief" }, "first"],
      ]);
      expect(change).toMatchObject({ operation: "CREATED", revision: 1, name: write.name });
      expect(await models.agent.findFirst({ where: { configEntityId: entity.id } })).toMatchObject({
        ...{ name: write.name, source: "API", scopeKey: scopeKeyOf(write.scope), removedAt: null },
      });
      const entries = await models.auditEntry.findMany({
        where: { subjectId: entity.id },
        orderBy: { position: "asc" },
      });
      expect(entries.map(({ action, actorId, reason }) => [action, actorId, reason])).toEqual([
        ["config.created", "user-1", "first"],
        ["config.updated", "user-1", "first"],
      ]);
      expect(entries[1]?.before).toMatchObject({ revision: 1, definition: { systemPrompt: "Be kind" } });
      expect(entries[1]?.prevHash).toBe(entries[0]?.hash);
    });

    it("leave nothing behind when they are not kept, whether by a word or by an error", async () => {
      const position = await world().storage.config.position(world().projectId);
      const write = configPut(world());
      const seen = await world().storage.config.change(world().authority(), async (draft) => {
        const { outcome } = await draft.put(write);
        return { keep: false, answer: [outcome, (await draft.entity(write))?.revision] };
      });
      expect(seen).toEqual(["put", 1]);
      const failing = world().storage.config.change(world().authority(), async (draft) => {
        await draft.put(write);
        throw new Error("changed my mind");
      });
      await expect(failing).rejects.toThrow("changed my mind");
      expect(await reads().entity(write)).toBeNull();
      expect(await world().models.configRevision.count({ where: { entity: { name: write.name } } })).toBe(0);
      expect(await world().models.agent.count({ where: { name: write.name } })).toBe(0);
      expect(await world().storage.config.position(world().projectId)).toBe(position);
    });

    it("are refused when they are not what the writer thinks, with what they are", async () => {
      const write = configPut(world());
      await putOf(world(), write);
      const put = (more: Partial<ConfigPut>) =>
        inDraft(world(), world().authority(), (draft) => draft.put({ ...write, digest: "other", ...more }));
      expect(await put({ createOnly: true })).toMatchObject({ outcome: "conflict", current: { revision: 1 } });
      expect(await put({ expectedRevision: 7 })).toMatchObject({ outcome: "conflict", current: { revision: 1 } });
      expect(await put({ name: "nobody", expectedRevision: 1 })).toEqual({ outcome: "notFound" });
      const gone = { ...write, expectedRevision: 2 };
      expect(await inDraft(world(), world().authority(), (draft) => draft.delete(gone))).toMatchObject({
        ...{ outcome: "conflict", current: { revision: 1 } },
      });
    });

    it("stay at their revision when nothing is different", async () => {
      const write = configPut(world());
      await putOf(world(), write);
      expect(await putOf(world(), write)).toMatchObject({ change: null, entity: { revision: 1 } });
      expect(await putOf(world(), { ...write, enabled: false })).toMatchObject({
        entity: { revision: 2, enabled: false },
      });
      expect(await world().models.agent.findFirst({ where: { name: write.name } })).toMatchObject({
        removedAt: expect.any(Date),
      });
    });

    it("keep their history when they are deleted, and go on with it when they come back", async () => {
      const write = configPut(world());
      const { entity } = await putOf(world(), write);
      const by = {
        by: "new",
        create: { id: world().newId(), threadId: world().newId(), title: null, metadata: {} },
      } as const;
      await submit(world(), { agentName: write.name, session: by });
      const gone = await inDraft(world(), world().authority(), (draft) => draft.delete(write));
      expect(gone).toMatchObject({ outcome: "deleted", change: { operation: "DELETED", revision: null } });
      expect(await reads().entity(write)).toBeNull();
      expect(await reads().candidates(write.scope, [write])).toEqual([]);
      expect(await reads().revision(write, 1)).toMatchObject({ definition: write.definition });
      await expect(submit(world(), { agentName: write.name })).rejects.toThrow(/agentNotFound/);
      expect(await world().models.session.findUnique({ where: { id: by.create.id } })).not.toBeNull();
      expect(await inDraft(world(), world().authority(), (draft) => draft.delete(write))).toEqual({
        outcome: "notFound",
      });
      const back = await putOf(world(), { ...write, createOnly: true });
      expect(back).toMatchObject({
        before: null,
        entity: { id: entity.id, revision: 2 },
        change: { operation: "CREATED" },
      });
      await submit(world(), { agentName: write.name });
    });

    it("do not give their agent's row to a file of the same name", async () => {
      const write = configPut(world());
      const { entity } = await putOf(world(), write);
      const file = { name: write.name, displayName: "From a file", description: null, source: "FILE" } as const;
      const schemas = { inputSchema: null, outputSchema: null, graph: null, at: world().clock.now() };
      await world().storage.agents.register(world().projectId, { ...file, ...schemas });
      const row = () => world().models.agent.findFirstOrThrow({ where: { name: write.name } });
      expect(await row()).toMatchObject({ source: "API", displayName: "Agent" });
      await inDraft(world(), world().authority(), (draft) => draft.delete(write));
      await world().storage.agents.register(world().projectId, { ...file, ...schemas });
      expect(await row()).toMatchObject({ source: "FILE", removedAt: null, configEntityId: null });
      await world().storage.agents.draw(world().projectId, {
        ...{ configEntityId: entity.id, revision: 1, graph: { nodes: [] }, at: world().clock.now() },
      });
      expect((await row()).graph).toBeNull();
    });

    it("are found at every part of a scope and nowhere else, whatever scope has the same key", async () => {
      const whole: Scope = { project: "acme", team: "t", user: "u", zone: "z" };
      const scopes: Scope[] = [
        ...[{}, { project: "acme" }, { project: "acme", team: "t" }, { user: "u" }, { team: "t", zone: "z" }, whole],
        ...[
          { project: "acme", team: "other" },
          { ...whole, more: "m" },
          { project: "acme", user: "u-2" },
        ],
      ];
      const name = `tool-${world().newId()}`;
      for (const scope of scopes) await putOf(world(), configPut(world(), { kind: "TOOL", name, scope, digest: "d" }));
      await putOf(world(), configPut(world(), { kind: "TOOL", name: `${name}-2`, scope: { user: "u" } }));
      for (const scope of scopes) {
        const found = await reads().candidates(scope, [{ kind: "TOOL", name }]);
        const expected = scopes.filter((part) => isSubset(part, scope));
        expect(found.map((entity) => scopeKeyOf(entity.scope)).sort()).toEqual(expected.map(scopeKeyOf).sort());
      }
      const names = [
        { kind: "TOOL", name: `${name}-2` },
        { kind: "SKILL", name },
      ] as const;
      expect((await reads().candidates(whole, names)).map((entity) => entity.name)).toEqual([`${name}-2`]);
      const wrong = { name, scopeKey: scopeKeyOf({ user: "u" }) };
      await world().models.configEntity.updateMany({ where: wrong, data: { scope: { user: "somebody" } } });
      const left = await reads().candidates({ user: "u" }, [{ kind: "TOOL", name }]);
      expect(left.map(({ scope }) => scope)).toEqual([{}]);
    });

    it("apply in the revision of the label that they are pinned to", async () => {
      const write = configPut(world(), { kind: "TOOL", definition: { n: 1 } });
      await putOf(world(), write);
      const on = { ...write, reason: null };
      const label = (more: { label: string; revision: number | null }) =>
        inDraft(world(), world().authority(), (draft) => draft.label({ ...on, references: null, ...more }));
      const pin = (name: string | null) =>
        inDraft(world(), world().authority(), (draft) => draft.pin({ ...on, label: name, references: [] }));
      expect(await label({ label: "production", revision: 9 })).toEqual({ outcome: "notFound", what: "revision" });
      expect(await pin("production")).toEqual({ outcome: "notFound", what: "label" });
      expect(await label({ label: "production", revision: 1 })).toMatchObject({ change: { operation: "LABELLED" } });
      expect(await pin("production")).toMatchObject({ outcome: "labelled" });
      await putOf(world(), { ...write, definition: { n: 2 }, digest: "d2" });
      const applied = async () => (await reads().candidates(write.scope, [write])).map(({ definition }) => definition);
      expect(await applied()).toEqual([{ n: 1 }]);
      expect((await reads().entity(write))?.definition).toEqual({ n: 2 });
      expect(await label({ label: "production", revision: null })).toEqual({ outcome: "pinned" });
      await label({ label: "production", revision: 2 });
      expect(await applied()).toEqual([{ n: 2 }]);
      expect(await reads().labels(write)).toMatchObject([{ label: "production", revision: 2 }]);
      await pin(null);
      expect(await label({ label: "production", revision: null })).toMatchObject({ outcome: "labelled" });
      expect(await label({ label: "production", revision: null })).toEqual({ outcome: "notFound", what: "label" });
    });

    it("are found by what they name now", async () => {
      const tool = { kind: "TOOL", name: `tool-${world().newId()}` } as const;
      const write = configPut(world(), { references: [{ path: "tools[0]", ...tool }] });
      await putOf(world(), write);
      const users = async () => (await reads().namedBy([tool], 10)).map(({ entity, path }) => [entity.name, path]);
      expect(await users()).toEqual([[write.name, "tools[0]"]]);
      await putOf(world(), { ...write, digest: "d2", references: [] });
      expect(await users()).toEqual([]);
      await putOf(world(), { ...write, digest: "d3" });
      await inDraft(world(), world().authority(), (draft) => draft.delete(write));
      expect(await users()).toEqual([]);
    });

    it("are listed by kind, name and scope, from any place on, by what is in their names", async () => {
      const word = `listed-${world().newId()}`;
      const names = ["b", "a_", "a%", "c"].map((end) => `${word}-${end}`);
      for (const name of names) await putOf(world(), configPut(world(), { kind: "SKILL", name }));
      await putOf(world(), configPut(world(), { kind: "TOOL", name: `${word}-a_` }));
      await inDraft(world(), world().authority(), (draft) =>
        draft.delete({
          kind: "SKILL",
          name: names[3] ?? "",
          scope: { project: "acme" },
          reason: null,
          at: world().clock.now(),
        }),
      );
      const all = await reads().list({ text: word.toUpperCase() }, { after: null, limit: 10 });
      expect(all.map(({ kind, name }) => `${kind} ${name}`).sort()).toEqual(
        [...names.slice(0, 3).map((name) => `SKILL ${name}`), `TOOL ${word}-a_`].sort(),
      );
      for (const [i, after] of all.entries())
        expect(await reads().list({ text: word }, { after, limit: 10 })).toEqual(all.slice(i + 1));
      expect(await reads().count({ text: word }, 10)).toBe(4);
      expect(await reads().count({ text: word }, 2)).toBe(2);
      expect(await reads().count({ text: "a_", kind: "SKILL" }, 10)).toBe(1);
    });

    it("are written by a caller of an exact scope at that scope only", async () => {
      const scope = { project: "acme", user: "u-9" };
      const own = world().authority({ reach: "EXACT", scope });
      const put = (at: Scope) =>
        inDraft(world(), own, (draft) => draft.put(configPut(world(), { kind: "TOOL", scope: at })));
      expect(await put(scope)).toMatchObject({ outcome: "put" });
      const others: Scope[] = [{ project: "acme" }, {}, { project: "acme", user: "u-8" }, { ...scope, tab: "1" }];
      for (const other of others) expect(await put(other)).toEqual({ outcome: "notFound" });
    });
  });

  describe("the feed of definitions", () => {
    const world = useWorld(openWorld);

    it("has every change once, in pages, from any place on", async () => {
      const { config } = world().storage;
      const before = await config.position(world().projectId);
      for (const _ of rangeTo(5)) await putOf(world(), configPut(world()));
      const read = (after: number, limit: number) => config.changes(world().authority(), { after, limit });
      const all = await read(before, 100);
      expect(all.changes.map(({ position }) => position - before)).toEqual([1, 2, 3, 4, 5]);
      expect(all).toMatchObject({ caughtUp: true, scannedTo: before + 5, ahead: false });
      const first = await read(before, 2);
      expect(first).toMatchObject({ caughtUp: false, scannedTo: before + 2 });
      expect((await read(first.scannedTo, 10)).changes).toEqual(all.changes.slice(2));
      expect(await read(before + 99, 10)).toMatchObject({ changes: [], ahead: true });
    });

    it("wakes listeners of this process before the writer has its answer", async () => {
      const heard: string[] = [];
      const { wakeUps } = world().storage;
      const stops = rangeTo(3).map((n) => wakeUps.onConfig(world().projectId, () => heard.push(`listener ${n}`)));
      stops.push(wakeUps.onConfig(world().otherProjectId, () => heard.push("somebody else")));
      await putOf(world(), configPut(world())).then(() => heard.push("answer"));
      expect(heard).toEqual(["listener 1", "listener 2", "listener 3", "answer"]);
      for (const stop of stops) stop();
    });
  });
}
