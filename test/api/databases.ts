import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";

export type DatabaseKind = "sqlite" | "postgres";

/** A database of one test file's own, and a folder beside it. */
export interface TestDatabase extends AsyncDisposable {
  url: string;
  folder: string;
}

/** The databases that can be tested on this machine. */
export const databaseKinds: DatabaseKind[] =
  process.env.TEST_POSTGRES_URL === undefined ? ["sqlite"] : ["sqlite", "postgres"];

/** Makes a database; one of PostgreSQL in the server of `serverUrl`. */
export async function makeDatabase(
  kind: DatabaseKind,
  serverUrl = process.env.TEST_POSTGRES_URL ?? "",
): Promise<TestDatabase> {
  const folder = mkdtempSync(join(tmpdir(), "wheelhouse-api-"));
  const removeFolder = () => rmSync(folder, { recursive: true, force: true });
  if (kind === "sqlite")
    return {
      url: `file:${join(folder, "test.db")}`,
      folder,
      async [Symbol.asyncDispose]() {
        removeFolder();
      },
    };
  const name = `wheelhouse_api_${randomBytes(6).toString("hex")}`;
  const run = async (sql: string) => {
    const client = new pg.Client({ connectionString: serverUrl });
    await client.connect();
    try {
      await client.query(sql);
    } finally {
      await client.end();
    }
  };
  await run(`CREATE DATABASE ${name}`);
  const address = new URL(serverUrl);
  address.pathname = `/${name}`;
  return {
    url: address.href,
    folder,
    async [Symbol.asyncDispose]() {
      await run(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      removeFolder();
    },
  };
}
