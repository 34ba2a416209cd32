import { defineConfig } from "@playwright/test";
import type { WorkerOptions } from "./browser-test.ts";

export default defineConfig<object, WorkerOptions>({
  testDir: ".",
  testMatch: "*.spec.ts",
  outputDir: "../../test-results/e2e",
  // Two products with a browser each: they wait for one another's pages more than they compute.
  workers: 2,
  retries: 0,
  forbidOnly: true,
  // Deadlines for what hangs. The tests wait for what they expect, never for time.
  timeout: 180_000,
  expect: { timeout: 30_000 },
  projects: [
    { name: "sqlite", use: { database: "sqlite" } },
    // Where there is no PostgreSQL, npm test has said so, and has failed in CI.
    ...(process.env.TEST_POSTGRES_URL
      ? [{ name: "postgresql", use: { database: "postgresql" as const }, testMatch: "live.spec.ts" }]
      : []),
  ],
  use: {
    headless: true,
    viewport: { width: 1440, height: 900 },
    screenshot: "only-on-failure",
    trace: "retain-on-failure",
    launchOptions: {
      executablePath: process.env.CHROMIUM_PATH ?? "/usr/bin/chromium",
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
      ],
    },
  },
});
