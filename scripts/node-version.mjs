import { readFileSync } from "node:fs";

const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
const wanted = manifest.engines.node.replace(">=", "");

/** Ends the process with a sentence a person understands when this Node is too old for the product. */
export function requireNode() {
  const [wantedMajor, wantedMinor] = wanted.split(".").map(Number);
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > wantedMajor || (major === wantedMajor && minor >= wantedMinor)) return;
  console.error(`Wheelhouse needs Node ${wanted} or newer; this is Node ${process.versions.node}.`);
  process.exit(1);
}
