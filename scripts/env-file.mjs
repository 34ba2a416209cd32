import { fileURLToPath } from "node:url";

/** Reads `.env` beside package.json, if there is one. What the environment has already stays as it is. */
export function loadEnvFile() {
  try {
    process.loadEnvFile(fileURLToPath(new URL("../.env", import.meta.url)));
  } catch (error) {
    if (error.code !== "ENOENT") throw error;
  }
}
