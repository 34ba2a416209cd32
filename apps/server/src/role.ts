import type { DatabaseDoor } from "./installation.ts";

/** What a process does: answers people and applications, executes runs, or both. */
export const roles = ["all", "api", "worker"] as const;
export type Role = (typeof roles)[number];

/** The role cannot be played over this database. */
export class RoleError extends Error {}

/** Roles of their own need a database that several processes can share. */
export function requireReplicas(role: Role, database: DatabaseDoor["kind"]): void {
  if (role === "all" || database === "postgres") return;
  const name = database === "memory" ? "A database in memory" : "SQLite";
  throw new RoleError(
    `${name} is served by one process, which does everything: leave --role out, or set DATABASE_URL=postgres://…`,
  );
}
