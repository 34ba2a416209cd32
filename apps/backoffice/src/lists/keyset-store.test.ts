import { describe, expect, it, vi } from "vitest";
import { createKeysetStore, type KeysetPage } from "./keyset-store.ts";

interface Row {
  id: string;
}

const page = (ids: string[], hasMore: boolean): KeysetPage<Row> => ({
  rows: ids.map((id) => ({ id })),
  endCursor: ids.at(-1) ?? null,
  hasMore,
  totalCount: 5,
  totalCountIsExact: true,
});

/** A server whose answers are given by hand. */
function server() {
  const asked: { after: string | null; answer: (page: KeysetPage<Row>) => void; fail: (error: Error) => void }[] = [];
  const fetchPage = (after: string | null) =>
    new Promise<KeysetPage<Row>>((answer, fail) => {
      asked.push({ after, answer, fail });
    });
  return { asked, store: createKeysetStore(fetchPage) };
}

const ids = (rows: readonly Row[]) => rows.map((row) => row.id);

describe("createKeysetStore", () => {
  it("reads page after page, each once", async () => {
    const { asked, store } = server();
    store.load();
    store.load();
    expect(asked).toHaveLength(1);
    asked[0]?.answer(page(["a", "b"], true));
    await vi.waitFor(() => expect(store.get().phase).toBe("ready"));
    store.loadMore();
    store.loadMore();
    expect(asked).toHaveLength(2);
    expect(asked[1]?.after).toBe("b");
    asked[1]?.answer(page(["b", "c"], false));
    await vi.waitFor(() => expect(store.get().phase).toBe("ready"));
    expect(ids(store.get().rows)).toEqual(["a", "b", "c"]);
    store.loadMore();
    expect(asked).toHaveLength(2);
  });

  it("keeps its rows when a further page fails, and can ask again", async () => {
    const { asked, store } = server();
    store.load();
    asked[0]?.answer(page(["a"], true));
    await vi.waitFor(() => expect(store.get().phase).toBe("ready"));
    store.loadMore();
    asked[1]?.fail(new Error("gone"));
    await vi.waitFor(() => expect(store.get().phase).toBe("failed"));
    expect(ids(store.get().rows)).toEqual(["a"]);
    store.loadMore();
    expect(asked[2]?.after).toBe("a");
  });

  it("ignores the answer to a question that a reload made stale", async () => {
    const { asked, store } = server();
    store.load();
    asked[0]?.answer(page(["a"], true));
    await vi.waitFor(() => expect(store.get().phase).toBe("ready"));
    store.loadMore();
    store.reload();
    asked[2]?.answer(page(["z"], false));
    await vi.waitFor(() => expect(store.get().phase).toBe("ready"));
    asked[1]?.answer(page(["b"], true));
    await Promise.resolve();
    expect(ids(store.get().rows)).toEqual(["z"]);
  });
});
