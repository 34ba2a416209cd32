import { fileURLToPath } from "node:url";
import { runCommand } from "./child-processes.mjs";
import { contentStamp } from "./content-stamp.mjs";
import { timedStep } from "./timed-steps.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Runs `npm run generate` when the models, the SDL, a document or the lock file changed since the last time. */
export async function generateSources() {
  const stamp = contentStamp(
    "generated",
    ["prisma", "scripts/generate.mjs", "scripts/codegen.mjs", "scripts/schema-engine.mjs", "package-lock.json"],
    ["packages/storage/src/generated/postgresql", "packages/storage/src/generated/sqlite"],
  );
  if (!stamp.isFresh()) {
    await timedStep("Generating the database clients", async () => {
      stamp.drop();
      await runCommand(process.execPath, ["scripts/generate.mjs"], { cwd: root, quiet: true });
      stamp.write();
    });
  }
  await runCommand(process.execPath, ["scripts/codegen.mjs"], { cwd: root, quiet: true });
}
