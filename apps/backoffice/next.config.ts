import { resolve } from "node:path";
import type { NextConfig } from "next";

const repositoryRoot = resolve(process.cwd(), process.cwd().endsWith("backoffice") ? "../.." : ".");

const config: NextConfig = {
  reactStrictMode: true,
  poweredByHeader: false,
  // The workspace packages export TypeScript sources.
  transpilePackages: ["@wheelhouse/client", "@wheelhouse/domain"],
  turbopack: { root: repositoryRoot },
  outputFileTracingRoot: repositoryRoot,
  devIndicators: false,
  experimental: { optimizePackageImports: ["@phosphor-icons/react", "@wheelhouse/domain"] },
};

export default config;
