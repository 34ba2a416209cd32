// A PostgreSQL server for one test run: a fresh data directory in the temporary folder, a free port, trust on the
// loopback address only, no durability unless it is asked for. It is made from the programs of an installed PostgreSQL.
import { execFileSync } from "node:child_process";
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { onEnd, runCommand, startProcess, stopProcess } from "./child-processes.mjs";
import { aptInstall } from "./system-packages.mjs";

const prefix = "wheelhouse-test-postgres-";
const startDeadlineMs = 30_000;

/**
 * Starts a server and answers `{ url, restart, stop }`, a superuser's address of its `postgres` database, or
 * `{ missing }`, the reason why there is none. The server ends with the script. A `durable` one writes to disk as a real
 * installation does. `restart` ends it as a crash would, drops every connection, and starts it again at the same address.
 */
export async function startThrowawayPostgres({ durable = false } = {}) {
  removeLeftovers();
  let programs = findPrograms();
  if (!programs) {
    const refusal = await aptInstall("postgresql", {
      // Debian would otherwise make and start a server of its own.
      before: { "/etc/postgresql-common/createcluster.conf": "create_main_cluster = false\n" },
    });
    programs = findPrograms();
    if (!programs) return { missing: `no initdb and postgres on this machine (${refusal ?? "none was installed"})` };
  }
  const identity = serverIdentity();
  if (identity.missing) return identity;

  // The owner's id in the name lets a later run find what a killed one left behind.
  const folder = mkdtempSync(join(tmpdir(), `${prefix}${process.pid}-`));
  const data = join(folder, "data");
  const remove = onEnd(() => rmSync(folder, { recursive: true, force: true }));
  try {
    mkdirSync(data, { mode: 0o700 });
    for (const path of [folder, data]) if (identity.uid !== undefined) chownSync(path, identity.uid, identity.gid);
    await initialise(programs, data, identity);
    const port = await freePort();
    const start = async () => {
      const server = startServer(programs, data, port, identity, durable ? durableSettings : hastySettings);
      await reachable(server, port);
      return server;
    };
    let server = await start();
    return {
      url: `postgres://postgres@127.0.0.1:${port}/postgres`,
      async restart() {
        await stopProcess(server);
        server = await start();
      },
      async stop() {
        await stopProcess(server);
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function initialise(programs, data, identity) {
  // Letters are folded by the locale: with C alone, a search would not find É by é.
  const locales = ["C.UTF-8", "en_US.UTF-8", "C"];
  for (const locale of locales) {
    try {
      await runCommand(
        join(programs, "initdb"),
        ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", `--locale=${locale}`, "--no-sync"],
        { ...identity, quiet: true, cwd: data },
      );
      return;
    } catch (error) {
      if (locale === locales.at(-1) || !/locale/.test(error.output ?? "")) throw error;
      for (const entry of readdirSync(data)) rmSync(join(data, entry), { recursive: true, force: true });
    }
  }
}

/** For tests: nothing has to survive the machine. */
const hastySettings = { fsync: "off", synchronous_commit: "off", full_page_writes: "off", shared_buffers: "128MB" };

/** For measurements. */
const durableSettings = { fsync: "on", synchronous_commit: "on", full_page_writes: "on", shared_buffers: "1GB" };

function startServer(programs, data, port, identity, durability) {
  const settings = {
    listen_addresses: "127.0.0.1",
    port,
    unix_socket_directories: "",
    max_connections: 300,
    max_wal_size: "2GB",
    autovacuum_naptime: "10min",
    ...durability,
  };
  const { child, ended } = startProcess(
    join(programs, "postgres"),
    ["-D", data, ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])],
    // SIGQUIT is PostgreSQL's immediate shutdown: nothing of it is needed afterwards.
    { ...identity, stdio: ["ignore", "ignore", "pipe"], stopSignal: "SIGQUIT", cwd: data },
  );
  const server = { child, ended, log: "", exited: false };
  child.stderr.on("data", (chunk) => {
    server.log = (server.log + chunk).slice(-4_000);
  });
  ended.then(() => {
    server.exited = true;
  });
  return server;
}

async function reachable(server, port) {
  const deadline = Date.now() + startDeadlineMs;
  // The line is the server's own word for "connections are accepted"; an open socket comes earlier.
  while (!server.log.includes("ready to accept connections")) {
    if (server.exited || Date.now() > deadline) {
      if (!server.exited) await stopProcess(server);
      throw new Error(`PostgreSQL did not start\n${server.log}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  await new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy();
      resolve();
    });
    socket.once("error", reject);
  });
}

/** The folder that holds initdb and postgres, newest version first. */
function findPrograms() {
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const homebrew = ["/opt/homebrew/opt", "/usr/local/opt"].flatMap((opt) =>
    existsSync(opt)
      ? readdirSync(opt)
          .filter((name) => name.startsWith("postgresql"))
          .map((name) => join(opt, name, "bin"))
      : [],
  );
  return [
    ...(process.env.PATH ?? "").split(delimiter),
    ...versions.map((version) => join(debian, version, "bin")),
    ...homebrew,
  ].find((folder) => folder !== "" && existsSync(join(folder, "initdb")) && existsSync(join(folder, "postgres")));
}

/** PostgreSQL refuses to run as root; then it runs as the first of these users that exists. */
function serverIdentity() {
  if (process.getuid?.() !== 0) return {};
  for (const user of ["postgres", "nobody"]) {
    try {
      const id = (flag) =>
        Number(execFileSync("id", [flag, user], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }));
      return { uid: id("-u"), gid: id("-g") };
    } catch {}
  }
  return { missing: "PostgreSQL refuses to run as root, and there is no user postgres or nobody" };
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

function removeLeftovers() {
  for (const name of readdirSync(tmpdir())) {
    const owner = name.startsWith(prefix) ? Number(name.slice(prefix.length).split("-")[0]) : 0;
    if (!owner || isAlive(owner)) continue;
    const folder = join(tmpdir(), name);
    const pidFile = join(folder, "data/postmaster.pid");
    try {
      if (existsSync(pidFile)) {
        const [pid, data] = readFileSync(pidFile, "utf8").split("\n");
        if (data === join(folder, "data") && isAlive(Number(pid))) process.kill(Number(pid), "SIGQUIT");
      }
      rmSync(folder, { recursive: true, force: true });
    } catch {
      // Another user's: theirs to remove.
    }
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}
