import { readdirSync, readFileSync } from "node:fs";
import { applyMigrations, schemaState } from "@wheelhouse/storage/prisma";
import SqliteHandle from "better-sqlite3";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { enumeratedColumns, fillFactors, partialIndexes } from "../../prisma/hand-finished.ts";
import { type FreshDatabase, freshDatabase } from "../worlds/fresh-database.ts";
import { postgresSchema, type Schema, sqliteSchema } from "./introspect.ts";
import { enumeratedInModels } from "./models.ts";
import { commandDeadline, migrateCommand } from "./prisma-command.ts";

const fileOf = (url: string): string => url.replace("file:", "");

describe("the migrations", () => {
  let sqlite: FreshDatabase;
  let postgres: FreshDatabase;
  let inSqlite: Schema;
  let inPostgres: Schema;

  beforeAll(async () => {
    sqlite = await freshDatabase("sqlite");
    postgres = await freshDatabase("postgres");
    await applyMigrations({ url: sqlite.url });
    await applyMigrations({ url: postgres.url });
    inSqlite = sqliteSchema(fileOf(sqlite.url));
    inPostgres = await postgresSchema(postgres.url);
  });
  afterAll(async () => {
    await sqlite[Symbol.asyncDispose]();
    await postgres[Symbol.asyncDispose]();
  });

  it("make the same tables and columns in both databases", () => {
    expect(Object.keys(inSqlite.columns).length).toBeGreaterThan(30);
    expect(inSqlite.columns).toEqual(inPostgres.columns);
  });

  it("make the same indexes, unique ones and partial ones included", () => {
    expect(inSqlite.indexes).toEqual(inPostgres.indexes);
  });

  it("make the same foreign keys", () => {
    expect(inSqlite.foreignKeys.length).toBeGreaterThan(40);
    expect(inSqlite.foreignKeys).toEqual(inPostgres.foreignKeys);
  });

  it("make the same checks, each equal to the domain's list", () => {
    const expected = Object.fromEntries(
      enumeratedColumns.map(({ table, column, values }) => [`${table}_${column}_check`, [...values]]),
    );
    expect(inSqlite.checks).toEqual(expected);
    expect(inPostgres.checks).toEqual(expected);
  });

  it("check every column whose values the models list", () => {
    const listed = Object.fromEntries(enumeratedInModels());
    const checked = Object.fromEntries(
      enumeratedColumns.map(({ table, column, values }) => [`${table}.${column}`, [...values]]),
    );
    expect(checked).toMatchObject(listed);
    expect(Object.keys(listed).length).toBeGreaterThan(20);
  });

  it("have every hand-finished index, as it is listed", () => {
    for (const schema of [inSqlite, inPostgres]) {
      for (const { name, table, columns, unique } of partialIndexes)
        expect(schema.indexes[name]).toEqual({ table, unique, columns: [...columns], partial: true });
      const partial = Object.entries(schema.indexes).filter(([, index]) => index.partial);
      expect(partial.map(([name]) => name).sort()).toEqual(partialIndexes.map(({ name }) => name).sort());
    }
    for (const provider of ["sqlite", "postgresql"]) {
      const script = scriptsOf(provider);
      for (const { name, where } of partialIndexes)
        expect(script).toMatch(new RegExp(`"${name}".* WHERE ${escaped(where)};`));
    }
  });

  it("set every listed fill factor", async () => {
    const client = new pg.Client({ connectionString: postgres.url });
    await client.connect();
    const { rows } = await client.query(
      "SELECT relname AS table, reloptions AS options FROM pg_class WHERE reloptions IS NOT NULL AND relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY relname",
    );
    await client.end();
    const listed = fillFactors.map(({ table, percent }) => ({ table, options: [`fillfactor=${percent}`] }));
    expect(rows).toEqual(listed.sort((a, b) => (a.table < b.table ? -1 : 1)));
  });

  it("are refused by the database for a value that no list has", () => {
    const db = new SqliteHandle(fileOf(sqlite.url));
    db.pragma("foreign_keys = OFF");
    const insert = () =>
      db
        .prepare(
          "INSERT INTO memberships (id, project_id, user_id, role, created_at, updated_at) VALUES ('m', 'p', 'u', 'KING', '', '')",
        )
        .run();
    expect(insert).toThrow(/CHECK constraint failed: memberships_role_check/);
    db.close();
  });
});

const escaped = (text: string): string => text.replaceAll(/[().]/g, "\\$&");

function scriptsOf(provider: string): string {
  const folder = new URL(`../../prisma/${provider}/migrations/`, import.meta.url);
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => readFileSync(new URL(`${entry.name}/migration.sql`, folder), "utf8"))
    .join("\n");
}

describe.each(["sqlite", "postgres"] as const)("Prisma's command line on %s", { timeout: commandDeadline }, (kind) => {
  const provider = kind === "postgres" ? "postgresql" : "sqlite";
  let database: FreshDatabase;
  beforeAll(async () => {
    database = await freshDatabase(kind);
  });
  afterAll(() => database[Symbol.asyncDispose]());

  it("finds no difference between migrations and models", async () => {
    const args = [
      "diff",
      "--from-migrations",
      `prisma/${provider}/migrations`,
      "--to-schema",
      `prisma/${provider}/schema`,
      "--exit-code",
    ];
    const { code, output } = await migrateCommand(args, { DATABASE_URL: database.url });
    expect(output).toContain("No difference detected");
    expect(code).toBe(0);
  });

  it("deploys, and agrees with the applier about what is deployed", async () => {
    expect(await schemaState({ url: database.url })).toMatchObject({ state: "behind" });
    const deployed = await migrateCommand(["deploy"], { DATABASE_URL: database.url });
    expect(deployed).toMatchObject({ code: 0 });
    expect(await schemaState({ url: database.url })).toMatchObject({ state: "upToDate" });
    expect(await applyMigrations({ url: database.url })).toEqual([]);
    const status = await migrateCommand(["status"], { DATABASE_URL: database.url });
    expect(status.output).toContain("Database schema is up to date!");
    expect(status.code).toBe(0);
  });

  it("takes the applier's work for its own", async () => {
    await using fresh = await freshDatabase(kind);
    await applyMigrations({ url: fresh.url });
    const status = await migrateCommand(["status"], { DATABASE_URL: fresh.url });
    expect(status).toMatchObject({ code: 0 });
    expect((await migrateCommand(["deploy"], { DATABASE_URL: fresh.url })).output).toContain("No pending migrations");
  });
});
