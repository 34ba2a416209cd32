import pg from "pg";

/** The settings every connection of an installation has: its schema first, UTC, no JIT for small statements. */
export const connectionConfig = (url: string, schema: string): pg.PoolConfig => ({
  connectionString: url,
  options: `-c search_path="${schema}" -c timezone=UTC -c jit=off`,
  application_name: "wheelhouse",
  keepAlive: true,
});

/**
 * A pool whose lost connections are told to `onError`. The pool itself listens only to connections that nobody uses; one
 * that is lost in use says so to its user, and as an event that would end the process if nobody heard it.
 */
export function openPool(config: pg.PoolConfig, onError: (error: unknown) => void): pg.Pool {
  const pool = new pg.Pool(config);
  pool.on("error", onError);
  pool.on("connect", (client) => client.on("error", onError));
  return pool;
}
