import { type Authority, mergePatch, notFound } from "@wheelhouse/domain";
import { type ConfigDeps, type ConfigOutcome, changeConfig } from "./change-config.ts";
import { type ConfigKeyInput, writableKey } from "./config-key.ts";

export interface PatchConfigEntityInput extends ConfigKeyInput {
  /** JSON Merge Patch: null takes a field away, what is not named stays. */
  patch?: unknown;
  expectedRevision?: number | null | undefined;
  enabled?: boolean | null | undefined;
  reason?: string | null | undefined;
  dryRun?: boolean | null | undefined;
}

/** Changes some fields of a definition, which is then checked as a whole. */
export const patchConfigEntity = async (
  deps: ConfigDeps,
  authority: Authority,
  input: PatchConfigEntityInput,
): Promise<ConfigOutcome> => {
  const { expectedRevision, enabled, reason = null } = input;
  const key = writableKey(deps, authority, input);
  const write = {
    ...({ op: "put", key, expectedRevision, enabled, reason } as const),
    make: (_: unknown, current: { definition: unknown } | null) => {
      if (current === null) throw notFound("Definition");
      return mergePatch(current.definition, input.patch);
    },
  };
  return changeConfig(deps, authority, { writes: [write], dryRun: input.dryRun });
};
