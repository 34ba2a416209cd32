// An S3 server for one test run: Ceph's gateway from Debian's packages, unpacked beside the system and run from there, so
// that nothing is installed. The download is kept; the server and what it holds end with the script.
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { onEnd, runCommand } from "./child-processes.mjs";

const script = fileURLToPath(new URL("s3-gateway.sh", import.meta.url));

/**
 * Answers the variables by which tests find their S3 server, or `{ missing }`, the reason why there is none. A server that
 * S3_ENDPOINT names is taken as it is: tests make buckets of their own in it, or use a part of S3_BUCKET.
 */
export async function startThrowawayS3(environment = process.env) {
  if (environment.S3_ENDPOINT) return { env: givenServer(environment) };
  if (process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get"))
    return { missing: "an S3 server is started by root on Debian only; name one with S3_ENDPOINT" };
  const [port, monitorPort] = [await freePort(), await freePort()];
  const [accessKeyId, secretAccessKey] = [randomBytes(10).toString("hex"), randomBytes(20).toString("hex")];
  const env = {
    ...process.env,
    S3_PORT: port,
    S3_MONPORT: monitorPort,
    S3_INSTANCE: process.pid,
    S3_ACCESS_KEY: accessKeyId,
    S3_SECRET_KEY: secretAccessKey,
  };
  const run = (word) => runCommand("bash", [script, word], { quiet: true, env });
  try {
    onEnd(() => run("down").catch(() => undefined));
    await run("up");
  } catch (error) {
    return { missing: `Ceph's gateway could not be started: ${error.message.split("\n").at(-1)}` };
  }
  return {
    env: {
      TEST_S3_ENDPOINT: `http://127.0.0.1:${port}`,
      TEST_S3_ACCESS_KEY_ID: accessKeyId,
      TEST_S3_SECRET_ACCESS_KEY: secretAccessKey,
    },
  };
}

function givenServer({ S3_ENDPOINT, S3_REGION, S3_BUCKET, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY }) {
  return {
    TEST_S3_ENDPOINT: S3_ENDPOINT,
    TEST_S3_ACCESS_KEY_ID: S3_ACCESS_KEY_ID,
    TEST_S3_SECRET_ACCESS_KEY: S3_SECRET_ACCESS_KEY,
    ...(S3_REGION ? { TEST_S3_REGION: S3_REGION } : {}),
    ...(S3_BUCKET ? { TEST_S3_BUCKET: S3_BUCKET } : {}),
  };
}

async function freePort() {
  return await new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
