// Builds the backoffice for production when what it is made from has changed.
import { fileURLToPath } from "node:url";
import { runCommand } from "./child-processes.mjs";
import { contentStamp } from "./content-stamp.mjs";
import { timedStep } from "./timed-steps.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

export async function buildBackoffice() {
  const stamp = contentStamp(
    "backoffice",
    ["apps/backoffice", "packages/client", "packages/domain", "package-lock.json", "tsconfig.base.json"],
    ["apps/backoffice/.next/BUILD_ID"],
  );
  if (stamp.isFresh()) return;
  await timedStep("Building the backoffice", async () => {
    stamp.drop();
    await runCommand(process.execPath, [`${root}node_modules/next/dist/bin/next`, "build"], {
      cwd: `${root}apps/backoffice`,
      quiet: true,
      env: { ...process.env, NODE_ENV: "production", NEXT_TELEMETRY_DISABLED: "1" },
    });
    stamp.write();
  });
}
