/** A file in a room, what it contains, and which rule refuses it (none: it is allowed). */
export interface ArrowSample {
  file: string;
  content: string;
  refusedBy?: string;
}

const refused = (refusedBy: string, file: string, content: string): ArrowSample => ({ file, content, refusedBy });
const allowed = (file: string, content: string): ArrowSample => ({ file, content });

/** At least one sample per rule, and beside it the nearest thing that is allowed. */
export const arrowSamples: ArrowSample[] = [
  refused("domain-imports-zod-only", "packages/domain/src/reads-files.ts", `import "node:fs";`),
  refused("domain-imports-zod-only", "packages/domain/src/knows-storage.ts", `import "@wheelhouse/storage";`),
  allowed("packages/domain/src/parses.ts", `import { z } from "zod"; import "./index.ts"; export { z };`),

  refused(
    "adapters-are-chosen-in-main",
    "packages/runtime/src/opens-database.ts",
    `import "@wheelhouse/storage/prisma";`,
  ),
  refused("adapters-are-chosen-in-main", "apps/server/src/serve.ts", `import "@wheelhouse/storage/prisma";`),
  allowed("apps/server/src/main.ts", `import "@wheelhouse/storage/prisma";`),
  allowed("test/worlds/sqlite.ts", `import "@wheelhouse/storage/prisma";`),

  refused(
    "graphql-reads-through-the-models",
    "packages/graphql/src/opens-database.ts",
    `import "@wheelhouse/storage/prisma";`,
  ),
  allowed("packages/graphql/src/reads.ts", `import "@wheelhouse/storage/models"; import "@wheelhouse/storage";`),

  refused("storage-knows-domain-only", "packages/storage/src/starts-runs.ts", `import "@wheelhouse/runtime";`),
  allowed("packages/storage/src/stores.ts", `import "@wheelhouse/domain"; import "pg";`),

  refused("registry-knows-domain-only", "packages/registry/src/asks-storage.ts", `import "@wheelhouse/storage";`),
  allowed("packages/registry/src/resolves.ts", `import "@wheelhouse/domain"; import "yaml";`),

  refused("artifacts-know-domain-and-the-port", "packages/artifacts/src/runs.ts", `import "@wheelhouse/runtime";`),
  refused(
    "artifacts-know-domain-and-the-port",
    "packages/artifacts/src/opens-database.ts",
    `import "@wheelhouse/storage/prisma";`,
  ),
  allowed("packages/artifacts/src/publishes.ts", `import "@wheelhouse/domain"; import "@wheelhouse/storage";`),

  refused(
    "body-stores-are-chosen-in-main",
    "packages/runtime/src/opens-bucket.ts",
    `import "@wheelhouse/artifacts/stores";`,
  ),
  refused("body-stores-are-chosen-in-main", "packages/artifacts/src/falls-back.ts", `import "./stores/index.ts";`),

  refused("langchain-in-graph-only", "packages/runtime/src/calls-model.ts", `import "@langchain/core/messages";`),
  refused(
    "langchain-in-graph-only",
    "packages/graphql/src/builds-agent.ts",
    `import type { a } from "deepagents"; export type B = typeof a;`,
  ),
  refused("langchain-in-graph-only", "apps/server/src/builds-agent.ts", `import "langchain";`),
  allowed("packages/runtime/src/graph/calls-model.ts", `import "@langchain/core/messages";`),

  refused("runtime-is-plain", "packages/runtime/src/queries.ts", `import "pg";`),
  refused("runtime-is-plain", "packages/runtime/src/resolves.ts", `import "graphql";`),
  refused("runtime-is-plain", "packages/runtime/src/listens.ts", `import "node:http";`),
  allowed("packages/runtime/src/submits.ts", `import "@wheelhouse/storage"; import "@wheelhouse/registry";`),

  refused("runtime-rooms", "packages/runtime/src/answers.ts", `import "@wheelhouse/graphql";`),

  refused("graph-is-given-what-it-needs", "packages/runtime/src/graph/stores.ts", `import "@wheelhouse/storage";`),
  refused("graph-is-given-what-it-needs", "packages/runtime/src/graph/resolves.ts", `import "@wheelhouse/registry";`),
  allowed(
    "packages/runtime/src/graph/yields.ts",
    `import type { a } from "@wheelhouse/storage"; export type Yield = typeof a;`,
  ),

  refused("graph-stays-behind-its-door", "packages/graphql/src/runs.ts", `import "@wheelhouse/runtime/graph";`),
  refused("graph-stays-behind-its-door", "packages/runtime/src/runs.ts", `import "./graph/index.ts";`),
  allowed("apps/server/src/hosts.ts", `import "@wheelhouse/runtime/graph";`),

  refused("graphql-writes-through-use-cases", "packages/graphql/src/writes.ts", `import "better-sqlite3";`),
  refused("graphql-writes-through-use-cases", "packages/graphql/src/asks-itself.ts", `import "@wheelhouse/client";`),
  allowed("packages/graphql/src/submits.ts", `import "@wheelhouse/runtime"; import "@pothos/core";`),

  refused("client-knows-domain-types-only", "packages/client/src/folds.ts", `import "@wheelhouse/domain";`),
  refused(
    "client-knows-domain-only",
    "packages/client/src/names-rows.ts",
    `import type { a } from "@wheelhouse/storage"; export type Row = typeof a;`,
  ),
  allowed(
    "packages/client/src/names-words.ts",
    `import type { a } from "@wheelhouse/domain"; export type Word = typeof a;`,
  ),

  refused("backoffice-is-a-client", "apps/backoffice/src/queries.ts", `import "@wheelhouse/storage";`),
  refused("backoffice-has-no-server-parts", "apps/backoffice/src/calls-model.ts", `import "@langchain/core/messages";`),
  refused("backoffice-has-no-server-parts", "apps/backoffice/src/opens-database.ts", `import "better-sqlite3";`),
  allowed(
    "apps/backoffice/src/shows.tsx",
    `import "@wheelhouse/client"; import "@wheelhouse/domain"; import "react"; export const A = () => <p />;`,
  ),

  refused("rooms-have-no-pages", "packages/client/src/hooks.ts", `import "react";`),

  refused("apps-do-not-import-apps", "apps/backoffice/src/imports-server.ts", `import "../../server/src/hosts.ts";`),
  refused("apps-do-not-import-apps", "apps/server/src/imports-page.ts", `import "../../backoffice/src/shows.tsx";`),

  refused("production-imports-no-tests", "apps/server/src/uses-world.ts", `import "../../../test/worlds/sqlite.ts";`),
  refused(
    "production-imports-no-tests",
    "packages/runtime/src/uses-contract.ts",
    `import "@wheelhouse/storage/contract";`,
  ),
  allowed("packages/runtime/src/uses-contract.test.ts", `import "@wheelhouse/storage/contract"; import "vitest";`),

  refused("production-imports-no-test-libraries", "packages/domain/src/generates.ts", `import "fast-check";`),

  refused(
    "no-circles",
    "packages/registry/src/circle-a.ts",
    `import { b } from "./circle-b.ts"; export const a = () => b;`,
  ),
  allowed("packages/registry/src/circle-b-caller.ts", `import { b } from "./circle-b.ts"; export { b };`),
  refused(
    "no-circles",
    "packages/registry/src/circle-b.ts",
    `import { a } from "./circle-a.ts"; export const b = () => a;`,
  ),

  refused("every-import-resolves", "packages/registry/src/loses.ts", `import "./nowhere.ts";`),
];
