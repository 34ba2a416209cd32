import { randomBytes } from "node:crypto";
import { mkdir, open, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/** Where the secret of a local installation is kept. */
export const secretFile = (dataDir: string): string => join(dataDir, "secret");

/** The secret of a local installation: made once and kept in its data directory, readable by its user only. */
export const localSecret = (dataDir: string): Promise<string> => keptSecret(secretFile(dataDir));

/** The secret that a local installation makes the keys of bodies with. It lives as long as they do. */
export const localObjectKeySecret = (dataDir: string): Promise<string> =>
  keptSecret(join(dataDir, "object-key-secret"));

async function keptSecret(file: string): Promise<string> {
  await mkdir(dirname(file), { recursive: true });
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
  if (secret.length < 32) throw new Error(`${file} is not a secret; put the right one back, or remove it`);
  return secret;
}
