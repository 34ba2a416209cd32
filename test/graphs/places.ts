import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PersistenceConfig } from "@wheelhouse/runtime/graph";
import Sqlite from "better-sqlite3";
import pg from "pg";

/** Where graphs keep their state in a test. */
export interface Place {
  config: PersistenceConfig;
  close(): Promise<void>;
}

async function sqlitePlace(): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), "wheelhouse-graphs-"));
  return {
    config: { kind: "sqlite", file: join(folder, "graphs.db") },
    close: () => rm(folder, { recursive: true, force: true }),
  };
}

async function postgresPlace(server: string): Promise<Place> {
  const name = `graphs_${randomUUID().replaceAll("-", "")}`;
  const run = async (statement: string) => {
    const client = new pg.Client({ connectionString: server });
    await client.connect();
    await client.query(statement).finally(() => client.end());
  };
  await run(`CREATE DATABASE ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return {
    config: { kind: "postgres", url: url.href, schema: "langgraph" },
    close: () => run(`DROP DATABASE ${name} WITH (FORCE)`),
  };
}

const server = process.env.TEST_POSTGRES_URL;
/** Every kind of place; PostgreSQL where the environment names a server. */
export const places: [string, () => Promise<Place>][] = [
  ["memory", async () => ({ config: { kind: "memory" }, close: async () => {} })],
  ["sqlite", sqlitePlace],
  ...(server === undefined ? [] : [["postgres", () => postgresPlace(server)] satisfies [string, () => Promise<Place>]]),
];

/** Rows and bytes that a place holds, by table; nothing for the memory of a process. */
export async function storedIn(config: PersistenceConfig): Promise<Record<string, { rows: number; bytes: number }>> {
  if (config.kind === "memory") return {};
  if (config.kind === "sqlite") {
    const db = new Sqlite(config.file, { readonly: true });
    const of = (table: string, bytes: string) =>
      db
        .prepare<[], { rows: number; bytes: number }>(
          `SELECT count(*) AS rows, coalesce(sum(${bytes}), 0) AS bytes FROM ${table}`,
        )
        .all()[0] ?? { rows: 0, bytes: 0 };
    const stored = {
      checkpoints: of("checkpoints", "length(checkpoint) + length(metadata)"),
      writes: of("writes", "length(value)"),
    };
    db.close();
    return stored;
  }
  const client = new pg.Client({ connectionString: config.url });
  await client.connect();
  const of = async (table: string, bytes: string) => {
    const { rows } = await client.query<{ rows: string; bytes: string }>(
      `SELECT count(*) AS rows, coalesce(sum(${bytes}), 0) AS bytes FROM "${config.schema}".${table}`,
    );
    return { rows: Number(rows[0]?.rows), bytes: Number(rows[0]?.bytes) };
  };
  const stored = {
    checkpoints: await of("checkpoints", "octet_length(checkpoint::text) + octet_length(metadata::text)"),
    writes: await of("checkpoint_writes", "octet_length(blob)"),
    blobs: await of("checkpoint_blobs", "octet_length(blob)"),
  };
  await client.end();
  return stored;
}
