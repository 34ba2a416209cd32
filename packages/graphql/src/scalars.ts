import { GraphQLError, Kind, type ValueNode } from "graphql";
import { builder } from "./builder.ts";

const dateTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/i;

function badInput(message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code: "INVALID_INPUT" } });
}

function parseDateTime(value: unknown): Date {
  if (typeof value !== "string" || !dateTime.test(value))
    throw badInput("A DateTime is ISO 8601 with an offset, for example 2026-03-01T09:30:00Z or …+05:45");
  const date = new Date(value);
  if (Number.isNaN(date.getTime())) throw badInput("The DateTime does not exist in the calendar");
  return date;
}

function parseJsonLiteral(node: ValueNode, variables: Record<string, unknown> | null | undefined): unknown {
  switch (node.kind) {
    case Kind.NULL:
      return null;
    case Kind.STRING:
    case Kind.BOOLEAN:
      return node.value;
    case Kind.INT:
    case Kind.FLOAT:
      return Number(node.value);
    case Kind.LIST:
      return node.values.map((item) => parseJsonLiteral(item, variables));
    case Kind.OBJECT:
      return Object.fromEntries(
        node.fields.map((field) => [field.name.value, parseJsonLiteral(field.value, variables)]),
      );
    case Kind.VARIABLE:
      return variables?.[node.name.value];
    default:
      throw badInput("An enum value is not JSON; write it as a string");
  }
}

builder.scalarType("DateTime", {
  description: "A moment, ISO 8601. Answers are UTC with milliseconds; inputs must carry an offset.",
  serialize: (value) => value.toISOString(),
  parseValue: parseDateTime,
  parseLiteral: (node) => parseDateTime(node.kind === Kind.STRING ? node.value : null),
});

builder.scalarType("JSON", {
  description: "Any JSON value.",
  serialize: (value) => value,
  parseValue: (value) => value,
  parseLiteral: (node, variables) => parseJsonLiteral(node, variables),
});

builder.scalarType("BigInt", {
  description: "A whole number that may be greater than an Int. JSON writes it as a number.",
  serialize: (value) => value,
  parseValue: (value) => {
    if (typeof value !== "number" || !Number.isSafeInteger(value)) throw badInput("A BigInt is a whole number");
    return value;
  },
});

builder.scalarType("Cursor", {
  description: "An opaque position in one list. It is good for the list, order and parent that it came from.",
  serialize: (value) => value,
  parseValue: (value) => {
    if (typeof value !== "string") throw badInput("A Cursor is a string");
    return value;
  },
});
