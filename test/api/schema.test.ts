import { readFileSync } from "node:fs";
import { buildSchema as buildServed } from "@wheelhouse/graphql";
import {
  type DocumentNode,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  Kind,
  lexicographicSortSchema,
  parse,
  print,
  printSchema,
} from "graphql";
import { describe, expect, it } from "vitest";

const text = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");
const served = buildServed();

/** Every type, field, argument and enum value that has no description. */
function undescribed(schema: GraphQLSchema): string[] {
  const missing: string[] = [];
  for (const type of Object.values(schema.getTypeMap())) {
    if (type.name.startsWith("__") || ["String", "Int", "Float", "Boolean", "ID"].includes(type.name)) continue;
    if (!type.description) missing.push(type.name);
    if (isEnumType(type) || !(isObjectType(type) || isInterfaceType(type) || isInputObjectType(type))) continue;
    for (const field of Object.values(type.getFields())) {
      if (!field.description) missing.push(`${type.name}.${field.name}`);
      if ("args" in field)
        for (const arg of field.args) if (!arg.description) missing.push(`${type.name}.${field.name}(${arg.name})`);
    }
  }
  return missing;
}

/** Names of the contract that are not served as it says. */
function broken(contract: DocumentNode, schema: GraphQLSchema): string[] {
  const wrong: string[] = [];
  for (const definition of contract.definitions) {
    if (!("name" in definition) || definition.name === undefined) continue;
    const name = definition.name.value;
    const type = schema.getType(name);
    if (type === undefined) wrong.push(name);
    if (definition.kind === Kind.ENUM_TYPE_DEFINITION)
      for (const value of definition.values ?? [])
        if (!isEnumType(type) || type.getValue(value.name.value) === undefined)
          wrong.push(`${name}.${value.name.value}`);
    if (!("fields" in definition)) continue;
    const fields = isObjectType(type) || isInterfaceType(type) || isInputObjectType(type) ? type.getFields() : {};
    for (const field of definition.fields ?? []) {
      const found = fields[field.name.value];
      const path = `${name}.${field.name.value}`;
      if (found === undefined || String(found.type) !== print(field.type)) wrong.push(path);
      if (!("arguments" in field) || found === undefined || !("args" in found)) continue;
      for (const wanted of field.arguments ?? []) {
        const arg = found.args.find(({ name }) => name === wanted.name.value);
        if (String(arg?.type) !== print(wanted.type)) wrong.push(`${path}(${wanted.name.value})`);
      }
    }
  }
  return wrong;
}

describe("the schema", () => {
  it("is the one that is committed", () => {
    const printed = `${printSchema(lexicographicSortSchema(served))}\n`;
    // When this fails after a wanted change: node scripts/print-schema.mjs, and look at the difference.
    expect(printed).toBe(text("../../apps/server/schema.graphql"));
  });

  it("keeps every name and type that clients rely on", () => {
    expect(broken(parse(text("contract.graphql")), served)).toEqual([]);
  });

  it("describes every type, field and argument", () => {
    expect(undescribed(served)).toEqual([]);
  });
});
