// The import arrows of ARCHITECTURE.md, each an error. test/architecture/arrows.test.ts proves that each one bites.

/** Files that only tests load: they may import anything. */
const tests = String.raw`(^test/|^packages/[^/]+/test/|\.test\.tsx?$|^packages/[^/]+/src/contract/|^vitest\.config\.ts$)`;
/** A package of npm by name, as it is imported or as it is found. `(/|$)` keeps `pg` from matching `pg-boss`. */
const npm = (...names) => `(^|node_modules/)(${names.join("|")})(/|$)`;
const builtIn = "^(node:)?(http|https|http2|net|tls|dgram|fs|fs/promises|child_process|worker_threads)$";

const langchain = npm("@langchain/[^/]+", "langchain", "deepagents");
const databases = npm("@prisma/[^/]+", "prisma", "pg", "better-sqlite3", "kysely", "graphile-worker");
const graphqlLibraries = npm("graphql", "graphql-yoga", "graphql-ws", "graphql-sse", "@pothos/[^/]+");
const webLibraries = npm("next", "react", "react-dom", "urql", "@urql/[^/]+", "@cloudflare/kumo");
const domainMatter = "^packages/domain/";
/** The generated clients and the adapter around them; `models.ts` is the read side that GraphQL builds on. */
const storageAdapters = "^packages/storage/src/(prisma|memory|sqlite|postgresql|generated)/";
const readModels = "^packages/storage/src/(prisma/models\\.ts|generated/)";

const error = (name, comment, from, to) => ({ name, comment, severity: "error", from, to });
const production = (path, ...not) => ({ path, pathNot: [tests, ...not] });

