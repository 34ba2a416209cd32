import type { Authority } from "@wheelhouse/domain";
import { type ConfigDeps, type ConfigOutcome, type ConfigWrite, changeConfig } from "./change-config.ts";
import { type ConfigKeyInput, writableKey } from "./config-key.ts";

export interface DeleteConfigEntityInput extends ConfigKeyInput {
  expectedRevision?: number | null | undefined;
  reason?: string | null | undefined;
  dryRun?: boolean | null | undefined;
}

/** Deletes a definition; its revisions stay and can be restored. Refuses while an agent that runs needs it. */
export const deleteConfigEntity = async (
  deps: ConfigDeps,
  authority: Authority,
  input: DeleteConfigEntityInput,
): Promise<ConfigOutcome> =>
  changeConfig(deps, authority, { writes: [deleteWrite(deps, authority, input)], dryRun: input.dryRun });

/** The input as one write among others. */
export function deleteWrite(
  deps: Pick<ConfigDeps, "scopeKeys">,
  authority: Authority,
  input: DeleteConfigEntityInput,
): ConfigWrite {
  const { expectedRevision, reason = null } = input;
  return { op: "delete", key: writableKey(deps, authority, input), expectedRevision, reason };
}
