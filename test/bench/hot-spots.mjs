// node test/bench/hot-spots.mjs <profile.cpuprofile …>: where processes spent their time, by room and by function.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const files = process.argv.slice(2);
if (files.length === 0) {
  console.error("node test/bench/hot-spots.mjs <profile.cpuprofile …>");
  process.exit(1);
}
const root = fileURLToPath(new URL("../../", import.meta.url));
const shortened = (url) =>
  url
    .replace(/^file:\/\//, "")
    .replace(/^.*node_modules\//, "")
    .replace(root, "");
const idle = new Set(["(idle)", "(program)", "(root)"]);
const functions = new Map();
const rooms = new Map();
let busy = 0;

function roomOf(functionName, url) {
  if (url === "") return functionName;
  const parts = shortened(url).split("/");
  const deep = parts[0]?.startsWith("@") || parts[0] === "packages" || parts[0] === "apps";
  return parts.slice(0, deep ? 2 : 1).join("/");
}

for (const file of files) {
  const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(file, "utf8"));
  const byId = new Map(nodes.map((node) => [node.id, node]));
  for (const [index, id] of samples.entries()) {
    const { functionName, url, lineNumber } = byId.get(id).callFrame;
    const time = timeDeltas[index] ?? 0;
    if (idle.has(functionName)) continue;
    busy += time;
    const place = `${functionName || "(anonymous)"} ${shortened(url)}:${lineNumber + 1}`;
    functions.set(place, (functions.get(place) ?? 0) + time);
    const room = roomOf(functionName, url);
    rooms.set(room, (rooms.get(room) ?? 0) + time);
  }
}
const print = (title, times, count) => {
  console.log(`\n${title}`);
  for (const [place, time] of [...times].sort((a, b) => b[1] - a[1]).slice(0, count))
    console.log(
      `${((100 * time) / busy).toFixed(1).padStart(6)} %  ${(time / 1000).toFixed(0).padStart(7)} ms  ${place}`,
    );
};
console.log(`busy for ${(busy / 1000).toFixed(0)} ms`);
print("by room", rooms, 20);
print("by function", functions, 40);
