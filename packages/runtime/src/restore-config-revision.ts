import { type Authority, notFound } from "@wheelhouse/domain";
import type { ConfigDraft } from "@wheelhouse/storage";
import { type ConfigDeps, type ConfigOutcome, changeConfig } from "./change-config.ts";
import { type ConfigKeyInput, writableKey } from "./config-key.ts";

export interface RestoreConfigRevisionInput extends ConfigKeyInput {
  revision: number;
  expectedRevision?: number | null | undefined;
  reason?: string | null | undefined;
  dryRun?: boolean | null | undefined;
}

/** Writes an earlier state of a definition again, as a new revision; also of one that was deleted. */
export const restoreConfigRevision = async (
  deps: ConfigDeps,
  authority: Authority,
  input: RestoreConfigRevisionInput,
): Promise<ConfigOutcome> => {
  const { expectedRevision, revision } = input;
  const key = writableKey(deps, authority, input);
  const make = async (draft: ConfigDraft) => {
    const state = await draft.revision(key, revision);
    if (state === null) throw notFound("Revision");
    return state.definition;
  };
  const reason = input.reason ?? `restored revision ${revision}`;
  const write = { op: "put", key, make, expectedRevision, reason } as const;
  return changeConfig(deps, authority, { writes: [write], dryRun: input.dryRun });
};
