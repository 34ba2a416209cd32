import { describe, expect, it } from "vitest";
import { readRepositoryFile, repositoryFiles, sourceFiles } from "./repository.ts";

interface Law {
  law: string;
  /** A line that breaks the law, to see that the pattern bites. Written in pieces where this file would break it. */
  broken: string;
  pattern: RegExp;
  files: RegExp;
  except?: RegExp;
}

const typescript = /\.tsx?$/;
const anySource = /\.(m?[jt]s|tsx)$/;
const tests = /(^test\/|^packages\/[^/]+\/test\/|\.test\.tsx?$)/;
const thisFile = "test/architecture/laws.test.ts";

const laws: Law[] = [
  {
    law: "no test is skipped, focused or left to be written",
    pattern: /\b(it|test|describe|suite)\.(skip|only|todo)\(|\b(xit|xdescribe|fit|fdescribe)\(/,
    broken: `it.${"skip"}("works", () => {})`,
    files: anySource,
  },
  {
    law: "no escape from the type system",
    pattern: /(: any\b|\bas any\b|<any>|@ts-ignore|@ts-expect-error|@ts-nocheck)/,
    broken: "const row: any = read();",
    files: typescript,
    except: /^test\/architecture\//,
  },
  {
    law: "no word that hides unfinished work",
    pattern: /\b(TODO|FIXME|XXX)\b|\b[Nn]ot (yet )?implemented\b/,
    broken: "// TODO later",
    files: /\.(m?[jt]s|tsx|prisma|sql|css|md|ya?ml|graphql)$/,
    except: /^test\/architecture\//,
  },
  {
    law: "a library never reads the environment",
    pattern: /\bprocess\.env\b/,
    broken: "const url = process.env.DATABASE_URL;",
    files: /^packages\/.*\.tsx?$/,
    except: tests,
  },
  {
    law: "a library never writes to the console",
    pattern: /\bconsole\.(log|info|warn|error|debug)\(/,
    broken: `console.log("here");`,
    files: /^packages\/.*\.tsx?$/,
    except: tests,
  },
  {
    law: "no path of one machine",
    pattern: /(?<![\w.~:/-])\/(work|farm|Users|root)\/[a-z]|\/home\/(?!wheelhouse\b|user\b|node\b)[a-z]+\//,
    broken: "/Users/ann/wheelhouse",
    files: /./,
    except: /^(package-lock\.json|test\/architecture\/)/,
  },
  {
    law: "no address of a package registry",
    pattern: /registry\.npmjs|registry\.yarnpkg|deb\.debian|nodesource|npm\.pkg\.github/,
    broken: `https://registry.${"npmjs"}.org/zod`,
    files: /./,
    except: /^test\/architecture\//,
  },
];

const forbiddenNames = /^(utils?|helpers?|common|shared|misc|libs?|base|managers?|v2)$/;

describe("the laws of the house", () => {
  for (const { law, pattern, files, except, broken } of laws) {
    it(law, () => {
      expect(broken).toMatch(pattern);
      const offences = repositoryFiles()
        .filter((file) => files.test(file) && !except?.test(file) && file !== thisFile && !isBinary(file))
        .flatMap((file) =>
          readRepositoryFile(file)
            .split("\n")
            .flatMap((text, index) =>
              pattern.test(text) ? [`${file}:${index + 1}: ${text.trim().slice(0, 120)}`] : [],
            ),
        );
      expect(offences).toEqual([]);
    });
  }

  it("names say what is inside: none of the names that say nothing", () => {
    const offences = repositoryFiles().filter((file) =>
      file.split("/").some((part) => forbiddenNames.test(part.replace(/(\.test)?\.[a-z]+$/, ""))),
    );
    expect(offences).toEqual([]);
  });

  it("a source file is one room: at most 500 lines", () => {
    const offences = sourceFiles()
      .map((file) => ({ file, lines: readRepositoryFile(file).split("\n").length - 1 }))
      .filter(({ lines }) => lines > 500);
    expect(offences).toEqual([]);
  });

  it("source files are named in kebab-case", () => {
    // Next names routes by [parameter] and (group).
    const name = /^(\.?[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9-]+)+|\[[\w.]+\]|\([a-z-]+\))$/;
    expect(sourceFiles().filter((file) => !name.test(file.split("/").at(-1) ?? ""))).toEqual([]);
  });
});

const isBinary = (file: string): boolean => /\.(png|jpe?g|ico|woff2?|gif|webp|pdf|db|gz)$/.test(file);
