// Writes the schema that the server serves to apps/server/schema.graphql. Run it after changing packages/graphql.
import { writeFileSync } from "node:fs";
import { register } from "tsx/esm/api";

register();
const { buildSchema } = await import("../packages/graphql/src/index.ts");
const { lexicographicSortSchema, printSchema } = await import("graphql");
const file = new URL("../apps/server/schema.graphql", import.meta.url);
writeFileSync(file, `${printSchema(lexicographicSortSchema(buildSchema()))}\n`);
