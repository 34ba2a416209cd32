import { existsSync } from "node:fs";
import { bodyStores } from "@wheelhouse/domain";
import { z } from "zod";
import { parseAllowList } from "./outgoing/allowed-addresses.ts";
import { secretFile } from "./secret.ts";

/** Everything the process may be told, with what `.env.example` says about it. Nothing else reads the environment. */
const flag = z.enum(["true", "false"]).transform((value) => value === "true");
const list = z.string().transform((value) =>
  value
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== ""),
);
const databaseUrl = z
  .string()
  .regex(
    /^(memory:|file:.+|postgres(ql)?:\/\/.+)$/,
    "must be memory:, file:<path> or postgres://user:password@host/name",
  );
function isAllowList(entries: readonly string[]): boolean {
  try {
    parseAllowList(entries);
    return true;
  } catch {
    return false;
  }
}
const scopeKey = /^[a-z][a-z0-9_]{0,62}$/;

const Environment = z.object({
  DATABASE_URL: databaseUrl.default("file:.data/wheelhouse.db"),
  DATABASE_SCHEMA: z
    .string()
    .regex(/^[a-z_][a-z0-9_]{0,46}$/, "must be lower-case letters, digits and _, at most 47")
    .optional(),
  DATABASE_LISTEN_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\/.+$/, "must be postgres://…, a direct address without a transaction pooler")
    .optional(),
  DATABASE_POOL_SIZE: z.coerce.number().int("must be a whole number").min(2).max(500).default(10),
  HOST: z.string().min(1).default("127.0.0.1"),
  PORT: z.coerce.number("must be a number").int("must be a whole number").min(0).max(65_535).default(4000),
  PUBLIC_URL: z.url({ protocol: /^https?$/, error: "must be an http or https address" }).optional(),
  WHEELHOUSE_TRUSTED_ORIGINS: list.default([]),
  WHEELHOUSE_SECRET: z.string().min(32, "must have at least 32 characters").optional(),
  WHEELHOUSE_SECRET_PREVIOUS: list
    .default([])
    .refine((secrets) => secrets.every((secret) => secret.length >= 32), "must be secrets of at least 32 characters"),
  WHEELHOUSE_OUTGOING_ALLOW: list
    .default([])
    .refine(isAllowList, "must be host names, addresses or CIDR ranges, separated by commas"),
  WHEELHOUSE_SCOPE_KEYS: list
    .default(["project"])
    .refine((keys) => keys.every((key) => scopeKey.test(key)), "must be names of lower-case letters, digits and _")
    .refine((keys) => keys.includes("project"), "must contain project"),
  WHEELHOUSE_AUTO_MIGRATE: flag.optional(),
  WHEELHOUSE_DATA_DIR: z.string().min(1).default(".data"),
  WHEELHOUSE_WORKSPACE: z.string().min(1).default("."),
  WHEELHOUSE_PROJECT: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, "must be lower-case letters, digits and -")
    .default("default"),
  WHEELHOUSE_CONCURRENCY: z.coerce.number().int("must be a whole number").min(1).max(1000).default(50),
  WHEELHOUSE_DRAIN_SECONDS: z.coerce.number().min(0).max(3600).default(60),
  WHEELHOUSE_LEASE_SECONDS: z.coerce.number().min(1).max(3600).default(30),
  WHEELHOUSE_MAX_RECOVERIES: z.coerce.number().int("must be a whole number").min(0).max(1000).default(3),
  WHEELHOUSE_QUEUE_TIMEOUT_SECONDS: z.coerce.number().min(0).default(86_400),
  WHEELHOUSE_GRAPHIQL: flag.optional(),
  ARTIFACT_STORE: z.enum(bodyStores, "must be database, directory or s3").optional(),
  WHEELHOUSE_OBJECT_KEY_SECRET: z.string().min(32, "must have at least 32 characters").optional(),
  WHEELHOUSE_ARTIFACT_QUOTA_MB: z.coerce.number().min(1).optional(),
  S3_ENDPOINT: z.url({ protocol: /^https?$/, error: "must be an http or https address" }).optional(),
  S3_REGION: z.string().min(1).default("us-east-1"),
  S3_BUCKET: z
    .string()
    .regex(
      /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](\/[a-z0-9][a-z0-9._-]*)*$/,
      "must be the name of a bucket, or bucket/prefix",
    )
    .optional(),
  S3_ACCESS_KEY_ID: z.string().min(1).optional(),
  S3_SECRET_ACCESS_KEY: z.string().min(1).optional(),
  LOG_LEVEL: z.enum(["fatal", "error", "warn", "info", "debug", "trace", "silent"]).default("info"),
  LOG_FORMAT: z.enum(["json", "text"]).optional(),
  NODE_ENV: z.enum(["development", "production", "test"]).default("production"),
});
export type Settings = z.infer<typeof Environment>;

