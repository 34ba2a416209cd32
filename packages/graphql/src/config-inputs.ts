import { builder } from "./builder.ts";
import { ConfigKind } from "./enums.ts";

type Fields = Parameters<NonNullable<Parameters<typeof builder.inputType>[1]["fields"]>>[0];

const key = (t: Fields) => ({
  kind: t.field({ type: ConfigKind, required: true, description: "What it is of." }),
  name: t.string({ required: true, description: "Its name." }),
  scope: t.field({ type: "JSON", description: "The scope it applies at; the caller's own when absent." }),
});
const expected = (t: Fields) => ({
  expectedRevision: t.int({
    description: "The revision that the caller knows; refused when it is another one by now.",
  }),
});
const reason = (t: Fields) => ({
  reason: t.string({ description: "Why, for its history." }),
});
const dryRun = (t: Fields) => ({
  dryRun: t.boolean({ description: "Only say what would happen." }),
});
const mutation = (t: Fields) => ({
  clientMutationId: t.string({ description: "Comes back in the answer." }),
});
const definition = (t: Fields) => ({
  definition: t.field({
    type: "JSON",
    required: true,
    description: "The whole definition, as `configSchema` of its kind describes it.",
  }),
  createOnly: t.boolean({ description: "Refuse when there is one already." }),
  enabled: t.boolean({ description: "False: it is passed over. As it is, and true at first, when absent." }),
});

export const UpsertConfigEntityInput = builder.inputType("UpsertConfigEntityInput", {
  description: "A definition to write.",
  fields: (t) => ({ ...key(t), ...definition(t), ...expected(t), ...reason(t), ...dryRun(t), ...mutation(t) }),
});

export const PatchConfigEntityInput = builder.inputType("PatchConfigEntityInput", {
  description: "What to change of a definition.",
  fields: (t) => ({
    ...key(t),
    patch: t.field({
      type: "JSON",
      required: true,
      description: "JSON Merge Patch (RFC 7396): null takes a field away, lists are replaced as a whole.",
    }),
    enabled: t.boolean({ description: "False: it is passed over." }),
    ...{ ...expected(t), ...reason(t), ...dryRun(t), ...mutation(t) },
  }),
});

export const DeleteConfigEntityInput = builder.inputType("DeleteConfigEntityInput", {
  description: "Which definition to delete.",
  fields: (t) => ({ ...key(t), ...expected(t), ...reason(t), ...dryRun(t), ...mutation(t) }),
});

export const RestoreConfigRevisionInput = builder.inputType("RestoreConfigRevisionInput", {
  description: "Which state of a definition to write again.",
  fields: (t) => ({
    ...key(t),
    revision: t.int({ required: true, description: "The revision to write again." }),
    ...{ ...expected(t), ...reason(t), ...dryRun(t), ...mutation(t) },
  }),
});

const ConfigUpsertInput = builder.inputType("ConfigUpsertInput", {
  description: "A definition to write, in a set of changes.",
  fields: (t) => ({ ...key(t), ...definition(t), ...expected(t), ...reason(t) }),
});

const ConfigDeleteInput = builder.inputType("ConfigDeleteInput", {
  description: "A definition to delete, in a set of changes.",
  fields: (t) => ({ ...key(t), ...expected(t), ...reason(t) }),
});

const ConfigChangeInput = builder.inputType("ConfigChangeInput", {
  description: "One change of a set: one of both.",
  fields: (t) => ({
    upsert: t.field({ type: ConfigUpsertInput, description: "A definition to write." }),
    delete: t.field({ type: ConfigDeleteInput, description: "A definition to delete." }),
  }),
});

export const ApplyConfigChangeSetInput = builder.inputType("ApplyConfigChangeSetInput", {
  description: "Changes that belong together.",
  fields: (t) => ({
    changes: t.field({ type: [ConfigChangeInput], required: true, description: "1 to 500 changes." }),
    ...{ ...reason(t), ...dryRun(t), ...mutation(t) },
  }),
});

const label = (t: Fields) => ({
  label: t.string({ required: true, description: "The label, such as `production`." }),
});

export const SetConfigLabelInput = builder.inputType("SetConfigLabelInput", {
  description: "A name for a revision.",
  fields: (t) => ({
    ...{ ...key(t), ...label(t) },
    revision: t.int({ required: true, description: "The revision to name." }),
    ...{ ...reason(t), ...dryRun(t), ...mutation(t) },
  }),
});

export const DeleteConfigLabelInput = builder.inputType("DeleteConfigLabelInput", {
  description: "Which name to take away.",
  fields: (t) => ({ ...key(t), ...label(t), ...reason(t), ...mutation(t) }),
});

export const PinConfigEntityInput = builder.inputType("PinConfigEntityInput", {
  description: "Which revision of a definition applies.",
  fields: (t) => ({
    ...key(t),
    label: t.string({ description: "The label whose revision applies; the latest revision when absent." }),
    ...{ ...reason(t), ...dryRun(t), ...mutation(t) },
  }),
});
