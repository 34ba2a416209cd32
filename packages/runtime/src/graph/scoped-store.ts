import { BaseStore, type Item, type Operation, type OperationResults } from "@langchain/langgraph-checkpoint";
import type { Scope } from "@wheelhouse/domain";
import { scopeKeyOf } from "@wheelhouse/domain/digest";

/**
 * A memory store as one scope sees it: every namespace lies below the scope's own, on the way in and on the way out,
 * so that no graph can name another scope's items.
 */
export class ScopedStore extends BaseStore {
  readonly #inner: BaseStore;
  readonly #prefix: string[];

  constructor(inner: BaseStore, scope: Scope) {
    super();
    this.#inner = inner;
    this.#prefix = ["wheelhouse", scopeKeyOf(scope)];
  }

  override async batch<Op extends Operation[]>(operations: Op): Promise<OperationResults<Op>> {
    const results: unknown[] = await this.#inner.batch(operations.map((operation) => this.#inward(operation)));
    // The tuple of results follows the tuple of operations, which a map cannot express.
    return results.map((result) => this.#outward(result)) as OperationResults<Op>;
  }

  #inward(operation: Operation): Operation {
    if ("namespacePrefix" in operation)
      return { ...operation, namespacePrefix: [...this.#prefix, ...operation.namespacePrefix] };
    if ("namespace" in operation) return { ...operation, namespace: [...this.#prefix, ...operation.namespace] };
    const { maxDepth, matchConditions = [] } = operation;
    const moved = matchConditions.map((condition) =>
      condition.matchType === "prefix" ? { ...condition, path: [...this.#prefix, ...condition.path] } : condition,
    );
    return {
      ...operation,
      matchConditions: [{ matchType: "prefix", path: this.#prefix }, ...moved],
      ...(maxDepth === undefined ? {} : { maxDepth: maxDepth + this.#prefix.length }),
    };
  }

  #outward(result: unknown): unknown {
    if (!Array.isArray(result)) return isItem(result) ? this.#strip(result) : result;
    return result
      .filter((entry) => this.#isOurs(isItem(entry) ? entry.namespace : entry))
      .map((entry) => (isItem(entry) ? this.#strip(entry) : entry.slice(this.#prefix.length)));
  }

  #strip(item: Item): Item {
    return { ...item, namespace: item.namespace.slice(this.#prefix.length) };
  }

  /** PostgreSQL's store matches prefixes as text: a namespace that merely begins alike is not ours. */
  #isOurs(namespace: unknown): boolean {
    return Array.isArray(namespace) && this.#prefix.every((label, index) => namespace[index] === label);
  }
}

const isItem = (value: unknown): value is Item =>
  typeof value === "object" && value !== null && "namespace" in value && Array.isArray(value.namespace);
