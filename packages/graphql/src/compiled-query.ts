import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getArgumentValues,
  getVariableValues,
  isAbstractType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from "graphql";
import { collectSelected, fragmentsOf, NotCompilable, type Selected } from "./collect-selected.ts";
import type { GraphContext } from "./context.ts";

// Executing a page of fifty conversations visits a thousand fields; visiting them costs several times what reading their
// rows does. So a query is turned into functions from rows to JSON text, once per document. The schema's own resolvers
// answer every field, as graphql-js would let them. What is not a plain answer (an error, a null where none may be, a row
// that was not read) is not told here: `run` throws, and the operation is executed as usual. A query changes nothing, so
// asking twice is harmless.

/** A query that answers in JSON text. */
export interface CompiledQuery {
  /** The text of `data`; throws when only an execution can answer. */
  run(context: GraphContext, variables: Readonly<Record<string, unknown>>): Promise<string>;
}

/** The query in a valid document; null when it takes an execution (another operation, a directive, an abstract type). */
export function compileQuery(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName?: string | null,
): CompiledQuery | null {
  const operations = document.definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION);
  const named = operations.filter((one) => operationName == null || one.name?.value === operationName);
  const [operation] = named;
  const query = schema.getQueryType();
  if (operation?.operation !== "query" || named.length !== 1 || !query) return null;
  try {
    const compiler = new Compiler(schema, document, operation);
    const write = compiler.object(query, [operation.selectionSet], undefined);
    return {
      async run(context, inputs) {
        const { coerced } = getVariableValues(schema, operation.variableDefinitions ?? [], inputs);
        if (coerced === undefined) throw new NeedsExecution("the variables are wrong");
        return write(undefined, { context, variables: coerced, calls: [] });
      },
    };
  } catch (error) {
    if (error instanceof NotCompilable) return null;
    throw error;
  }
}

/** Thrown when an answer is not a plain one. */
class NeedsExecution extends Error {}

/** One run of a compiled query. */
interface Execution {
  context: GraphContext;
  variables: Record<string, unknown>;
  /** What each field is called with, by its number: the same for every row. */
  calls: (Call | undefined)[];
}

interface Call {
  args: Record<string, unknown>;
  info: GraphQLResolveInfo;
}

type Text = string | Promise<string>;
type Writer = (value: unknown, execution: Execution) => Text;
type Path = GraphQLResolveInfo["path"] | undefined;

class Compiler {
  readonly #schema: GraphQLSchema;
  readonly #operation: OperationDefinitionNode;
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  #fields = 0;

  constructor(schema: GraphQLSchema, document: DocumentNode, operation: OperationDefinitionNode) {
    if ((operation.directives ?? []).length > 0) throw new NotCompilable("a directive");
    this.#schema = schema;
    this.#operation = operation;
    this.#fragments = fragmentsOf(document);
  }

