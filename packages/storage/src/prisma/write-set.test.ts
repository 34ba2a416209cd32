import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compilePostgres, compileSqlite, sqliteValue, storable, storableJsonText } from "./write-set.ts";

describe("storableJsonText", () => {
  it("replaces NUL and lone surrogates, in keys too, and leaves what looks like their escapes", () => {
    expect(JSON.parse(storableJsonText({ "a\0": ["\uD800x", "😀", "\\u0000"] }))).toEqual({
      "a\uFFFD": ["\uFFFDx", "😀", "\\u0000"],
    });
  });

  it("gives text that PostgreSQL takes, and the same value where nothing had to be replaced", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = storableJsonText(value);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(/\\u0000|[\ud800-\udbff](?![\udc00-\udfff])/.test(text)).toBe(false);
      }),
    );
  });

  it("takes nothing for null", () => expect(storableJsonText(undefined)).toBe("null"));
});

describe("storable", () => {
  it("gives the same text back when there is nothing to change", () => {
    expect(storable("plain 👍")).toBe("plain 👍");
    expect(storable("a\0\uDC00")).toBe("a\uFFFD\uFFFD");
  });
});

describe("compiled writes", () => {
  const insert = { op: "insert", table: "tasks", rows: [{ id: "t", input: null }] } as const;
  const update = { op: "update", table: "runs", rows: [{ id: "r", status: "FAILED" }] } as const;

  const enqueue = (n: number) => `SELECT enqueue($${n})`;

  it("dispatch runs on PostgreSQL, where somebody reads the call so that it happens, and nothing on SQLite", () => {
    const dispatch = { op: "dispatch", rows: [{ id: "r" }] } as const;
    const { sql, params } = compilePostgres([update, dispatch], enqueue);
    expect(sql).toMatch(/, w2 AS \(SELECT enqueue\(\$2\)\) SELECT \(SELECT count\(\*\) FROM w2\)$/);
    expect(params[1]).toBe('[{"id":"r"}]');
    expect(compilePostgres([dispatch], enqueue).sql).toBe("SELECT enqueue($1)");
  });

  it("are one statement on PostgreSQL, with one parameter per write", () => {
    const { sql, params } = compilePostgres([insert, update], enqueue);
    expect(sql).toMatch(
      /^WITH w1 AS \(INSERT INTO tasks .*'null'::jsonb.*\), w2 AS \(UPDATE runs t SET status = v.status/,
    );
    expect(params).toEqual(['[{"id":"t","input":null}]', '[{"id":"r","status":"FAILED"}]']);
  });

  it("are a text with placeholders on SQLite", () => {
    expect(compileSqlite(update).sql).toBe("UPDATE runs SET status = ? WHERE id = ?");
    expect(compileSqlite(insert).columns.map(({ name }) => name)).toEqual(["id", "input"]);
  });

  it("know the columns they may write", () => {
    expect(() => compileSqlite({ op: "update", table: "runs", rows: [{ id: "r", colour: "red" }] })).toThrow(/colour/);
  });
});

describe("sqliteValue", () => {
  it("writes values as Prisma's adapter does", () => {
    expect(sqliteValue(new Date("2026-01-02T03:04:05.678Z"), "time")).toBe("2026-01-02T03:04:05.678+00:00");
    expect(sqliteValue(null, "json!")).toBe("null");
    expect(sqliteValue(null, "json")).toBeNull();
    expect(sqliteValue({ a: 1 }, "json")).toBe('{"a":1}');
  });
});
