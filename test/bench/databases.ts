import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { startThrowawayPostgres } from "../../scripts/throwaway-postgres.mjs";
import { type CpuMeter, postgresCpuMeter } from "./database-cpu.ts";

/** A PostgreSQL server to measure on. */
export interface BenchServer {
  /** For people: version and the settings that matter. */
  description: string;
  /** CPU time of the server's processes. */
  cpu: CpuMeter;
  /** Makes an empty database; it is dropped when the suite ends. */
  makeDatabase(): Promise<string>;
  close(): Promise<void>;
}

/** The server behind `TEST_POSTGRES_URL`, else one of our own. Refuses a server that does not write commits to disk. */
export async function openBenchServer(): Promise<BenchServer> {
  const given = process.env.TEST_POSTGRES_URL;
  const started = given === undefined ? await startThrowawayPostgres({ durable: true }) : { url: given };
  if (started.url === undefined) throw new Error(`The suite needs PostgreSQL: ${started.missing}`);
  const url = started.url;
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  const setting = async (name: string): Promise<string> => {
    const { rows } = await admin.query<{ value: string }>("SELECT current_setting($1) AS value", [name]);
    return rows[0]?.value ?? "";
  };
  for (const name of ["fsync", "synchronous_commit"]) {
    if ((await setting(name)) === "on") continue;
    await admin.end();
    throw new Error(`${name} is off on this server: what it loses in a power failure cannot be measured against it`);
  }
  const version = await setting("server_version");
  const made: string[] = [];
  return {
    description: `PostgreSQL ${version}, shared_buffers ${await setting("shared_buffers")}, fsync and synchronous_commit on`,
    cpu: await postgresCpuMeter(admin),
    async makeDatabase() {
      const name = `wheelhouse_bench_${randomBytes(6).toString("hex")}`;
      await admin.query(`CREATE DATABASE ${name}`);
      made.push(name);
      const address = new URL(url);
      address.pathname = `/${name}`;
      return address.href;
    },
    async close() {
      for (const name of made) await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      await admin.end();
    },
  };
}

/** A folder for SQLite files, removed when it is disposed. */
export function temporaryFolder(): { path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), "wheelhouse-bench-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}
