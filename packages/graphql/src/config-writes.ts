import { Refusal, type Scope } from "@wheelhouse/domain";
import {
  applyConfigChangeSet,
  type ChangedConfig,
  type ConfigOutcome,
  deleteConfigEntity,
  deleteConfigLabel,
  patchConfigEntity,
  pinConfigEntity,
  type ResolutionImpact,
  restoreConfigRevision,
  setConfigLabel,
  upsertConfigEntity,
} from "@wheelhouse/runtime";
import type { ConfigEntityRecord } from "@wheelhouse/storage";
import { builder } from "./builder.ts";
import { ConfigChange } from "./config-changes.ts";
import { ConfigEntity, storedEntity } from "./config-entity.ts";
import {
  ApplyConfigChangeSetInput,
  DeleteConfigEntityInput,
  DeleteConfigLabelInput,
  PatchConfigEntityInput,
  PinConfigEntityInput,
  RestoreConfigRevisionInput,
  SetConfigLabelInput,
  UpsertConfigEntityInput,
} from "./config-inputs.ts";
import { authorityOf } from "./context.ts";
import { globalId } from "./global-id.ts";
import {
  ConfigInvalid,
  FileManaged,
  Forbidden,
  NotFound,
  orRefused,
  RefusalInterface,
  type Refused,
} from "./refusals.ts";

const Impact = builder.objectRef<ResolutionImpact>("ResolutionImpact").implement({
  description: "An agent that runs differently by a change, in every scope that has these keys.",
  fields: (t) => ({
    agent: t.exposeString("agent", { description: "The agent's name." }),
    scope: t.field({ type: "JSON", description: "The scope.", resolve: ({ scope }): Scope => scope }),
    before: t.exposeString("before", {
      nullable: true,
      description: "SHA-256 hex of the manifest of its runs before; null when it could not run.",
    }),
    after: t.exposeString("after", { nullable: true, description: "The same afterwards." }),
  }),
});

interface SavedShape extends ChangedConfig {
  __typename: "ConfigSaved";
  impact: ResolutionImpact[];
  impactComplete: boolean;
  clientMutationId: string | null;
}

const impactDescription = "The agents that run differently from now on, or would after a dry run.";
const completeDescription = "False when the change concerns more agents than were looked at.";
const changeDescription = "What happened; null when nothing was different. Of a dry run: what would have.";

const ConfigSaved = builder.objectRef<SavedShape>("ConfigSaved").implement({
  description: "A definition was written, or could be when it was a dry run.",
  fields: (t) => ({
    entity: t.field({
      type: ConfigEntity,
      description: "The definition, as it is now or would be.",
      resolve: ({ entity }) => storedEntity(entity),
    }),
    change: t.field({
      type: ConfigChange,
      nullable: true,
      description: changeDescription,
      resolve: ({ change }) => change,
    }),
    diff: t.field({
      type: "JSON",
      nullable: true,
      description:
        "Where the definition before and after differ: a list of `{path, before, after}`, paths as JSONPath.",
      resolve: ({ diff }) => diff,
    }),
    impact: t.field({ type: [Impact], description: impactDescription, resolve: ({ impact }) => impact }),
    impactComplete: t.exposeBoolean("impactComplete", { description: completeDescription }),
    clientMutationId: t.exposeString("clientMutationId", { nullable: true, description: "As it was sent." }),
  }),
});

interface ConflictShape extends Refused {
  __typename: "ConfigConflict";
  current: ConfigEntityRecord;
  diff: unknown;
  index: number;
}

const ConfigConflict = builder.objectRef<ConflictShape>("ConfigConflict").implement({
  description: "Somebody else wrote the definition first. Nothing was written.",
  interfaces: [RefusalInterface],
  fields: (t) => ({
    current: t.field({
      type: ConfigEntity,
      description: "The definition as it is.",
      resolve: ({ current }) => storedEntity(current),
    }),
    diff: t.field({
      type: "JSON",
      description: "What the refused write would change of it: a list of `{path, before, after}`, paths as JSONPath.",
      resolve: ({ diff }) => diff,
    }),
    index: t.exposeInt("index", { description: "Which change of a set it is about, from 0." }),
  }),
});

