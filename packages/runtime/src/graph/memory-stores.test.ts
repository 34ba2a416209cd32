import { type BaseStore, InMemoryStore } from "@langchain/langgraph-checkpoint";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { ScopedStore } from "./scoped-store.ts";
import { SqliteStore } from "./sqlite-store.ts";

const clock = { now: () => new Date("2026-01-01T00:00:00Z") };
const sqlite = () => new SqliteStore(new Database(":memory:"), clock);
const stores: [string, () => BaseStore][] = [
  ["LangGraph's own in memory, as the measure", () => new InMemoryStore()],
  ["SQLite", sqlite],
  ["SQLite as one scope sees it", () => new ScopedStore(sqlite(), { project: "p" })],
];

describe.each(stores)("a memory store: %s", (_name, open) => {
  it("gives back what was put, and forgets what was deleted", async () => {
    const store = open();
    await store.put(["users", "ann"], "likes", { food: "soup", n: 1 });
    expect(await store.get(["users", "ann"], "likes")).toMatchObject({
      namespace: ["users", "ann"],
      key: "likes",
      value: { food: "soup", n: 1 },
    });
    await store.put(["users", "ann"], "likes", { food: "bread" });
    expect((await store.get(["users", "ann"], "likes"))?.value).toEqual({ food: "bread" });
    await store.delete(["users", "ann"], "likes");
    expect(await store.get(["users", "ann"], "likes")).toBeNull();
    expect(await store.get(["users"], "likes")).toBeNull();
  });

  it("searches a namespace and those below it, not those that begin alike", async () => {
    const store = open();
    await store.put(["notes"], "a", { n: 1 });
    await store.put(["notes", "deep"], "b", { n: 2 });
    await store.put(["notes-else"], "c", { n: 3 });
    const keys = async (options?: Parameters<BaseStore["search"]>[1]) =>
      (await store.search(["notes"], options)).map((item) => item.key).sort();
    expect(await keys()).toEqual(["a", "b"]);
    expect(await keys({ filter: { n: 2 } })).toEqual(["b"]);
    expect(await keys({ filter: { n: { $gt: 1 } } })).toEqual(["b"]);
    expect(await keys({ limit: 1 })).toHaveLength(1);
    expect(await keys({ offset: 2 })).toEqual([]);
  });

  it("lists namespaces by prefix, suffix and depth", async () => {
    const store = open();
    for (const path of [
      ["a", "x"],
      ["a", "y", "z"],
      ["b", "x"],
    ])
      await store.put(path, "k", {});
    const list = async (options?: Parameters<BaseStore["listNamespaces"]>[0]) =>
      (await store.listNamespaces(options)).map((path) => path.join("/")).sort();
    expect(await list()).toEqual(["a/x", "a/y/z", "b/x"]);
    expect(await list({ prefix: ["a"] })).toEqual(["a/x", "a/y/z"]);
    expect(await list({ suffix: ["x"] })).toEqual(["a/x", "b/x"]);
    expect(await list({ maxDepth: 1 })).toEqual(["a", "b"]);
  });
});

describe("a scoped store", () => {
  it("never shows one scope what another put", async () => {
    const inner = sqlite();
    const ann = new ScopedStore(inner, { project: "p", user: "ann" });
    const bob = new ScopedStore(inner, { project: "p", user: "bob" });
    await ann.put(["notes"], "secret", { text: "mine" });
    expect(await bob.get(["notes"], "secret")).toBeNull();
    expect(await bob.search([])).toEqual([]);
    expect(await bob.listNamespaces()).toEqual([]);
    expect((await ann.search([])).map((item) => item.namespace)).toEqual([["notes"]]);
    await bob.delete(["notes"], "secret");
    expect(await ann.get(["notes"], "secret")).not.toBeNull();
  });

  it("keeps labels with any character apart", async () => {
    const store = new ScopedStore(sqlite(), { project: "p" });
    await store.put(['a","b'], "k", { n: 1 });
    expect(await store.get(["a", "b"], "k")).toBeNull();
    expect(await store.search(["a"])).toEqual([]);
  });
});
