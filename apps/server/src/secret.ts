import { randomBytes } from "node:crypto";
import { mkdir, open, readFile } from "node:fs/promises";
import { join } from "node:path";

/** The secret of a local installation: made once and kept in its data directory, readable by its user only. */
export async function localSecret(dataDir: string): Promise<string> {
  await mkdir(dataDir, { recursive: true });
  const file = join(dataDir, "secret");
  try {
    // `wx`: of two processes that start together one makes it, the other reads it.
    const handle = await open(file, "wx", 0o600);
    const secret = randomBytes(48).toString("base64url");
    try {
      await handle.writeFile(secret);
      await handle.sync();
    } finally {
      await handle.close();
    }
    return secret;
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
  const secret = (await readFile(file, "utf8")).trim();
  if (secret.length < 32) throw new Error(`${file} is not a secret; remove it and sign in again`);
  return secret;
}
