import { fileURLToPath } from "node:url";
import { runCommand } from "./child-processes.mjs";
import { timedStep } from "./timed-steps.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

/** What `npm run generate` does. Each generator knows whether its inputs have changed. */
export async function generateSources() {
  await timedStep("Generating database clients and typed documents", async () => {
    for (const script of ["scripts/generate.mjs", "scripts/codegen.mjs"]) {
      await runCommand(process.execPath, [script], { cwd: root, quiet: true });
    }
  });
}
