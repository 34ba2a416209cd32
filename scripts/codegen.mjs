// Turns GraphQL documents into typed ones. Input: apps/server/schema.graphql and every `graphql(…)` tag or .graphql file
// of the client package and the backoffice. Output: src/generated/ of each, ignored by git like the Prisma clients.
//
//   node scripts/codegen.mjs           once; does nothing when the inputs are unchanged
//   node scripts/codegen.mjs --force   once, always
//   node scripts/codegen.mjs --watch   again whenever a document or the schema changes
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, watch, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const schemaFile = "apps/server/schema.graphql";
const sourceFolders = ["packages/client/src", "apps/backoffice/src"];

/** Part of the stamp, so that a change of the settings below regenerates too. */
const settings = {
  useTypeImports: true,
  strictScalars: true,
  defaultScalarType: "unknown",
  enumType: "string-literal",
  importExtension: ".ts",
  scalars: {
    ID: "string",
    BigInt: "number",
    /** ISO 8601 with milliseconds, UTC. */
    DateTime: "string",
    Cursor: "string",
    JSON: "unknown",
  },
};

const outputOf = (folder) => `${folder}/generated/`;

/** Every file that may hold a document, sorted, relative to the root. */
function documentFiles(folder) {
  const absolute = join(root, folder);
  if (!existsSync(absolute)) return [];
  return readdirSync(absolute, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(ts|tsx|graphql)$/.test(entry.name) && !entry.name.endsWith(".d.ts"))
    .map((entry) => relative(root, join(entry.parentPath ?? entry.path, entry.name)))
    .filter((file) => !file.startsWith(outputOf(folder)) && !/\.test\.tsx?$/.test(file))
    .sort();
}

function digestOf(files) {
  const hash = createHash("sha256").update(JSON.stringify(settings));
  for (const file of [schemaFile, "scripts/codegen.mjs", ...files]) {
    hash.update(`\0${file}\0`).update(readFileSync(join(root, file)));
  }
  return hash.digest("hex");
}

/** Generates what is stale; answers the folders that were written. Throws with the offending document when one is invalid. */
export async function generateDocuments({ force = false } = {}) {
  const stale = sourceFolders
    .map((folder) => {
      const files = documentFiles(folder);
      const stampFile = join(root, outputOf(folder), ".stamp");
      const digest = digestOf(files);
      const fresh = !force && existsSync(stampFile) && readFileSync(stampFile, "utf8") === digest;
      return { folder, files, stampFile, digest, fresh };
    })
    .filter((target) => !target.fresh && existsSync(join(root, target.folder)));
  if (stale.length === 0) return [];

  const { generate } = await import("@graphql-codegen/cli");
  await generate(
    {
      cwd: root,
      schema: schemaFile,
      silent: true,
      ignoreNoDocuments: true,
      generates: Object.fromEntries(
        stale.map(({ folder, files }) => [
          outputOf(folder),
          { preset: "client", documents: files, presetConfig: { fragmentMasking: false }, config: settings },
        ]),
      ),
    },
    true,
  );
  for (const { folder, stampFile, digest } of stale) {
    mkdirSync(join(root, outputOf(folder)), { recursive: true });
    writeFileSync(stampFile, digest);
  }
  return stale.map((target) => target.folder);
}

async function report(options) {
  const started = Date.now();
  try {
    const written = await generateDocuments(options);
    if (written.length > 0) console.log(`typed documents: ${written.join(", ")} (${Date.now() - started} ms)`);
    return true;
  } catch (error) {
    const errors = error instanceof AggregateError ? error.errors : [error];
    for (const each of errors) console.error(each instanceof Error ? each.message : String(each));
    return false;
  }
}

async function main(args) {
  const ok = await report({ force: args.includes("--force") });
  if (!args.includes("--watch")) {
    if (!ok) process.exitCode = 1;
    return;
  }
  let pending;
  const again = (_event, file) => {
    if (file?.startsWith("generated")) return;
    clearTimeout(pending);
    pending = setTimeout(() => report({}), 100);
  };
  watch(join(root, schemaFile), again);
  for (const folder of sourceFolders) watch(join(root, folder), { recursive: true }, again);
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) await main(process.argv.slice(2));
