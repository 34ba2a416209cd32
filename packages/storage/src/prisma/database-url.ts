/** Where the database is, as the address says. Nothing is guessed: an address of no known kind is an error. */
export type DatabaseTarget =
  | { kind: "memory" }
  | { kind: "sqlite"; file: string }
  | { kind: "postgres"; url: string; schema: string };

/**
 * Reads `memory:`, `file:<path>` or `postgres://…`. In PostgreSQL the installation's schema is `schema`, else the
 * `?schema=` of the address, else `public`.
 */
export function parseDatabaseUrl(url: string, schema?: string): DatabaseTarget {
  if (url === "memory:") return { kind: "memory" };
  if (url.startsWith("file:")) {
    const file = url.replace(/^file:(\/\/)?/, "").split("?")[0];
    if (!file) throw new Error("The database address names no file; write file:./path/to/wheelhouse.db");
    return { kind: "sqlite", file };
  }
  if (/^postgres(ql)?:\/\//.test(url)) {
    const address = new URL(url);
    const name = schema ?? address.searchParams.get("schema") ?? "public";
    // PostgreSQL cuts names at 63 letters, and the schemas beside this one have its name and more.
    if (!/^[a-z_][a-z0-9_]{0,46}$/.test(name))
      throw new Error(
        "The schema name must be lower-case letters, digits and _, at most 47, not beginning with a digit",
      );
    address.searchParams.delete("schema");
    return { kind: "postgres", url: address.toString(), schema: name };
  }
  throw new Error("The database address must be memory:, file:<path> or postgres://…");
}
