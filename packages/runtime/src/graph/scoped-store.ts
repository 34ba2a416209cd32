import {
  BaseStore,
  type Item,
  type ListNamespacesOperation,
  type MatchCondition,
  type Operation,
  type OperationResults,
} from "@langchain/langgraph-checkpoint";
import type { Scope } from "@wheelhouse/domain";
import { scopeKeyOf } from "@wheelhouse/domain/digest";

/** Above all scopes' memories. */
const memoryRoot = "wheelhouse";
/** Namespaces of one scope that a listing looks at. */
const maxNamespaces = 10_000;

/**
 * A memory store as one scope sees it: every namespace lies below the scope's own, on the way in and on the way out, so
 * that no graph can name another scope's items: for it they do not exist. Labels may hold any character, whatever the
 * store below thinks of them, and a namespace is never taken for another that begins alike.
 */
export class ScopedStore extends BaseStore {
  readonly #inner: BaseStore;
  readonly #prefix: readonly string[];

  constructor(inner: BaseStore, scope: Scope) {
    super();
    this.#inner = inner;
    this.#prefix = [memoryRoot, scopeKeyOf(scope)];
  }

  override async batch<Op extends Operation[]>(operations: Op): Promise<OperationResults<Op>> {
    const results: unknown[] = await this.#inner.batch(operations.map((operation) => this.#inward(operation)));
    // The tuple of results follows the tuple of operations, which a map cannot express.
    return results.map((result, i) => this.#outward(operations[i], result)) as OperationResults<Op>;
  }

  /**
   * The operation below the scope. Made anew from the fields of its one kind: stores tell the kinds apart by their fields,
   * each in its own way, and one that has the fields of two must not pass as something else than what was checked here.
   */
  #inward(operation: Operation): Operation {
    if ("namespacePrefix" in operation) {
      const { namespacePrefix, filter, limit, offset, query } = operation;
      return { namespacePrefix: this.#below(namespacePrefix), ...given({ filter, limit, offset, query }) };
    }
    if ("value" in operation) {
      const { namespace, key, value, index } = operation;
      return { namespace: this.#below(namespace), key, value, ...given({ index }) };
    }
    if ("namespace" in operation) return { namespace: this.#below(operation.namespace), key: operation.key };
    const prefix = { matchType: "prefix" as const, path: [...this.#prefix] };
    return { matchConditions: [prefix], limit: maxNamespaces, offset: 0 };
  }

  #below(namespace: readonly string[]): string[] {
    return [...this.#prefix, ...namespace.map(toLabel)];
  }

  #outward(operation: Operation | undefined, result: unknown): unknown {
    if (!Array.isArray(result)) return isItem(result) ? this.#strip(result) : result;
    const ours = result.filter((entry) => this.#isOurs(isItem(entry) ? entry.namespace : entry));
    if (operation === undefined || "namespace" in operation || "namespacePrefix" in operation)
      return ours.filter(isItem).map((item) => this.#strip(item));
    return listed(
      ours.map((namespace) => this.#own(namespace)),
      operation,
    );
  }

  #strip(item: Item): Item {
    return { ...item, namespace: this.#own(item.namespace) };
  }

  #own(namespace: readonly string[]): string[] {
    return namespace.slice(this.#prefix.length).map(fromLabel);
  }

  /** A store that answered what it was not asked for is not believed. */
  #isOurs(namespace: unknown): boolean {
    return Array.isArray(namespace) && this.#prefix.every((label, index) => namespace[index] === label);
  }
}

// PostgreSQL's store joins labels by ":" and finds what lies below by the text's beginning, refuses "_", "%" and ".", and
// compares a label's beginning where it should compare labels. So labels are written in letters, digits and "-", everything
// else as "~" and four hexadecimal digits, and end with "!": none begins another.
const end = "!";

const toLabel = (label: string): string =>
  label.replaceAll(/[^A-Za-z0-9-]/g, (unit) => `~${unit.charCodeAt(0).toString(16).padStart(4, "0")}`) + end;

const fromLabel = (label: string): string =>
  label
    .slice(0, -end.length)
    .replaceAll(/~([0-9a-f]{4})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));

/**
 * What a listing asks for of a scope's namespaces. Decided here and not in the store below, because stores disagree about
 * depths, ends and the label "*".
 */
function listed(namespaces: readonly string[][], operation: ListNamespacesOperation): string[][] {
  const { matchConditions = [], maxDepth, limit, offset } = operation;
  const found = new Map<string, string[]>();
  for (const namespace of namespaces) {
    if (!matchConditions.every((condition) => fits(namespace, condition))) continue;
    const cut = namespace.slice(0, maxDepth);
    found.set(JSON.stringify(cut), cut);
  }
  return [...found.values()].slice(offset, offset + limit);
}

function fits(namespace: readonly string[], { matchType, path }: MatchCondition): boolean {
  if (path.length > namespace.length) return false;
  const start = matchType === "prefix" ? 0 : namespace.length - path.length;
  return path.every((label, i) => label === "*" || namespace[start + i] === label);
}

/** The fields that are set. */
const given = <T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  // Leaving out undefined fields is what makes the type true.
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };

const isItem = (value: unknown): value is Item =>
  typeof value === "object" && value !== null && "namespace" in value && Array.isArray(value.namespace);
