import SchemaBuilder from "@pothos/core";
import PrismaPlugin from "@pothos/plugin-prisma";
import type { GraphContext } from "./context.ts";
import type PrismaTypes from "./generated/pothos-types.ts";
import { getDatamodel } from "./generated/pothos-types.ts";

/** The one schema builder. Fields are not null unless they say so. */
export const builder = new SchemaBuilder<{
  Context: GraphContext;
  DefaultFieldNullability: false;
  PrismaTypes: PrismaTypes;
  Scalars: {
    BigInt: { Input: number; Output: number };
    Cursor: { Input: string; Output: string };
    DateTime: { Input: Date; Output: Date };
    ID: { Input: string; Output: string };
    JSON: { Input: unknown; Output: unknown };
  };
}>({
  defaultFieldNullability: false,
  plugins: [PrismaPlugin],
  prisma: { client: (context) => context.prisma, dmmf: getDatamodel() },
});

builder.queryType({ description: "Everything that can be read. A row outside the caller's reach does not exist." });
builder.mutationType({
  description: "Everything that can be done. What is refused is a member of the answer's union, not an error.",
});
builder.subscriptionType({
  description: "Everything that can be followed. Each stream begins where its cursor stands.",
});
