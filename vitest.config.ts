import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

export default defineConfig({
  // The file that Node takes for "graphql": of its two builds a process may hold only one.
  resolve: { alias: [{ find: /^graphql$/, replacement: fileURLToPath(import.meta.resolve("graphql")) }] },
  // Next keeps JSX for its own compiler; the tests need it compiled.
  oxc: { jsx: { runtime: "automatic" } },
  test: {
    include: ["packages/**/*.test.{ts,tsx}", "apps/**/*.test.{ts,tsx}", "test/**/*.test.ts"],
    exclude: ["**/node_modules/**", "**/.next/**", "test/e2e/**"],
    // A process per file: databases, sockets and signal handlers of one file cannot reach another.
    pool: "forks",
    maxWorkers: 2,
    // A deadline for what hangs, not a measurement: on two busy cores a database can take seconds to be made.
    testTimeout: 30_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
    // Unhandled rejections fail the run (Vitest's default); nothing here turns that off.
    passWithNoTests: false,
  },
});
