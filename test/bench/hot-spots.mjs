// node test/bench/hot-spots.mjs <profile.cpuprofile> [rows]: where a process spent its time, by function and by file.
import { readFileSync } from "node:fs";

const [file, rows = "40"] = process.argv.slice(2);
if (file === undefined) {
  console.error("node test/bench/hot-spots.mjs <profile.cpuprofile> [rows]");
  process.exit(1);
}
const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(file, "utf8"));
const byId = new Map(nodes.map((node) => [node.id, node]));
const own = new Map();
samples.forEach((id, index) => own.set(id, (own.get(id) ?? 0) + (timeDeltas[index] ?? 0)));

const shortened = (url) =>
  url
    .replace(/^file:\/\//, "")
    .replace(/^.*node_modules\//, "")
    .replace(`${process.cwd()}/`, "");
const idle = new Set(["(idle)", "(program)", "(root)"]);
const functions = new Map();
const packages = new Map();
let busy = 0;
for (const [id, time] of own) {
  const { functionName, url, lineNumber } = byId.get(id).callFrame;
  if (idle.has(functionName)) continue;
  busy += time;
  const place = `${functionName || "(anonymous)"} ${shortened(url)}:${lineNumber + 1}`;
  functions.set(place, (functions.get(place) ?? 0) + time);
  const parts = shortened(url).split("/");
  const room =
    url === ""
      ? functionName
      : parts[0]?.startsWith("@") || parts[0] === "packages" || parts[0] === "apps"
        ? parts.slice(0, 2).join("/")
        : parts[0];
  packages.set(room, (packages.get(room) ?? 0) + time);
}
const print = (title, times, count) => {
  console.log(`\n${title}`);
  for (const [place, time] of [...times].sort((a, b) => b[1] - a[1]).slice(0, count))
    console.log(
      `${((100 * time) / busy).toFixed(1).padStart(6)} %  ${(time / 1000).toFixed(0).padStart(7)} ms  ${place}`,
    );
};
console.log(`busy for ${(busy / 1000).toFixed(0)} ms`);
print("by package", packages, 20);
print("by function", functions, Number(rows));
