import type { Authority } from "@wheelhouse/domain";
import { type ConfigDeps, type ConfigOutcome, type ConfigWrite, changeConfig } from "./change-config.ts";
import { type ConfigKeyInput, writableKey } from "./config-key.ts";

export interface UpsertConfigEntityInput extends ConfigKeyInput {
  /** The whole definition: what it does not say is not kept. */
  definition?: unknown;
  expectedRevision?: number | null | undefined;
  createOnly?: boolean | null | undefined;
  /** Stays as it is, true at first, when absent. */
  enabled?: boolean | null | undefined;
  reason?: string | null | undefined;
  dryRun?: boolean | null | undefined;
}

/** Writes a definition as a whole. Answers with the conflict when it is not what the caller thinks. */
export const upsertConfigEntity = async (
  deps: ConfigDeps,
  authority: Authority,
  input: UpsertConfigEntityInput,
): Promise<ConfigOutcome> =>
  changeConfig(deps, authority, { writes: [upsertWrite(deps, authority, input)], dryRun: input.dryRun });

/** The input as one write among others. */
export function upsertWrite(
  deps: Pick<ConfigDeps, "scopeKeys">,
  authority: Authority,
  input: UpsertConfigEntityInput,
): ConfigWrite {
  const { expectedRevision, createOnly, enabled } = input;
  const key = writableKey(deps, authority, input);
  const make = () => input.definition;
  return { op: "put", key, make, expectedRevision, createOnly, enabled, reason: input.reason ?? null };
}
