import { randomUUID } from "node:crypto";
import { type BaseStore, InMemoryStore } from "@langchain/langgraph-checkpoint";
import { PostgresStore } from "@langchain/langgraph-checkpoint-postgres/store";
import type { Scope } from "@wheelhouse/domain";
import { scopeKeyOf } from "@wheelhouse/domain/digest";
import Database from "better-sqlite3";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ScopedStore } from "./scoped-store.ts";
import { SqliteStore } from "./sqlite-store.ts";

interface Place {
  store: BaseStore;
  close(): Promise<void>;
}

const server = process.env.TEST_POSTGRES_URL;

async function postgres(address: string): Promise<Place> {
  const schema = `store_${randomUUID().replaceAll("-", "")}`;
  const store = new PostgresStore({ connectionOptions: { connectionString: address }, schema, ensureTables: false });
  await store.setup();
  const close = async () => {
    await store.stop();
    const client = new pg.Client({ connectionString: address });
    await client.connect();
    await client.query(`DROP SCHEMA "${schema}" CASCADE`);
    await client.end();
  };
  return { store, close };
}

const places: [string, () => Promise<Place>][] = [
  ["memory", async () => ({ store: new InMemoryStore(), close: async () => {} })],
  [
    "SQLite",
    async () => ({
      store: new SqliteStore(new Database(":memory:"), { now: () => new Date("2026-01-01T00:00:00Z") }),
      close: async () => {},
    }),
  ],
  ...(server === undefined ? [] : [["PostgreSQL", () => postgres(server)] satisfies [string, () => Promise<Place>]]),
];

const owner: Scope = { project: "p", user: "ann" };
const strangers: Record<string, Scope> = {
  "a sibling": { project: "p", user: "bob" },
  "a part of the scope": { project: "p" },
  "a longer scope": { project: "p", user: "ann", tab: "1" },
  "an empty scope": {},
  "another project": { project: "q", user: "ann" },
};

/** Ways to name the owner's namespace from inside another scope. */
const escapes: string[][] = [
  ["notes"],
  ["wheelhouse", scopeKeyOf(owner), "notes"],
  ["..", scopeKeyOf(owner), "notes"],
  [`..:${scopeKeyOf(owner)}:notes`],
  ["*", "notes"],
  ["%", "notes"],
  ["_"],
  [],
];

/** Every method of the store, on a namespace of the caller's choice. What it answers must be nothing. */
const methods: Record<string, (store: BaseStore, namespace: string[]) => Promise<unknown>> = {
  get: (store, namespace) => store.get(namespace, "secret"),
  search: (store, namespace) => store.search(namespace, { limit: 100 }),
  searchText: (store, namespace) => store.search(namespace, { query: "mine", filter: { text: "mine" } }),
  listNamespaces: (store, namespace) => store.listNamespaces({ prefix: namespace, limit: 100 }),
  listEnds: (store, namespace) => store.listNamespaces({ suffix: namespace, maxDepth: 1 }),
  batch: (store, namespace) =>
    store.batch([
      { namespace, key: "secret" },
      { namespacePrefix: namespace, limit: 100, offset: 0 },
      { matchConditions: [{ matchType: "prefix", path: namespace }], limit: 100, offset: 0 },
    ]),
  // One kind of operation on the outside, another one to a store that looks at other fields first.
  twoFaced: (store, namespace) => {
    const foreign = ["wheelhouse", scopeKeyOf(owner), "notes"];
    const shapes = [
      { namespacePrefix: namespace, namespace: foreign, key: "secret", value: { text: "stolen" } },
      { namespacePrefix: namespace, namespace: foreign, key: "secret", value: null },
      { namespacePrefix: namespace, namespace: foreign, key: "secret" },
      { matchConditions: [], limit: 100, offset: 0, namespacePrefix: foreign },
    ];
    return store.batch(shapes);
  },
  // These last: LangGraph's own store goes on to list a namespace from which something was deleted.
  delete: (store, namespace) => store.delete(namespace, "secret"),
  put: async (store, namespace) => {
    await store.batch([{ namespace, key: "secret", value: { text: "stolen" } }]);
    return store.batch([{ namespace, key: "secret", value: null }]);
  },
};

const nothing = [null, undefined, [], [null, [], []], [[], [], [], []], [null], [undefined]];

describe.each(places)("memory in %s, as a scope sees it", (_name, open) => {
  let place: Place;
  const as = (scope: Scope) => new ScopedStore(place.store, scope);
  beforeAll(async () => {
    place = await open();
    await as(owner).put(["notes"], "secret", { text: "mine" });
    await as(owner).put(["notes", "deep"], "other", { text: "mine" });
  });
  afterAll(() => place.close());

  for (const [stranger, scope] of Object.entries(strangers))
    for (const [name, call] of Object.entries(methods))
      it(`${name} finds nothing for ${stranger} and changes nothing`, async () => {
        for (const namespace of escapes) {
          // Stores refuse some namespaces; a refusal shows nothing either.
          const answer = await call(as(scope), namespace).catch(() => null);
          expect(nothing, `${name} of ${JSON.stringify(namespace)}`).toContainEqual(answer);
        }
        expect((await as(owner).get(["notes"], "secret"))?.value).toEqual({ text: "mine" });
        expect(await as(scope).search([], { limit: 100 })).toEqual([]);
      });

  it("shows the owner what is its own, by every method", async () => {
    const mine = as(owner);
    expect((await mine.get(["notes"], "secret"))?.namespace).toEqual(["notes"]);
    expect((await mine.search(["notes"])).map((item) => item.key).sort()).toEqual(["other", "secret"]);
    expect(await mine.listNamespaces({ prefix: ["notes"] })).toEqual(
      expect.arrayContaining([["notes"], ["notes", "deep"]]),
    );
  });

  it("keeps namespaces apart that begin alike, and takes any label", async () => {
    const mine = as({ project: "labels" });
    const paths = [["a"], ["a-b"], ["a", "b"], ["a_b"], ["ä 😀"], ["A"]];
    for (const path of paths) await mine.put(path, "k", { at: path.join("/") });
    for (const path of paths) expect((await mine.get(path, "k"))?.value).toEqual({ at: path.join("/") });
    const below = async (path: string[]) => (await mine.search(path)).map((item) => item.namespace.join("/")).sort();
    expect(await below(["a"])).toEqual(["a", "a/b"]);
    expect(await below(["a_b"])).toEqual(["a_b"]);
    expect((await mine.listNamespaces()).map((path) => path.join("/")).sort()).toEqual(
      paths.map((path) => path.join("/")).sort(),
    );
    expect(await mine.listNamespaces({ maxDepth: 1, prefix: ["a"] })).toEqual([["a"]]);
    expect(await mine.listNamespaces({ prefix: ["*", "b"] })).toEqual([["a", "b"]]);
    expect(await mine.listNamespaces({ suffix: ["b"] })).toEqual([["a", "b"]]);
  });
});
