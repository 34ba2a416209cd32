// The real Prisma CLI, told by DATABASE_URL which database and which migrations: deploy (the default), status, diff, dev.
import { mkdirSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";
import { tsImport } from "tsx/esm/api";
import { runPrisma } from "./prisma-cli.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const usage = `Usage: npm run migrate -- [deploy|status|diff|dev] [arguments of prisma migrate]

DATABASE_URL     file:<path> (default: file:.data/wheelhouse.db) or postgres://…
DATABASE_SCHEMA  the schema of the installation in PostgreSQL (default: public)

Examples
  npm run migrate -- deploy
  DATABASE_URL=postgres://localhost/wheelhouse npm run migrate -- status
  npm run migrate -- dev --name add_thing`;

/** The provider's folder and the address as Prisma wants it: absolute for a file, with the schema for PostgreSQL. */
function target(databaseUrl, schema) {
  if (/^postgres(ql)?:/.test(databaseUrl)) {
    const url = new URL(databaseUrl);
    if (schema) url.searchParams.set("schema", schema);
    return { provider: "postgresql", url: url.toString() };
  }
  if (!databaseUrl.startsWith("file:")) throw new Error(`DATABASE_URL is neither file:… nor postgres://…\n\n${usage}`);
  const path = databaseUrl.replace(/^file:(\/\/)?/, "").split("?")[0];
  const file = isAbsolute(path) ? path : join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  return { provider: "sqlite", url: `file:${file}` };
}

/** The job queue's tables lie beside Prisma's, in a schema of their own. */
async function makeQueue(url) {
  const storage = await tsImport("../packages/storage/src/prisma/index.ts", import.meta.url);
  await storage.applyMigrations({ url });
}

const [command = "deploy", ...rest] = process.argv.slice(2);
if (["help", "--help", "-h"].includes(command)) {
  console.log(usage);
} else {
  try {
    const { provider, url } = target(
      process.env.DATABASE_URL || "file:.data/wheelhouse.db",
      process.env.DATABASE_SCHEMA,
    );
    process.exitCode = await runPrisma(
      ["migrate", command, "--config", `prisma/${provider}/prisma.config.ts`, ...rest],
      { env: { ...process.env, DATABASE_URL: url } },
    );
    if (command === "deploy" && process.exitCode === 0 && provider === "postgresql") await makeQueue(url);
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    process.exitCode = 2;
  }
}
