// Every child gets a process group of its own, so that ending it ends what it started as well, and one place
// remembers what still has to be undone when the script is interrupted.
import { spawn } from "node:child_process";

const running = new Map();
const undo = new Set();
let ending;

/** A command ended with another exit code than 0. */
export class CommandFailed extends Error {
  constructor(command, code, output) {
    super(`${command} ended with ${code}${output ? `\n${output}` : ""}`);
    this.name = "CommandFailed";
    this.code = code;
    this.output = output;
  }
}

/** Starts a program. `stopSignal` is what it understands as a request to end (SIGTERM when absent). */
export function startProcess(command, args, { stopSignal = "SIGTERM", ...options } = {}) {
  if (ending) throw new Error("interrupted");
  const child = spawn(command, args, { stdio: "inherit", detached: true, ...options });
  const ended = new Promise((resolve) => {
    child.once("error", (error) => resolve({ code: 127, error }));
    child.once("exit", (code, signal) => resolve({ code: code ?? signal }));
  });
  running.set(child, { ended, stopSignal });
  ended.then(() => running.delete(child));
  return { child, ended };
}

/** Runs a program to its end. `quiet` keeps its output and shows it only when it fails. Throws CommandFailed. */
export async function runCommand(command, args, { quiet = false, ...options } = {}) {
  const { child, ended } = startProcess(command, args, {
    ...options,
    ...(quiet ? { stdio: ["ignore", "pipe", "pipe"] } : {}),
  });
  let output = "";
  child.stdout?.on("data", (chunk) => {
    output += chunk;
  });
  child.stderr?.on("data", (chunk) => {
    output += chunk;
  });
  const { code, error } = await ended;
  if (error) throw new CommandFailed(command, error.message, "");
  if (code !== 0) throw new CommandFailed([command, ...args].join(" "), code, output.trim());
  return output;
}

/** Asks a process and its children to end, and insists after `graceMs`. */
export async function stopProcess({ child, ended }, { signal, graceMs = 5_000 } = {}) {
  signalGroup(child, signal ?? running.get(child)?.stopSignal ?? "SIGTERM");
  const insist = setTimeout(() => signalGroup(child, "SIGKILL"), graceMs);
  await ended;
  clearTimeout(insist);
}

/** Resolves never once a signal has begun to end the script: what failed because of that is no news. */
export const unlessEnding = () => (ending ? new Promise(() => {}) : Promise.resolve());

/** Remembers work to be done when the script ends, however it ends. Returns the function that does it now. */
export function onEnd(work) {
  const once = async () => {
    if (undo.delete(once)) await work();
  };
  undo.add(once);
  return once;
}

/** Stops every child and undoes everything, newest first. */
export async function endAll() {
  await Promise.all(
    [...running].map(([child, { ended, stopSignal }]) => stopProcess({ child, ended }, { signal: stopSignal })),
  );
  for (const work of [...undo].reverse()) await work();
}

/**
 * Makes Ctrl-C, a closed terminal and a kill end everything before the script ends. Returns the function that lets go
 * of the signals again.
 */
export function endOnSignals() {
  // npm passes on the Ctrl-C that the terminal has already sent, so a second one is the same wish.
  return onWishToEnd((signal) => {
    ending ??= endAll()
      .catch((error) => console.error(error))
      .finally(() => process.exit(128 + endSignals[signal]));
  });
}

const endSignals = { SIGINT: 2, SIGTERM: 15, SIGHUP: 1 };
const parentPollMs = 500;

/**
 * Calls `wish` with the signal that asks this script to end. npm, told to end, ends its shell but not what the shell
 * started: under npm a vanished parent is a SIGTERM. Returns the function that stops listening.
 */
export function onWishToEnd(wish) {
  for (const signal of Object.keys(endSignals)) process.on(signal, wish);
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.env.npm_lifecycle_event === undefined || process.ppid === parent) return;
    clearInterval(watch);
    wish("SIGTERM");
  }, parentPollMs).unref();
  return () => {
    clearInterval(watch);
    for (const signal of Object.keys(endSignals)) process.off(signal, wish);
  };
}

function signalGroup(child, signal) {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch (error) {
    if (error.code !== "ESRCH") throw error;
  }
}
