// Generates both database clients and the GraphQL types from the models. `--force` generates also when nothing changed.
import { contentStamp } from "./content-stamp.mjs";
import { runPrisma } from "./prisma-cli.mjs";

const stamp = contentStamp(
  "prisma-clients",
  [
    "prisma/models",
    "prisma/postgresql/schema/schema.prisma",
    "prisma/sqlite/schema/schema.prisma",
    "package-lock.json",
  ],
  [
    "packages/storage/src/generated/postgresql/client.ts",
    "packages/storage/src/generated/sqlite/client.ts",
    "packages/graphql/src/generated/pothos-types.ts",
  ],
);

if (stamp.isFresh() && !process.argv.includes("--force")) {
  console.log("The database clients are up to date");
} else {
  stamp.drop();
  for (const provider of ["postgresql", "sqlite"]) {
    const code = await runPrisma(["generate", "--no-hints", "--config", `prisma/${provider}/prisma.config.ts`]);
    if (code !== 0) process.exit(code);
  }
  stamp.write();
}
