import { describe, expect, it } from "vitest";
import { parseDatabaseUrl } from "./database-url.ts";

describe("parseDatabaseUrl", () => {
  it("knows memory, files and PostgreSQL", () => {
    expect(parseDatabaseUrl("memory:")).toEqual({ kind: "memory" });
    expect(parseDatabaseUrl("file:./a/b.db")).toEqual({ kind: "sqlite", file: "./a/b.db" });
    expect(parseDatabaseUrl("postgresql://u@h/d?schema=two")).toEqual({
      kind: "postgres",
      url: "postgresql://u@h/d",
      schema: "two",
    });
    expect(parseDatabaseUrl("postgres://u@h/d?schema=two", "three")).toMatchObject({ schema: "three" });
    expect(parseDatabaseUrl("postgres://u@h/d")).toMatchObject({ schema: "public" });
  });

  it.each(["mysql://h/d", "file:", "", "postgres://h/d?schema=A-B", `postgres://h/d?schema=${"a".repeat(48)}`])(
    "refuses %j",
    (url) => {
      expect(() => parseDatabaseUrl(url)).toThrow();
    },
  );
});