/** Variables that the workspace and the providers read, by the names they expect. */
export const providerVariables = ["WHEELHOUSE_MODEL", "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY"] as const;
/** The names of every variable there is. */
export const variableNames = [...Object.keys(Environment.shape), ...providerVariables];

const examples: Record<keyof Settings, string> = {
  DATABASE_URL: "postgres://wheelhouse:secret@localhost:5432/wheelhouse",
  DATABASE_SCHEMA: "wheelhouse",
  DATABASE_LISTEN_URL: "postgres://wheelhouse:secret@localhost:5432/wheelhouse",
  DATABASE_POOL_SIZE: "10",
  HOST: "0.0.0.0",
  PORT: "4000",
  PUBLIC_URL: "https://agents.example.com",
  WHEELHOUSE_TRUSTED_ORIGINS: "https://app.example.com,https://admin.example.com",
  WHEELHOUSE_SECRET: "the output of: openssl rand -base64 48",
  WHEELHOUSE_SECRET_PREVIOUS: "the value that WHEELHOUSE_SECRET had before",
  WHEELHOUSE_OUTGOING_ALLOW: "hooks.internal,10.1.0.0/16",
  WHEELHOUSE_SCOPE_KEYS: "project,user",
  WHEELHOUSE_AUTO_MIGRATE: "true",
  WHEELHOUSE_DATA_DIR: ".data",
  WHEELHOUSE_WORKSPACE: ".",
  WHEELHOUSE_PROJECT: "default",
  WHEELHOUSE_CONCURRENCY: "50",
  WHEELHOUSE_DRAIN_SECONDS: "60",
  WHEELHOUSE_LEASE_SECONDS: "30",
  WHEELHOUSE_MAX_RECOVERIES: "3",
  WHEELHOUSE_QUEUE_TIMEOUT_SECONDS: "86400",
  WHEELHOUSE_GRAPHIQL: "false",
  ARTIFACT_STORE: "s3",
  WHEELHOUSE_OBJECT_KEY_SECRET: "the output of: openssl rand -base64 48",
  WHEELHOUSE_ARTIFACT_QUOTA_MB: "10240",
  S3_ENDPOINT: "http://localhost:3900",
  S3_REGION: "garage",
  S3_BUCKET: "wheelhouse",
  S3_ACCESS_KEY_ID: "GK0000000000000000000000000000a11e",
  S3_SECRET_ACCESS_KEY: "the secret of the access key",
  LOG_LEVEL: "info",
  LOG_FORMAT: "json",
  NODE_ENV: "production",
};

/** Everything that is wrong with the environment, at once. Names variables, never their values. */
export class EnvironmentError extends Error {
  readonly problems: readonly { name: string; message: string; example: string }[];

  constructor(problems: readonly { name: string; message: string; example: string }[]) {
    const lines = problems.map(({ name, message, example }) => `  ${name} ${message}; for example ${name}=${example}`);
    super(`The environment is not right:\n${lines.join("\n")}`);
    this.name = "EnvironmentError";
    this.problems = problems;
  }
}

/** Reads the environment once, and whether a secret is kept in the data directory. An empty variable is the same as an absent one. */
export function parseEnvironment(environment: Readonly<Record<string, string | undefined>>): Settings {
  const given = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ""),
  );
  const parsed = Environment.safeParse(given);
  const problems = (parsed.error?.issues ?? []).map((issue) => {
    const name = String(issue.path[0]);
    const example = Object.entries(examples).find(([key]) => key === name)?.[1] ?? "";
    return { name, message: issue.message, example };
  });
  // Replicas must agree; where `npm start` has kept one, it is this machine's, and commands beside the server use it too.
  const isKept = () => existsSync(secretFile(given.WHEELHOUSE_DATA_DIR ?? ".data"));
  if (/^postgres/.test(given.DATABASE_URL ?? "") && given.WHEELHOUSE_SECRET === undefined && !isKept())
    problems.push({
      name: "WHEELHOUSE_SECRET",
      message: "is required with PostgreSQL: every replica must have the same one",
      example: examples.WHEELHOUSE_SECRET,
    });
  const needed = given.ARTIFACT_STORE === "s3" ? (["S3_BUCKET", "WHEELHOUSE_OBJECT_KEY_SECRET"] as const) : [];
  for (const name of needed)
    if (given[name] === undefined)
      problems.push({ name, message: "is required with ARTIFACT_STORE=s3", example: examples[name] });
  if ((given.S3_ACCESS_KEY_ID === undefined) !== (given.S3_SECRET_ACCESS_KEY === undefined)) {
    const name = given.S3_ACCESS_KEY_ID === undefined ? "S3_ACCESS_KEY_ID" : "S3_SECRET_ACCESS_KEY";
    problems.push({ name, message: "is the other half of a key, and missing", example: examples[name] });
  }
  if (parsed.data === undefined || problems.length > 0) throw new EnvironmentError(problems);
  return parsed.data;
}
