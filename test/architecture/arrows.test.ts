import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { cruise, type ICruiseResult, type IViolation } from "dependency-cruiser";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import configuration from "../../.dependency-cruiser.mjs";
import { type ArrowSample, arrowSamples } from "./arrow-samples.ts";
import { repositoryRoot } from "./repository.ts";

const rules = configuration.forbidden ?? [];

async function violationsIn(baseDir: string, folders: string[]): Promise<IViolation[]> {
  const { enhancedResolveOptions, ...options } = configuration.options ?? {};
  const result = await cruise(
    folders,
    { ...options, enhancedResolveOptions, baseDir, ruleSet: { forbidden: rules }, validate: true },
    enhancedResolveOptions,
  );
  const output = result.output as ICruiseResult; // without a reporter, the output is the result
  return output.summary.violations;
}

const line = (violation: IViolation): string => `${violation.rule.name}: ${violation.from} → ${violation.to}`;

/** A machine that is busy reads a thousand files slowly; milliseconds. */
const readingDeadlineMs = 180_000;

describe("the import arrows", () => {
  it(
    "hold in every room",
    async () => {
      const violations = await violationsIn(repositoryRoot, ["packages", "apps", "test"]);
      expect(violations.map(line)).toEqual([]);
    },
    readingDeadlineMs,
  );

  describe("bite", () => {
    let folder: string;
    let violations: IViolation[];

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), "wheelhouse-arrows-"));
      writeRooms(folder, arrowSamples);
      violations = await violationsIn(folder, ["packages", "apps", "test"]);
    }, readingDeadlineMs);
    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    const rulesAgainst = (file: string): string[] =>
      violations
        // A circle is reported once, at whichever of its files was read first.
        .filter(({ from, cycle }) => from === file || cycle?.some((member) => member.name === file))
        .map((violation) => violation.rule.name);

    for (const { file, refusedBy } of arrowSamples) {
      if (refusedBy) it(`${refusedBy} refuses ${file}`, () => expect(rulesAgainst(file)).toContain(refusedBy));
      else it(`${file} is allowed`, () => expect(rulesAgainst(file)).toEqual([]));
    }
  });

  it("each have a sample that they refuse, and refuse it as an error", () => {
    const proved = new Set(arrowSamples.map((sample) => sample.refusedBy));
    expect(rules.filter((rule) => !proved.has(rule.name)).map((rule) => rule.name)).toEqual([]);
    expect(rules.filter((rule) => rule.severity !== "error").map((rule) => rule.name)).toEqual([]);
  });
});

const Manifest = z.looseObject({ exports: z.record(z.string(), z.string()).default({}) });

/** Builds the rooms with their doors, empty, then the samples, and npm packages that are only names. */
function writeRooms(folder: string, samples: ArrowSample[]): void {
  const write = (path: string, content: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  };
  for (const room of readdirSync(join(repositoryRoot, "packages"))) {
    const manifest = readFileSync(join(repositoryRoot, "packages", room, "package.json"), "utf8");
    write(`packages/${room}/package.json`, manifest);
    for (const door of Object.values(Manifest.parse(JSON.parse(manifest)).exports)) {
      write(join("packages", room, door), "export const a = 1;");
    }
    mkdirSync(join(folder, "node_modules/@wheelhouse"), { recursive: true });
    symlinkSync(`../../packages/${room}`, join(folder, "node_modules/@wheelhouse", room));
  }
  const names = samples.flatMap((sample) => [
    ...sample.content.matchAll(/(?:import|from) "(?!node:|@wheelhouse|\.)([^"]+)"/g),
  ]);
  for (const [, name = ""] of names) write(`node_modules/${name}/index.js`, "export const a = 1;");
  for (const sample of samples) write(sample.file, sample.content);
}