/** @type {import("dependency-cruiser").IConfiguration} */
export default {
  forbidden: [
    error(
      "domain-imports-zod-only",
      "The words depend on nothing that runs: zod, and node:crypto in the one file that digests.",
      production("^packages/domain/src/", String.raw`^packages/domain/src/digest\.ts$`),
      { pathNot: [domainMatter, npm("zod")] },
    ),
    error(
      "adapters-are-chosen-in-main",
      "Nothing but the composition root and tests knows which database there is.",
      { pathNot: [tests, "^packages/storage/src/", "^packages/graphql/src/", String.raw`^apps/server/src/main\.ts$`] },
      { path: storageAdapters },
    ),
    error(
      "graphql-reads-through-the-models",
      "GraphQL reads through the models and their visibility clause; the adapter behind the port stays closed to it.",
      production("^packages/graphql/src/"),
      { path: storageAdapters, pathNot: readModels },
    ),
    error(
      "storage-knows-domain-only",
      "The port and its adapters are the bottom floor.",
      production("^packages/storage/src/"),
      { path: "^(packages|apps)/", pathNot: ["^packages/storage/", domainMatter] },
    ),
    error(
      "registry-knows-domain-only",
      "Definitions are resolved without the database, the runtime or the API.",
      production("^packages/registry/src/"),
      { path: "^(packages|apps)/", pathNot: ["^packages/registry/", domainMatter] },
    ),
    error(
      "artifacts-know-domain-and-the-port",
      "Bodies are published and read over two ports: storage's and their own.",
      production("^packages/artifacts/src/"),
      { path: "^(packages|apps)/", pathNot: ["^packages/artifacts/", domainMatter, "^packages/storage/src/[^/]+$"] },
    ),
    error(
      "body-stores-are-chosen-in-main",
      "Nothing but the composition root and tests knows where bodies lie.",
      { pathNot: [tests, "^packages/artifacts/src/stores/", String.raw`^apps/server/src/main\.ts$`] },
      { path: "^packages/artifacts/src/stores/" },
    ),
    error(
      "langchain-in-graph-only",
      "One room knows LangGraph; everybody else speaks GraphHost.",
      { path: "^(packages|apps)/", pathNot: [tests, "^packages/runtime/src/graph/"] },
      { path: langchain },
    ),
    error(
      "runtime-is-plain",
      "Use-cases know ports: no database, no GraphQL, no sockets or files.",
      production("^packages/runtime/src/", "^packages/runtime/src/graph/"),
      { path: [databases, graphqlLibraries, builtIn] },
    ),
    error(
      "runtime-rooms",
      "The runtime stands on domain, storage's port, artifacts and the registry.",
      production("^packages/runtime/src/"),
      { path: "^(packages|apps)/", pathNot: ["^packages/(runtime|storage|registry|artifacts)/", domainMatter] },
    ),
    error(
      "graph-is-given-what-it-needs",
      "Executing a graph never reaches for stores: it yields what is to be recorded. Types of the records may be named.",
      production("^packages/runtime/src/graph/"),
      { path: "^packages/(storage|registry|artifacts)/", dependencyTypesNot: ["type-only"] },
    ),
    error(
      "graph-stays-behind-its-door",
      "Only the composition root builds a GraphHost.",
      { path: "^(packages|apps)/", pathNot: [tests, "^packages/runtime/src/graph/", "^apps/server/src/"] },
      { path: "^packages/runtime/src/graph/" },
    ),
    error(
      "graphql-writes-through-use-cases",
      "The API parses, calls one use-case and maps refusals: no driver, no graph, no app.",
      production("^packages/graphql/src/"),
      { path: [npm("pg", "better-sqlite3", "graphile-worker"), langchain, "^packages/client/", "^apps/"] },
    ),
    error(
      "client-knows-domain-types-only",
      "The client ships to browsers: of the product it may name types of the domain.",
      production("^packages/client/src/"),
      { path: "^(packages|apps)/", pathNot: "^packages/client/", dependencyTypesNot: ["type-only"] },
    ),
    error(
      "client-knows-domain-only",
      "Not even the types of server rooms: they would drag their dependencies into the client's types.",
      production("^packages/client/src/"),
      { path: "^(packages|apps)/", pathNot: ["^packages/client/", domainMatter] },
    ),
    error(
      "backoffice-is-a-client",
      "The backoffice sees what any application sees: the client and the domain's pure folds.",
      production("^apps/backoffice/"),
      { path: "^(packages|apps)/", pathNot: ["^packages/(client|domain)/", "^apps/backoffice/"] },
    ),
    error(
      "backoffice-has-no-server-parts",
      "No driver, no graph library and no server secret can reach a page.",
      production("^apps/backoffice/"),
      { path: [databases, langchain, npm("graphql-yoga", "@pothos/[^/]+")] },
    ),
    error("rooms-have-no-pages", "React belongs to the backoffice.", production("^packages/"), { path: webLibraries }),
    error(
      "apps-do-not-import-apps",
      "Applications meet over the wire.",
      { path: "^apps/([^/]+)/", pathNot: tests },
      { path: "^apps/", pathNot: "^apps/$1/" },
    ),
    error(
      "production-imports-no-tests",
      "What ships loads nothing that is there for tests.",
      { path: "^(packages|apps)/", pathNot: tests },
      { path: tests },
    ),
    error(
      "production-imports-no-test-libraries",
      "Development dependencies are not installed where the product runs.",
      { path: "^(packages|apps)/", pathNot: [tests, "^packages/client/"] },
      { path: npm("vitest", "fast-check", "@playwright/test", "happy-dom", "axe-core") },
    ),
    error(
      "no-circles",
      "A circle of modules is one module in many files.",
      { pathNot: tests },
      {
        circular: true,
        dependencyTypesNot: ["type-only"],
      },
    ),
    error(
      "every-import-resolves",
      "An import that is not found is an error before anything runs.",
      {},
      {
        couldNotResolve: true,
        pathNot: ["^virtual:", String.raw`\.css$`],
      },
    ),
  ],
  options: {
    // Types count: a room that names another room's types depends on it.
    tsPreCompilationDeps: true,
    doNotFollow: { path: "(^|/)node_modules/" },
    // The last: examples of the documents, which a test writes down and removes while this one looks.
    exclude: { path: String.raw`(^|/)(\.next|dist|test-results|\.fixture-[^/]*)/` },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "require", "node", "default", "types"],
      mainFields: ["module", "main", "types", "typings"],
      extensions: [".ts", ".tsx", ".mjs", ".js", ".json", ".d.ts"],
    },
  },
};
