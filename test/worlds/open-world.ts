import type { Authority } from "@wheelhouse/domain";
import { scopeKeyOf } from "@wheelhouse/domain/digest";
import type { Storage } from "@wheelhouse/storage";
import type { ContractWorld } from "@wheelhouse/storage/contract";
import type { PrismaClient } from "@wheelhouse/storage/models";
import { applyMigrations, openStorage } from "@wheelhouse/storage/prisma";
import { type FreshDatabase, freshDatabase, type WorldKind } from "./fresh-database.ts";
import { countedIds, type TestClock, testClock } from "./ids-and-clock.ts";

export type { WorldKind } from "./fresh-database.ts";
export { countedIds, type TestClock, testClock } from "./ids-and-clock.ts";

/** A storage over a fresh database, with one project, and everything that a test wants to hold in its hands. */
export interface World extends ContractWorld {
  kind: WorldKind;
  url: string;
  clock: TestClock;
  models: PrismaClient;
}

/**
 * Opens a world. Disposing it closes everything, removes the database, and fails when something was left open.
 * `onStatement` is told each statement right before it is sent.
 */
export async function openWorld(kind: WorldKind, onStatement?: (sql: string) => void): Promise<World> {
  const database = await freshDatabase(kind);
  try {
    return await openOver(database, kind, onStatement);
  } catch (error) {
    await database[Symbol.asyncDispose]();
    throw error;
  }
}

async function openOver(
  database: FreshDatabase,
  kind: WorldKind,
  onStatement: (sql: string) => void = () => undefined,
): Promise<World> {
  const { url } = database;
  if (kind !== "memory") await applyMigrations({ url });
  const clock = testClock();
  const newId = countedIds();
  const errors: unknown[] = [];
  const statements: string[] = [];
  const open = (seed: number) =>
    openStorage({
      url,
      clock,
      newId: seed === 0 ? newId : countedIds(seed),
      onError: (error) => errors.push(error),
      onStatement: (sql) => {
        statements.push(sql);
        onStatement(sql);
      },
    });
  const { storage, models } = await open(0);
  const opened: Storage[] = [storage];
  const project = await storage.access.ensureProject({ slug: "acme", name: "Acme", at: clock.now() });
  const other = await storage.access.ensureProject({ slug: "globex", name: "Globex", at: clock.now() });
  return {
    kind,
    url,
    storage,
    models,
    clock,
    newId,
    projectId: project.id,
    otherProjectId: other.id,
    statements,
    authority: (more = {}) => authorityOf(project.id, more),
    async openSecond() {
      // One file has one process, and a database in memory cannot be reached from another.
      if (kind !== "postgres") return null;
      const second = await open(opened.length);
      opened.push(second.storage);
      return second.storage;
    },
    async [Symbol.asyncDispose]() {
      for (const each of opened) await each[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
      if (errors.length > 0) throw new AggregateError(errors, "The storage reported errors beside the calls");
    },
  };
}

/** A person of the project with every right, unless `more` says otherwise. */
export function authorityOf(projectId: string, more: Partial<Authority> = {}): Authority {
  const scope = more.scope ?? { project: "acme" };
  return {
    projectId,
    reach: "PROJECT",
    role: "OWNER",
    visibilities: ["END_USER", "OPERATOR", "INTERNAL"],
    actor: { kind: "USER", id: "user-1", name: "Ada" },
    ...more,
    scope,
    scopeKey: scopeKeyOf(scope),
  };
}
