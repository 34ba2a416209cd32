// npm start: from a fresh clone to a running product. Does what is missing and nothing twice. --dev: with reloading.
import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { buildBackoffice } from "./build-backoffice.mjs";
import { endOnSignals, onWishToEnd, startProcess, unlessEnding } from "./child-processes.mjs";
import { loadEnvFile } from "./env-file.mjs";
import { generateSources } from "./generate-sources.mjs";
import { installDependencies } from "./install-dependencies.mjs";
import { requireNode } from "./node-version.mjs";
import { dim, spell } from "./timed-steps.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
/** The terminal's Ctrl-C and npm's copy of it arrive together; what comes later is a person insisting. */
const sameWishMs = 500;

const usage = `Usage: npm start [-- --dev]

Installs, generates and builds what is missing or has changed, then serves API and backoffice on one port.

  --dev   reload on changes instead of building (the same as npm run dev)

DATABASE_URL, PORT and the rest of the configuration: see .env.example`;

const words = process.argv.slice(2);
if (words.includes("--help") || words.includes("-h")) {
  console.log(usage);
} else {
  const unknown = words.find((word) => word !== "--dev");
  if (unknown) {
    console.error(`Unknown option ${unknown}\n\n${usage}`);
    process.exit(2);
  }
  await start({ dev: words.includes("--dev") });
}

async function start({ dev }) {
  const startedAt = performance.now();
  requireNode();
  loadEnvFile();
  const stopPreparing = endOnSignals();
  try {
    await refuseTakenPort(process.env.HOST || "127.0.0.1", Number(process.env.PORT || 4000));
    await installDependencies();
    await generateSources();
    if (!dev) await buildBackoffice();
  } catch (error) {
    await unlessEnding();
    console.error(error.message);
    process.exit(1);
  }
  stopPreparing();
  console.log(dim(`prepared in ${spell(performance.now() - startedAt)}`));
  process.exitCode = await serve(dev);
}

/** Serves until the server ends or is told to; the server decides how long its end takes. */
async function serve(dev) {
  const { child, ended } = startProcess(
    process.execPath,
    ["--import", "tsx", "apps/server/src/main.ts", dev ? "dev" : "serve"],
    {
      cwd: root,
      env: {
        ...process.env,
        NODE_ENV: dev ? "development" : "production",
        // This command promises to migrate; a deployment that serves without it decides for itself.
        WHEELHOUSE_AUTO_MIGRATE: process.env.WHEELHOUSE_AUTO_MIGRATE || "true",
        WHEELHOUSE_SECRET: process.env.WHEELHOUSE_SECRET || secretOfThisMachine(),
      },
    },
  );
  let lastSignalAt = Number.NEGATIVE_INFINITY;
  onWishToEnd((signal) => {
    if (performance.now() - lastSignalAt < sameWishMs) return;
    lastSignalAt = performance.now();
    child.kill(signal);
  });
  const { code } = await ended;
  const toldToEnd = lastSignalAt > 0;
  return toldToEnd && (code === "SIGINT" || code === "SIGTERM" || code === "SIGHUP")
    ? 0
    : typeof code === "number"
      ? code
      : 1;
}

/**
 * The secret that the server keeps for a local database. With PostgreSQL the server asks for one, because replicas must
 * agree; this command runs one process, so the kept one will do.
 */
function secretOfThisMachine() {
  const folder = resolve(root, process.env.WHEELHOUSE_DATA_DIR || ".data");
  const file = join(folder, "secret");
  mkdirSync(folder, { recursive: true });
  try {
    writeFileSync(file, randomBytes(48).toString("base64url"), { mode: 0o600, flag: "wx" });
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
  }
  return readFileSync(file, "utf8").trim();
}

async function refuseTakenPort(host, port) {
  await new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", (error) =>
      reject(
        error.code === "EADDRINUSE"
          ? new Error(`Port ${port} is taken. Stop what uses it, or choose another: PORT=${port + 1} npm start`)
          : error,
      ),
    );
    probe.listen({ port, host }, () => probe.close(resolve));
  });
}
