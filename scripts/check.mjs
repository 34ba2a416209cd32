// npm run check: format, lint, types and architecture, in seconds. Everything else is npm test.
import { fileURLToPath } from "node:url";
import { CommandFailed, endOnSignals, runCommand } from "./child-processes.mjs";
import { generateSources } from "./generate-sources.mjs";
import { installDependencies } from "./install-dependencies.mjs";
import { requireNode } from "./node-version.mjs";
import { staticChecks } from "./static-checks.mjs";
import { timedStep } from "./timed-steps.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

requireNode();
endOnSignals();
await installDependencies();
await generateSources();
const architecture = {
  title: "Architecture",
  args: ["node_modules/vitest/vitest.mjs", "run", "test/architecture", "--reporter=dot"],
};
for (const { title, args } of [...staticChecks, architecture]) {
  try {
    await timedStep(title, () => runCommand(process.execPath, args, { cwd: root }));
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error;
    process.exitCode = 1;
  }
}
