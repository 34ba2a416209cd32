import { describe, expect, it, vi } from "vitest";
import { createConnectionStore } from "./connection.ts";

describe("createConnectionStore", () => {
  it("is idle without readers and as good as the worst of them", () => {
    const store = createConnectionStore();
    expect(store.get()).toBe("idle");
    const list = store.register();
    const log = store.register();
    list.set("live");
    expect(store.get()).toBe("connecting");
    log.set("catching-up");
    expect(store.get()).toBe("catching-up");
    log.set("live");
    expect(store.get()).toBe("live");
    list.set("reconnecting");
    expect(store.get()).toBe("reconnecting");
    list.end();
    expect(store.get()).toBe("live");
    log.end();
    expect(store.get()).toBe("idle");
  });

  it("is offline while the browser is, and tells only of changes", () => {
    const store = createConnectionStore();
    const seen = vi.fn();
    store.subscribe(seen);
    const reader = store.register();
    reader.set("live");
    reader.set("live");
    expect(seen).toHaveBeenCalledTimes(2);
    store.setOnline(false);
    expect(store.get()).toBe("offline");
    reader.set("reconnecting");
    expect(store.get()).toBe("offline");
    store.setOnline(true);
    expect(store.get()).toBe("reconnecting");
  });

  it("ignores a reader that ended", () => {
    const store = createConnectionStore();
    const reader = store.register();
    reader.end();
    reader.set("live");
    expect(store.get()).toBe("idle");
  });
});