  object(type: GraphQLObjectType, selections: readonly SelectionSetNode[], path: Path): Writer {
    const holds = (condition: string): boolean => condition === type.name || this.#isPossible(condition, type);
    const fields = [...collectSelected(selections, this.#fragments, holds)].map(([key, selected], place) => ({
      begin: `${place === 0 ? "{" : ","}${JSON.stringify(key)}:`,
      write: this.#field(type, key, selected, path),
    }));
    return (value, execution) => {
      let text = "";
      let parts: Text[] | undefined;
      for (const { begin, write } of fields) {
        const written = settled(write, value, execution);
        text += begin;
        if (typeof written === "string") text += written;
        else {
          parts ??= [];
          parts.push(text, written);
          text = "";
        }
      }
      if (parts === undefined) return `${text}}`;
      return Promise.all([...parts, text]).then((ready) => `${ready.join("")}}`);
    };
  }

  #isPossible(condition: string, type: GraphQLObjectType): boolean {
    const named = this.#schema.getType(condition);
    return isAbstractType(named) && this.#schema.isSubType(named, type);
  }

  #field(parent: GraphQLObjectType, key: string, selected: Selected, path: Path): Writer {
    if (selected.name === "__typename") return () => JSON.stringify(parent.name);
    const field = parent.getFields()[selected.name];
    if (field === undefined) throw new NotCompilable(selected.name);
    const here = { prev: path, key, typename: parent.name };
    // Nothing in a table is undefined: a row of a model that lacks a value was read without it.
    const write = isModel(parent)
      ? present(this.#value(field.type, selected, here))
      : this.#value(field.type, selected, here);
    const resolve = resolverOf(field);
    if (resolve === null) {
      const { name } = field;
      return (row, execution) => write(isRow(row) ? row[name] : undefined, execution);
    }
    const place = this.#fields;
    this.#fields += 1;
    return (row, execution) => {
      execution.calls[place] ??= this.#call(parent, field, selected, here, execution);
      const { args, info } = execution.calls[place];
      const value = resolve(row, args, execution.context, info);
      return isThenable(value)
        ? Promise.resolve(value).then((late) => write(late, execution))
        : write(value, execution);
    };
  }

  #call(
    parentType: GraphQLObjectType,
    field: GraphQLField<unknown, unknown>,
    { nodes }: Selected,
    path: GraphQLResolveInfo["path"],
    { variables }: Execution,
  ): Call {
    const [node] = nodes;
    return {
      args: node === undefined ? {} : getArgumentValues(field, node, variables),
      info: {
        fieldName: field.name,
        fieldNodes: nodes,
        returnType: field.type,
        parentType,
        path,
        schema: this.#schema,
        fragments: Object.fromEntries(this.#fragments),
        rootValue: undefined,
        operation: this.#operation,
        variableValues: variables,
      },
    };
  }

  #value(type: GraphQLOutputType, selected: Selected, path: Path): Writer {
    if (isNonNullType(type)) {
      const write = this.#present(type.ofType, selected, path);
      return (value, execution) => {
        if (value === null || value === undefined) throw new NeedsExecution("null");
        return write(value, execution);
      };
    }
    const write = this.#present(type, selected, path);
    return (value, execution) => (value === null || value === undefined ? "null" : write(value, execution));
  }

  /** How a value is written when it is not null. */
  #present(type: GraphQLOutputType, selected: Selected, path: Path): Writer {
    if (isListType(type)) return listWriter(this.#value(type.ofType, selected, path));
    if (isLeafType(type)) {
      return (value) => {
        const text = JSON.stringify(type.serialize(value));
        if (text === undefined) throw new NeedsExecution("not JSON");
        return text;
      };
    }
    if (isObjectType(type)) return this.object(type, selected.selections, path);
    if (!isAbstractType(type)) throw new NotCompilable(String(type));
    const [only, ...others] = this.#schema.getPossibleTypes(type);
    if (only === undefined || others.length > 0) throw new NotCompilable(type.name);
    return this.object(only, selected.selections, path);
  }
}

const isModel = (type: GraphQLObjectType): boolean => type.extensions.pothosPrismaModel !== undefined;

const present =
  (write: Writer): Writer =>
  (value, execution) => {
    if (value === undefined) throw new NeedsExecution("a column that was not read");
    return write(value, execution);
  };

const isRow = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

/** The models' promises are thenable, and no `Promise`s. */
const isThenable = (value: unknown): boolean => isRow(value) && typeof value.then === "function";

/** What is thrown waits for the neighbours, so that nothing of theirs fails unheard. */
function settled(write: Writer, value: unknown, execution: Execution): Text {
  try {
    return write(value, execution);
  } catch (error) {
    return Promise.reject(error);
  }
}

function listWriter(write: Writer): Writer {
  return (value, execution) => {
    if (!Array.isArray(value)) throw new NeedsExecution("not a list");
    const texts = value.map((item) => write(item, execution));
    return texts.every((text) => typeof text === "string")
      ? `[${texts.join(",")}]`
      : Promise.all(texts).then((ready) => `[${ready.join(",")}]`);
  };
}

type Resolve = (row: unknown, args: object, context: GraphContext, info: GraphQLResolveInfo) => unknown;

/**
 * What answers a field of a row; null when it is the property of its name. The Prisma plugin wraps the resolvers of
 * fields that select columns, to see whether they were read; here a column that was not read is undefined, and ends it.
 */
function resolverOf(field: GraphQLField<unknown, unknown>): Resolve | null {
  const { pothosExposedField, pothosPrismaSelect, pothosOriginalResolve } = field.extensions;
  if (pothosExposedField === field.name) return null;
  const { resolve } = field;
  if (pothosPrismaSelect !== undefined && typeof pothosOriginalResolve === "function")
    return (...call) => Reflect.apply(pothosOriginalResolve, undefined, call);
  return resolve === undefined ? null : (row, args, context, info) => resolve(row, args, context, info);
}