const refusalTypes = [ConfigConflict, ConfigInvalid, FileManaged, NotFound, Forbidden] as const;
const refusals = ["ConfigInvalid", "FileManaged", "NotFound", "Forbidden"] as const;

const UpsertConfigEntityResult = builder.unionType("UpsertConfigEntityResult", {
  description: "The definition as it is now, or why it is refused.",
  types: [ConfigSaved, ...refusalTypes],
  resolveType: (value) => value.__typename,
});

interface DeletedShape extends Omit<SavedShape, "__typename"> {
  __typename: "DeleteConfigEntitySuccess";
}

const DeleteConfigEntitySuccess = builder.objectRef<DeletedShape>("DeleteConfigEntitySuccess").implement({
  description: "The definition applies nowhere any more, or would not after a dry run. Its revisions stay.",
  fields: (t) => ({
    deletedId: t.id({
      description: "The global id it had, and has again when a revision is restored.",
      resolve: ({ entity }) => globalId("ConfigEntity", entity.id),
    }),
    change: t.field({
      type: ConfigChange,
      nullable: true,
      description: changeDescription,
      resolve: (one) => one.change,
    }),
    impact: t.field({ type: [Impact], description: impactDescription, resolve: ({ impact }) => impact }),
    impactComplete: t.exposeBoolean("impactComplete", { description: completeDescription }),
    clientMutationId: t.exposeString("clientMutationId", { nullable: true, description: "As it was sent." }),
  }),
});

const DeleteConfigEntityResult = builder.unionType("DeleteConfigEntityResult", {
  description: "That it is gone, or why it is refused.",
  types: [DeleteConfigEntitySuccess, ...refusalTypes],
  resolveType: (value) => value.__typename,
});

interface AppliedShape {
  __typename: "ApplyConfigChangeSetSuccess";
  saved: SavedShape[];
  impact: ResolutionImpact[];
  impactComplete: boolean;
  clientMutationId: string | null;
}

const ApplyConfigChangeSetSuccess = builder.objectRef<AppliedShape>("ApplyConfigChangeSetSuccess").implement({
  description: "All changes of the set were written, or could be when it was a dry run.",
  fields: (t) => ({
    saved: t.field({
      type: [ConfigSaved],
      description: "Each definition, in the order of the changes; of a deleted one, what it was.",
      resolve: ({ saved }) => saved,
    }),
    impact: t.field({ type: [Impact], description: impactDescription, resolve: ({ impact }) => impact }),
    impactComplete: t.exposeBoolean("impactComplete", { description: completeDescription }),
    clientMutationId: t.exposeString("clientMutationId", { nullable: true, description: "As it was sent." }),
  }),
});

const ApplyConfigChangeSetResult = builder.unionType("ApplyConfigChangeSetResult", {
  description: "That all changes were written, or why none was.",
  types: [ApplyConfigChangeSetSuccess, ...refusalTypes],
  resolveType: (value) => value.__typename,
});

type Saved = Extract<ConfigOutcome, { outcome: "saved" }>;

/** What `success` makes of the outcome, or why there is none. */
const answer = <T>(act: () => Promise<ConfigOutcome>, success: (saved: Saved) => T) =>
  orRefused(refusals, async (): Promise<T | ConflictShape> => {
    const outcome = await act();
    return outcome.outcome === "saved" ? success(outcome) : conflictOf(outcome);
  });

function conflictOf({ current, diff, index }: Extract<ConfigOutcome, { outcome: "conflict" }>): ConflictShape {
  const message = `${current.name} is at revision ${current.revision} already; look at what was written and try again`;
  return { __typename: "ConfigConflict", refusal: new Refusal("CONFIG_CONFLICT", message), current, diff, index };
}

function savedOf({ saved, impact, impactComplete }: Saved, clientMutationId: string | null | undefined): SavedShape {
  const [first] = saved;
  if (first === undefined) throw new Error("A write that was saved is one of what was saved");
  return { __typename: "ConfigSaved", ...first, impact, impactComplete, clientMutationId: clientMutationId ?? null };
}

