import { type Authority, EntityName } from "@wheelhouse/domain";
import { type ConfigDeps, type ConfigOutcome, changeConfig } from "./change-config.ts";
import { type ConfigKeyInput, configInvalid, writableKey } from "./config-key.ts";

export interface SetConfigLabelInput extends ConfigKeyInput {
  label: string;
  revision: number;
  reason?: string | null | undefined;
  dryRun?: boolean | null | undefined;
}

/** Gives a revision a name such as `production`. A definition that is pinned to the label applies in that revision. */
export const setConfigLabel = async (
  deps: ConfigDeps,
  authority: Authority,
  input: SetConfigLabelInput,
): Promise<ConfigOutcome> => {
  const { revision, reason = null, dryRun } = input;
  const write = {
    op: "label",
    key: writableKey(deps, authority, input),
    label: labelOf(input),
    revision,
    reason,
  } as const;
  return changeConfig(deps, authority, { writes: [write], dryRun });
};

export interface DeleteConfigLabelInput extends ConfigKeyInput {
  label: string;
  reason?: string | null | undefined;
}

/** Takes a label away. Refuses while the definition is pinned to it. */
export const deleteConfigLabel = async (
  deps: ConfigDeps,
  authority: Authority,
  input: DeleteConfigLabelInput,
): Promise<ConfigOutcome> => {
  const key = writableKey(deps, authority, input);
  const write = { op: "label", key, label: labelOf(input), revision: null, reason: input.reason ?? null } as const;
  return changeConfig(deps, authority, { writes: [write] });
};

export interface PinConfigEntityInput extends ConfigKeyInput {
  /** Null: the latest revision applies again. */
  label?: string | null | undefined;
  reason?: string | null | undefined;
  dryRun?: boolean | null | undefined;
}

/** Says that a definition applies in the revision of a label, however it is edited meanwhile. */
export const pinConfigEntity = async (
  deps: ConfigDeps,
  authority: Authority,
  input: PinConfigEntityInput,
): Promise<ConfigOutcome> => {
  const { reason = null, dryRun } = input;
  const label = input.label == null ? null : labelOf({ label: input.label });
  const write = { op: "pin", key: writableKey(deps, authority, input), label, reason } as const;
  return changeConfig(deps, authority, { writes: [write], dryRun });
};

/** Labels look like names; a label `3` is not revision 3. */
function labelOf({ label }: { label: string }): string {
  const checked = EntityName.safeParse(label);
  if (checked.success) return label;
  throw configInvalid([{ path: "label", message: checked.error.issues[0]?.message ?? "is not a name" }]);
}
