import { applyMigrations, SchemaError, schemaState } from "@wheelhouse/storage/prisma";
import SqliteHandle from "better-sqlite3";
import pg from "pg";
import { describe, expect, it } from "vitest";
import { type FreshDatabase, freshDatabase } from "../worlds/fresh-database.ts";
import { postgresSchema } from "./introspect.ts";
import { commandDeadline, migrateCommand } from "./prisma-command.ts";

async function execute(database: FreshDatabase, sql: string): Promise<void> {
  if (database.url.startsWith("file:")) {
    const handle = new SqliteHandle(database.url.replace("file:", ""));
    handle.exec(sql);
    handle.close();
    return;
  }
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query(sql);
  await client.end();
}

const bookEntry = (name: string, finished: string): string =>
  `INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at, finished_at, logs, applied_steps_count)
   VALUES ('x', '0', '${name}', '2026-01-01', ${finished}, 'disk full', 0)`;

describe.each(["sqlite", "postgres"] as const)(
  "the state of the schema on %s",
  { timeout: commandDeadline },
  (kind) => {
    it("is behind before, up to date after", async () => {
      await using database = await freshDatabase(kind);
      const before = await schemaState(database);
      expect(before).toMatchObject({ state: "behind", applied: [] });
      const applied = await applyMigrations(database);
      expect(before.state === "behind" && before.pending).toEqual(applied);
      expect(await schemaState(database)).toEqual({ state: "upToDate", applied });
    });

    it("applies each migration once, however many start together", async () => {
      await using database = await freshDatabase(kind);
      const results = await Promise.all(
        Array.from({ length: kind === "postgres" ? 5 : 2 }, () => applyMigrations(database)),
      );
      expect(await schemaState(database)).toEqual({ state: "upToDate", applied: results.flat().sort() });
    });

    it("is ahead when a newer program migrated, and nothing is applied then", async () => {
      await using database = await freshDatabase(kind);
      await applyMigrations(database);
      await execute(database, bookEntry("29990101000000_later", "'2026-01-01'"));
      expect(await schemaState(database)).toMatchObject({ state: "ahead", unknown: ["29990101000000_later"] });
      await expect(applyMigrations(database)).rejects.toThrow(/newer version/);
    });

    it("is failed after a failed migration, says why, and names the way on", async () => {
      await using database = await freshDatabase(kind);
      // What the last migration does is done already, and the books know nothing of it.
      const last = (await applyMigrations(database)).at(-1);
      await execute(database, `DELETE FROM _prisma_migrations WHERE migration_name = '${last}'`);
      const failure = await applyMigrations(database).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(SchemaError);
      expect(await schemaState(database)).toMatchObject({
        state: "failed",
        error: expect.stringMatching(/already exists|duplicate column|no such|does not exist/),
      });
      await expect(applyMigrations(database)).rejects.toThrow(/migrate resolve --rolled-back/);
      const status = await migrateCommand(["status"], { DATABASE_URL: database.url });
      expect(status.code).toBe(1);
      expect(status.output).toMatch(/have failed/);
    });
  },
);

describe("a schema of its own in PostgreSQL", { timeout: commandDeadline }, () => {
  it("holds a whole installation beside another", async () => {
    await using database = await freshDatabase("postgres");
    await applyMigrations({ url: database.url, schema: "first" });
    const deployed = await migrateCommand(["deploy"], { DATABASE_URL: database.url, DATABASE_SCHEMA: "second" });
    expect(deployed).toMatchObject({ code: 0 });
    expect(await schemaState({ url: `${database.url}?schema=second` })).toMatchObject({ state: "upToDate" });
    expect(await schemaState(database)).toMatchObject({ state: "behind" });
    expect(await postgresSchema(database.url, "first")).toEqual(await postgresSchema(database.url, "second"));
    expect((await postgresSchema(database.url)).columns).toEqual({});
  });

  it("is refused when its name could be anything but a name", async () => {
    await expect(schemaState({ url: "postgres://localhost/x", schema: 'a"; DROP' })).rejects.toThrow(/schema name/);
  });
});
