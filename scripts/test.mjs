// npm test: everything that can be proved on this machine, from a fresh clone on. npm test -- <path …> runs the test
// files whose path contains one of the words. With CI=true a part that cannot run is a failure.
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildBackoffice } from "./build-backoffice.mjs";
import { CommandFailed, endAll, endOnSignals, onEnd, runCommand, unlessEnding } from "./child-processes.mjs";
import { findChromium } from "./chromium.mjs";
import { generateSources } from "./generate-sources.mjs";
import { installDependencies } from "./install-dependencies.mjs";
import { requireNode } from "./node-version.mjs";
import { staticChecks } from "./static-checks.mjs";
import { startThrowawayPostgres } from "./throwaway-postgres.mjs";
import { startThrowawayS3 } from "./throwaway-s3.mjs";
import { dim, green, red, spell, timedStep, yellow } from "./timed-steps.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const browserTests = "test/e2e";
const inCi = /^(1|true)$/i.test(process.env.CI ?? "");
const startedAt = performance.now();

/** What a test must not inherit: where the developer's own installation is, and keys of real providers. */
const notForTests = /^(DATABASE_|S3_|ARTIFACT_STORE$|WHEELHOUSE_|LOG_|PUBLIC_URL$|PORT$|HOST$|OLLAMA_|.*_API_KEY$)/;
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !notForTests.test(name)));

/** LangGraph's validation suite leaves a test out for the savers that cannot pass it, and says so in its name. */
const skippedByTheirSuite = /\[because \w+: (MemorySaver|SQLiteSaver) doesn't store channel deltas\]/;
const ran = new Set(["passed", "failed"]);

/** One line of the summary per part. */
const parts = [];

requireNode();
endOnSignals();
const reports = mkdtempSync(join(tmpdir(), "wheelhouse-test-reports-"));
onEnd(() => rmSync(reports, { recursive: true, force: true }));
try {
  await run(process.argv.slice(2).filter((word) => word !== "--"));
} catch (error) {
  await unlessEnding();
  parts.push({ title: "Preparation", passed: 0, failed: 1, notes: [error.message], ms: 0 });
} finally {
  await endAll();
}
summarise();

async function run(words) {
  const everything = words.length === 0;
  const browser = everything || words.some((word) => word.includes("e2e"));
  const files = words.filter((word) => !word.includes("e2e"));

  await installDependencies();
  await generateSources();
  if (everything) for (const check of staticChecks) await command(check.title, check.args);

  const postgres = process.env.TEST_POSTGRES_URL
    ? { url: process.env.TEST_POSTGRES_URL }
    : await timedStep("Starting a throw-away PostgreSQL", startThrowawayPostgres);
  if (postgres.missing) missing("PostgreSQL", postgres.missing);
  else env.TEST_POSTGRES_URL = postgres.url;

  const objects = await timedStep("Starting an S3 server", () => startThrowawayS3());
  if (objects.missing) missing("S3", objects.missing);
  else Object.assign(env, objects.env);

  if (everything || files.length > 0) await vitest(files);
  if (!browser) return;
  const chromium = await findChromium();
  if (chromium.missing) missing("Browser tests", chromium.missing);
  else env.CHROMIUM_PATH = chromium.path;
  const built = await counted("Backoffice build", async () => {
    await buildBackoffice();
    return { passed: 1, failed: 0, notes: [] };
  });
  if (built && chromium.path) await playwright(words.filter((word) => word !== browserTests && word.includes("e2e")));
}

/** A part that passes when its command does. */
function command(title, args) {
  return counted(title, async () => {
    await runCommand(process.execPath, args, { cwd: root, env });
    return { passed: 1, failed: 0, notes: [] };
  });
}

function vitest(files) {
  return counted("Tests", async () => {
    const report = join(reports, "vitest.json");
    const args = ["node_modules/vitest/vitest.mjs", "run", "--reporter=default", "--reporter=json", ...files];
    const code = await exitCode([...args, `--outputFile.json=${report}`]);
    const { numPassedTests, numFailedTests, testResults } = readReport(report, code);
    const notRun = testResults.flatMap((file) => file.assertionResults.filter(({ status }) => !ran.has(status)));
    const notOurs = notRun.filter(({ fullName }) => skippedByTheirSuite.test(fullName));
    // A file that fails to load, or an error between tests, fails the run without failing a test.
    const brokenFiles = testResults.filter((file) => file.status === "failed" && file.assertionResults.length === 0);
    const failed = numFailedTests + brokenFiles.length;
    return {
      passed: numPassedTests,
      failed: failed === 0 && code !== 0 ? 1 : failed,
      skipped: notRun.length - notOurs.length,
      notes: notOurs.map(({ fullName }) => `left out by its own suite: ${fullName}`),
    };
  });
}

function playwright(files) {
  return counted("Browser tests", async () => {
    const report = join(reports, "playwright.json");
    env.PLAYWRIGHT_JSON_OUTPUT_FILE = report;
    const code = await exitCode([
      "node_modules/@playwright/test/cli.js",
      "test",
      `--config=${browserTests}/playwright.config.ts`,
      "--reporter=list,json",
      ...files,
    ]);
    const { stats, errors } = readReport(report, code);
    const failed = stats.unexpected + stats.flaky;
    return {
      passed: stats.expected,
      failed: failed === 0 && code !== 0 ? 1 : failed,
      skipped: stats.skipped,
      notes: errors.map((error) => error.message),
    };
  });
}

async function exitCode(args) {
  try {
    await runCommand(process.execPath, args, { cwd: root, env });
    return 0;
  } catch (error) {
    if (error instanceof CommandFailed) return error.code;
    throw error;
  }
}

/** A runner's own account of its run. One that was killed or could not begin has left none. */
function readReport(file, code) {
  if (!existsSync(file)) throw new Error(`ended with ${code} before it could report`);
  return JSON.parse(readFileSync(file, "utf8"));
}

/** Runs one part and adds its line to the summary; answers whether it passed. */
async function counted(title, work) {
  const began = performance.now();
  const end = (result) => {
    const skipped = result.skipped ?? 0;
    const notes = skipped > 0 ? [...result.notes, `${skipped} tests were skipped`] : result.notes;
    const failed = result.failed + (inCi && skipped > 0 ? 1 : 0);
    parts.push({ title, passed: result.passed, failed, notes, ms: performance.now() - began });
    return failed === 0;
  };
  try {
    return end(await timedStep(title, work));
  } catch (error) {
    await unlessEnding();
    return end({ passed: 0, failed: 1, notes: [error.message] });
  }
}

function missing(title, reason) {
  parts.push({ title, passed: 0, failed: inCi ? 1 : 0, notes: [`skipped: ${reason}`], ms: 0 });
}

function summarise() {
  console.log("");
  for (const { title, passed, failed, notes, ms } of parts) {
    const mark = failed > 0 ? red("✗") : passed > 0 ? green("✓") : yellow("–");
    console.log(`${mark} ${title}: ${passed} passed, ${failed} failed ${dim(spell(ms))}`);
    for (const note of notes) console.log(`  ${note}`);
  }
  const sum = (key) => parts.reduce((total, part) => total + part[key], 0);
  console.log(dim(`in ${spell(performance.now() - startedAt)}`));
  console.log(`${sum("passed")} passed, ${sum("failed")} failed`);
  // Nothing having run is no success.
  process.exitCode = sum("failed") > 0 || sum("passed") === 0 ? 1 : 0;
}
