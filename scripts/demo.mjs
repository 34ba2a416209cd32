// npm run demo: fills the default project with a month of conversations, made by the product itself.
import { fileURLToPath } from "node:url";
import { startProcess } from "./child-processes.mjs";
import { loadEnvFile } from "./env-file.mjs";
import { generateSources } from "./generate-sources.mjs";
import { installDependencies } from "./install-dependencies.mjs";
import { requireNode } from "./node-version.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

requireNode();
loadEnvFile();
try {
  await installDependencies();
  await generateSources();
  const { ended } = startProcess(
    process.execPath,
    ["--import", "tsx", "apps/server/src/main.ts", "demo", ...process.argv.slice(2)],
    { cwd: root },
  );
  const { code } = await ended;
  process.exitCode = typeof code === "number" ? code : 1;
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
