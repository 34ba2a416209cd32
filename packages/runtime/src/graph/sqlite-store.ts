import {
  BaseStore,
  type GetOperation,
  type Item,
  type ListNamespacesOperation,
  type MatchCondition,
  type Operation,
  type OperationResults,
  type PutOperation,
  type SearchItem,
  type SearchOperation,
} from "@langchain/langgraph-checkpoint";
import type { Clock } from "@wheelhouse/domain";
import type { Database } from "better-sqlite3";

interface Row {
  namespace: string;
  key: string;
  value: string;
  created_at: number;
  updated_at: number;
}

/**
 * LangGraph's long-term memory in a table of the given SQLite database.
 * Namespaces are stored as JSON text, so that a label may hold any character. No vectors: a query's text is ignored,
 * as LangGraph's own in-memory store does without an index.
 */
export class SqliteStore extends BaseStore {
  readonly #db: Database;
  readonly #clock: Clock;

  constructor(db: Database, clock: Clock) {
    super();
    this.#db = db;
    this.#clock = clock;
    db.exec(`CREATE TABLE IF NOT EXISTS store (
      namespace TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL,
      created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
      PRIMARY KEY (namespace, key)) WITHOUT ROWID`);
  }

  /** All operations in one transaction. Reads see what was there before the batch; the last of two puts of a key wins. */
  override async batch<Op extends Operation[]>(operations: Op): Promise<OperationResults<Op>> {
    const run = this.#db.transaction(() => {
      const results = operations.map((operation) => this.#read(operation));
      for (const operation of operations) if ("value" in operation) this.#put(operation);
      return results;
    });
    // The tuple of results follows the tuple of operations, which a map cannot express.
    return run() as OperationResults<Op>;
  }

  #read(operation: Operation): Item | SearchItem[] | string[][] | null | undefined {
    if ("value" in operation) return undefined;
    if ("namespacePrefix" in operation) return this.#search(operation);
    if ("key" in operation) return this.#get(operation);
    return this.#listNamespaces(operation);
  }

  #get({ namespace, key }: GetOperation): Item | null {
    const row = this.#db
      .prepare<[string, string], Row>("SELECT * FROM store WHERE namespace = ? AND key = ?")
      .get(JSON.stringify(namespace), key);
    return row === undefined ? null : itemOf(row);
  }

  #put({ namespace, key, value }: PutOperation): void {
    const path = JSON.stringify(namespace);
    if (value === null) {
      this.#db.prepare("DELETE FROM store WHERE namespace = ? AND key = ?").run(path, key);
      return;
    }
    const now = this.#clock.now().getTime();
    this.#db
      .prepare(`INSERT INTO store (namespace, key, value, created_at, updated_at) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT (namespace, key) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at`)
      .run(path, key, JSON.stringify(value), now, now);
  }

  #search({ namespacePrefix, filter, limit = 10, offset = 0 }: SearchOperation): SearchItem[] {
    const found: SearchItem[] = [];
    let skipped = 0;
    for (const row of this.#below(namespacePrefix)) {
      const item = itemOf(row);
      if (filter !== undefined && !matchesFilter(item.value, filter)) continue;
      if (skipped++ < offset) continue;
      found.push(item);
      if (found.length >= limit) break;
    }
    return found;
  }

  #listNamespaces({ matchConditions, maxDepth, limit = 100, offset = 0 }: ListNamespacesOperation): string[][] {
    const rows = this.#db
      .prepare<[], Pick<Row, "namespace">>("SELECT DISTINCT namespace FROM store ORDER BY namespace")
      .all();
    const paths = new Map<string, string[]>();
    for (const row of rows) {
      const path = pathOf(row.namespace);
      if (!(matchConditions ?? []).every((condition) => matchesPath(path, condition))) continue;
      const cut = maxDepth === undefined ? path : path.slice(0, maxDepth);
      paths.set(JSON.stringify(cut), cut);
    }
    return [...paths.values()].slice(offset, offset + limit);
  }

  /** Rows of a namespace and of those below it. The JSON text of a longer path begins with the shorter one's, then a comma. */
  #below(prefix: string[]): IterableIterator<Row> {
    if (prefix.length === 0) return this.#db.prepare<[], Row>("SELECT * FROM store ORDER BY namespace, key").iterate();
    const exact = JSON.stringify(prefix);
    const open = `${exact.slice(0, -1)},`;
    // "-" is the character behind ",": the range is every text that begins with `open`.
    return this.#db
      .prepare<[string, string, string], Row>(
        "SELECT * FROM store WHERE namespace = ? OR (namespace >= ? AND namespace < ?) ORDER BY namespace, key",
      )
      .iterate(exact, open, `${open.slice(0, -1)}-`);
  }
}

const pathOf = (namespace: string): string[] => JSON.parse(namespace) as string[];

const itemOf = (row: Row): Item => ({
  namespace: pathOf(row.namespace),
  key: row.key,
  value: JSON.parse(row.value) as Record<string, unknown>,
  createdAt: new Date(row.created_at),
  updatedAt: new Date(row.updated_at),
});

function matchesPath(path: string[], { matchType, path: pattern }: MatchCondition): boolean {
  if (pattern.length > path.length) return false;
  const start = matchType === "prefix" ? 0 : path.length - pattern.length;
  return pattern.every((label, index) => label === "*" || path[start + index] === label);
}

/** Equality by JSON, or LangGraph's comparison operators. */
function matchesFilter(value: Record<string, unknown>, filter: Record<string, unknown>): boolean {
  return Object.entries(filter).every(([key, wanted]) => {
    const actual = value[key];
    const operators = typeof wanted === "object" && wanted !== null ? Object.entries(wanted) : [];
    if (operators.length === 0 || !operators.every(([name]) => name.startsWith("$")))
      return JSON.stringify(actual) === JSON.stringify(wanted);
    return operators.every(([name, operand]) => compare(actual, name, operand));
  });
}

function compare(actual: unknown, operator: string, operand: unknown): boolean {
  const same = JSON.stringify(actual) === JSON.stringify(operand);
  if (operator === "$eq") return same;
  if (operator === "$ne") return !same;
  const a = Number(actual);
  const b = Number(operand);
  if (operator === "$gt") return a > b;
  if (operator === "$gte") return a >= b;
  if (operator === "$lt") return a < b;
  if (operator === "$lte") return a <= b;
  throw new Error(`The memory store does not know the filter operator ${operator}.`);
}