builder.mutationFields((t) => ({
  upsertConfigEntity: t.field({
    type: UpsertConfigEntityResult,
    description: "Writes a definition as a whole.",
    args: { input: t.arg({ type: UpsertConfigEntityInput, required: true, description: "The definition." }) },
    resolve: (_, { input }, context) =>
      answer(
        () => upsertConfigEntity(context.runtime, authorityOf(context), input),
        (saved) => savedOf(saved, input.clientMutationId),
      ),
  }),
  patchConfigEntity: t.field({
    type: UpsertConfigEntityResult,
    description: "Changes some fields of a definition; what is not named stays.",
    args: { input: t.arg({ type: PatchConfigEntityInput, required: true, description: "The change." }) },
    resolve: (_, { input }, context) =>
      answer(
        () => patchConfigEntity(context.runtime, authorityOf(context), input),
        (saved) => savedOf(saved, input.clientMutationId),
      ),
  }),
  deleteConfigEntity: t.field({
    type: DeleteConfigEntityResult,
    description: "Deletes a definition that no agent needs. Its revisions stay and can be restored.",
    args: { input: t.arg({ type: DeleteConfigEntityInput, required: true, description: "Which one." }) },
    resolve: (_, { input }, context) =>
      answer(
        () => deleteConfigEntity(context.runtime, authorityOf(context), input),
        (saved): DeletedShape => ({
          ...savedOf(saved, input.clientMutationId),
          __typename: "DeleteConfigEntitySuccess",
        }),
      ),
  }),
  restoreConfigRevision: t.field({
    type: UpsertConfigEntityResult,
    description: "Writes an earlier state of a definition again, as a new revision; also of one that was deleted.",
    args: { input: t.arg({ type: RestoreConfigRevisionInput, required: true, description: "Which state." }) },
    resolve: (_, { input }, context) =>
      answer(
        () => restoreConfigRevision(context.runtime, authorityOf(context), input),
        (saved) => savedOf(saved, input.clientMutationId),
      ),
  }),
  applyConfigChangeSet: t.field({
    type: ApplyConfigChangeSetResult,
    description: "Writes several definitions, all or none. They may name each other.",
    args: { input: t.arg({ type: ApplyConfigChangeSetInput, required: true, description: "The changes." }) },
    resolve: (_, { input }, context) =>
      answer(
        () => applyConfigChangeSet(context.runtime, authorityOf(context), input),
        (done): AppliedShape => ({
          __typename: "ApplyConfigChangeSetSuccess",
          saved: done.saved.map((one) => savedOf({ ...done, saved: [one] }, null)),
          impact: done.impact,
          impactComplete: done.impactComplete,
          clientMutationId: input.clientMutationId ?? null,
        }),
      ),
  }),
  setConfigLabel: t.field({
    type: UpsertConfigEntityResult,
    description: "Gives a revision a name, or moves the name to it.",
    args: { input: t.arg({ type: SetConfigLabelInput, required: true, description: "The name and the revision." }) },
    resolve: (_, { input }, context) =>
      answer(
        () => setConfigLabel(context.runtime, authorityOf(context), input),
        (saved) => savedOf(saved, input.clientMutationId),
      ),
  }),
  deleteConfigLabel: t.field({
    type: UpsertConfigEntityResult,
    description: "Takes a name of a revision away; refused while the definition is pinned to it.",
    args: { input: t.arg({ type: DeleteConfigLabelInput, required: true, description: "The name." }) },
    resolve: (_, { input }, context) =>
      answer(
        () => deleteConfigLabel(context.runtime, authorityOf(context), input),
        (saved) => savedOf(saved, input.clientMutationId),
      ),
  }),
  pinConfigEntity: t.field({
    type: UpsertConfigEntityResult,
    description: "Lets the revision of a label apply, however the definition is edited; or the latest again.",
    args: { input: t.arg({ type: PinConfigEntityInput, required: true, description: "The label." }) },
    resolve: (_, { input }, context) =>
      answer(
        () => pinConfigEntity(context.runtime, authorityOf(context), input),
        (saved) => savedOf(saved, input.clientMutationId),
      ),
  }),
}));
