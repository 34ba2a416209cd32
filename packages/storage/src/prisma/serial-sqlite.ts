import { PrismaBetterSqlite3 } from "@prisma/adapter-better-sqlite3";
import type { SqlDriverAdapter, SqlDriverAdapterFactory, Transaction } from "@prisma/driver-adapter-utils";
import SqliteHandle from "better-sqlite3";
import { Turns } from "./turns.ts";

export interface SerialSqlite {
  /** For the Prisma client. Its statements take turns with everything else on the connection. */
  factory: SqlDriverAdapterFactory;
  handle: SqliteHandle.Database;
  turns: Turns;
  close(): void;
}

/**
 * Opens the one connection of a SQLite database. Prisma's adapter, as it comes, runs a statement outside a transaction
 * inside whatever transaction happens to be open, and loses it with that one's rollback; here everybody takes turns.
 */
export async function openSerialSqlite(file: string): Promise<SerialSqlite> {
  const inner = await new PrismaBetterSqlite3({ url: file }, { timestampFormat: "iso8601" }).connect();
  const handle: unknown = Reflect.get(inner, "client");
  if (!(handle instanceof SqliteHandle)) throw new Error("Prisma's SQLite adapter no longer shows its connection");
  const pragmas = [
    // First, because the others may have to wait for another process.
    "busy_timeout = 5000",
    "journal_mode = WAL",
    "synchronous = NORMAL",
    "foreign_keys = ON",
    "temp_store = MEMORY",
    "cache_size = -32000",
  ];
  for (const pragma of pragmas) handle.pragma(pragma);
  const turns = new Turns();
  const adapter = takingTurns(inner, turns);
  return {
    factory: { provider: "sqlite", adapterName: adapter.adapterName, connect: async () => adapter },
    handle,
    turns,
    close: () => {
      if (handle.open) handle.close();
    },
  };
}

function takingTurns(inner: SqlDriverAdapter, turns: Turns): SqlDriverAdapter {
  return {
    provider: inner.provider,
    adapterName: inner.adapterName,
    queryRaw: (query) => turns.run(() => inner.queryRaw(query)),
    executeRaw: (query) => turns.run(() => inner.executeRaw(query)),
    executeScript: (script) => turns.run(() => inner.executeScript(script)),
    async startTransaction(isolationLevel) {
      const end = await turns.take();
      try {
        return endingTurn(await inner.startTransaction(isolationLevel), end);
      } catch (error) {
        end();
        throw error;
      }
    },
    // The connection belongs to the storage, which closes it after the client.
    dispose: async () => undefined,
  };
}

function endingTurn(transaction: Transaction, end: () => void): Transaction {
  const finished = (how: "commit" | "rollback") => {
    const finish = transaction[how].bind(transaction);
    return async () => {
      try {
        await finish();
      } finally {
        end();
      }
    };
  };
  transaction.commit = finished("commit");
  transaction.rollback = finished("rollback");
  return transaction;
}
