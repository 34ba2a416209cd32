import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { aptInstall } from "./system-packages.mjs";

const names = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];
const elsewhere = ["/Applications/Google Chrome.app/Contents/MacOS/Google Chrome", "/snap/bin/chromium"];

/** Answers `{ path }` of a browser that the tests can drive, or `{ missing }`, the reason why there is none. */
export async function findChromium() {
  const named = process.env.CHROMIUM_PATH;
  if (named)
    return existsSync(named) ? { path: named } : { missing: `CHROMIUM_PATH names ${named}, which does not exist` };
  const path = installed();
  if (path) return { path };
  const refusal = await aptInstall("chromium");
  const fresh = installed();
  return fresh ? { path: fresh } : { missing: `no Chromium on this machine (${refusal ?? "none was installed"})` };
}

const installed = () =>
  [...(process.env.PATH ?? "").split(delimiter), "/usr/bin"]
    .filter((folder) => folder !== "")
    .flatMap((folder) => names.map((name) => join(folder, name)))
    .concat(elsewhere)
    .find((path) => existsSync(path));
