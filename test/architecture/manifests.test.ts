import { describe, expect, it } from "vitest";
import { z } from "zod";
import { readRepositoryFile, repositoryFiles } from "./repository.ts";

const Versions = z.record(z.string(), z.string()).default({});
const Manifest = z.looseObject({
  name: z.string(),
  license: z.string().optional(),
  workspaces: z.array(z.string()).optional(),
  dependencies: Versions,
  devDependencies: Versions,
});
const Lock = z.looseObject({
  packages: z.record(z.string(), z.looseObject({ resolved: z.string().optional(), link: z.boolean().optional() })),
});

const manifests = repositoryFiles()
  .filter((file) => /(^|\/)package\.json$/.test(file))
  .map((file) => ({ file, manifest: Manifest.parse(JSON.parse(readRepositoryFile(file))) }));

describe("the manifests", () => {
  it("pin every dependency to one exact version", () => {
    const exact = /^(npm:(@[\w-]+\/)?[\w.-]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/;
    const loose = manifests.flatMap(({ file, manifest }) =>
      Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })
        .filter(([, version]) => !exact.test(version))
        .map(([name, version]) => `${file}: ${name} ${version}`),
    );
    expect(loose).toEqual([]);
  });

  it("ask for the same version of a package everywhere", () => {
    const versions = new Map<string, Set<string>>();
    for (const { manifest } of manifests) {
      for (const [name, version] of Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })) {
        versions.set(name, (versions.get(name) ?? new Set()).add(version));
      }
    }
    expect([...versions].filter(([, set]) => set.size > 1).map(([name, set]) => [name, ...set])).toEqual([]);
  });

  it("agree with a lock file that names no address to download from", () => {
    const { packages } = Lock.parse(JSON.parse(readRepositoryFile("package-lock.json")));
    const addresses = Object.entries(packages).filter(([, entry]) => !entry.link && entry.resolved !== undefined);
    expect(addresses.map(([path]) => path)).toEqual([]);
  });
});

describe("the environment", () => {
  it("is configured by fewer than forty variables, each explained", () => {
    const lines = readRepositoryFile(".env.example").split("\n");
    const variables = lines.flatMap((line, index) => {
      const name = /^#?\s?([A-Z][A-Z0-9_]*)=/.exec(line)?.[1];
      return name
        ? [{ name, explained: /^#/.test(lines[index - 1] ?? "") || /^#?\s?[A-Z]/.test(lines[index - 1] ?? "") }]
        : [];
    });
    expect(variables.length).toBeGreaterThan(0);
    expect(variables.length).toBeLessThan(40);
    expect(variables.filter((variable) => !variable.explained)).toEqual([]);
  });
});
