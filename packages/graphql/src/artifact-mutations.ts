import { deleteArtifact, putArtifact, restoreArtifactVersion } from "@wheelhouse/runtime";
import type { ArtifactReceipt } from "@wheelhouse/storage";
import { builder } from "./builder.ts";
import { authorityWithRole } from "./context.ts";
import { ArtifactKind, EventVisibility } from "./enums.ts";
import { globalId, rowIdOf } from "./global-id.ts";
import { Artifact } from "./refs.ts";
import {
  ArtifactConflict,
  BodyUnavailable,
  Forbidden,
  Invalid,
  NotFound,
  orRefused,
  QuotaExceeded,
  TooLarge,
} from "./refusals.ts";

const clientMutationId = "For your own bookkeeping.";

const PutArtifactInput = builder.inputType("PutArtifactInput", {
  description:
    "The next version of an artifact. Bodies of more than some hundred kilobytes are sent by HTTP instead: PUT /artifacts/<path>.",
  fields: (t) => ({
    path: t.string({
      required: true,
      description: "Where it lies, for example /artifacts/report.md; without a route it lies in that of its kind.",
    }),
    kind: t.field({ type: ArtifactKind, description: "What it is for; as its route says when absent, else ARTIFACT." }),
    text: t.string({ description: "The body as text. Give this or `base64`." }),
    base64: t.string({ description: "The body as Base64 with padding." }),
    contentType: t.string({ description: "Its media type; found out when absent." }),
    expectedVersion: t.int({
      description: "The latest version as you know it, 0 for none; another one is a conflict.",
    }),
    visibility: t.field({
      type: EventVisibility,
      description: "Who a new artifact is meant for; by its kind when absent.",
    }),
    sessionId: t.id({ description: "The global id of the conversation that it belongs to." }),
    scope: t.field({ type: "JSON", description: "The scope to put it in, for callers that reach a whole project." }),
    clientMutationId: t.string({ description: clientMutationId }),
  }),
});

const RestoreArtifactVersionInput = builder.inputType("RestoreArtifactVersionInput", {
  description: "Which version to make the latest one again.",
  fields: (t) => ({
    artifactId: t.id({ required: true, description: "The global id of the artifact." }),
    version: t.int({ required: true, description: "The number of the version whose bytes are wanted back." }),
    expectedVersion: t.int({ description: "The latest version as you know it; another one is a conflict." }),
    clientMutationId: t.string({ description: clientMutationId }),
  }),
});

const DeleteArtifactInput = builder.inputType("DeleteArtifactInput", {
  description: "Which artifact to delete: by its id, or by its path in the caller's own scope.",
  fields: (t) => ({
    artifactId: t.id({ description: "Its global id." }),
    path: t.string({ description: "Its path." }),
    expectedVersion: t.int({ description: "The latest version as you know it; another one is a conflict." }),
    clientMutationId: t.string({ description: "Comes back in the answer." }),
  }),
});

const PutArtifactResult = builder.unionType("PutArtifactResult", {
  description: "The artifact as it is now, or why it is refused. What is refused leaves the version before as it was.",
  types: [Artifact, ArtifactConflict, QuotaExceeded, TooLarge, BodyUnavailable, NotFound, Forbidden, Invalid],
  resolveType: (value) => ("__typename" in value ? value.__typename : "Artifact"),
});

const ReceiptType = builder.objectRef<ArtifactReceipt>("ArtifactReceipt").implement({
  description: "What was deleted, and whether the last of it is gone.",
  fields: (t) => ({
    path: t.exposeString("path", { description: "Where it was." }),
    versions: t.exposeInt("versions", { description: "How many versions it had." }),
    bytes: t.expose("bytes", { type: "BigInt", description: "How long they were together, bytes." }),
    deletedAt: t.expose("deletedAt", { type: "DateTime", description: "When it stopped to exist." }),
    bodiesDeletedAt: t.expose("bodiesDeletedAt", {
      type: "DateTime",
      nullable: true,
      description: "When the last of its bytes was gone; null while the store still has some.",
    }),
  }),
});

interface DeletedShape {
  __typename: "DeleteArtifactSuccess";
  receipt: ArtifactReceipt;
  clientMutationId: string | null;
}

const DeleteArtifactSuccess = builder.objectRef<DeletedShape>("DeleteArtifactSuccess").implement({
  description: "The artifact is gone, with all its versions.",
  fields: (t) => ({
    deletedId: t.id({
      description: "The global id it had.",
      resolve: ({ receipt }) => globalId("Artifact", receipt.artifactId),
    }),
    receipt: t.expose("receipt", { type: ReceiptType, description: "What was deleted. It is kept." }),
    clientMutationId: t.exposeString("clientMutationId", { nullable: true, description: "As it was sent." }),
  }),
});

const DeleteArtifactResult = builder.unionType("DeleteArtifactResult", {
  description: "That it is gone, or why it is refused.",
  types: [DeleteArtifactSuccess, ArtifactConflict, NotFound, Forbidden, Invalid],
  resolveType: (value) => value.__typename,
});

const writeRefusals = [
  "ArtifactConflict",
  "QuotaExceeded",
  "TooLarge",
  "BodyUnavailable",
  "NotFound",
  "Forbidden",
  "Invalid",
] as const;
const named = (id: string) => ({ __typename: "Artifact" as const, id });

builder.mutationFields((t) => ({
  putArtifact: t.field({
    type: PutArtifactResult,
    description: "Makes the next version of the artifact at a path, or its first one.",
    args: { input: t.arg({ type: PutArtifactInput, required: true, description: "The version." }) },
    resolve: (_, { input: { sessionId, ...input } }, context) =>
      orRefused(writeRefusals, async () => {
        const authority = authorityWithRole(context, "OPERATOR");
        const session = sessionId == null ? null : rowIdOf("Session", sessionId, "sessionId");
        const { artifact } = await putArtifact(context.runtime, authority, { ...input, sessionId: session });
        return named(artifact.id);
      }),
  }),
  restoreArtifactVersion: t.field({
    type: PutArtifactResult,
    description: "Makes an earlier version the latest one again: as a new version with the same bytes.",
    args: { input: t.arg({ type: RestoreArtifactVersionInput, required: true, description: "Which one." }) },
    resolve: (_, { input: { artifactId, ...input } }, context) =>
      orRefused(writeRefusals, async () => {
        const id = rowIdOf("Artifact", artifactId, "artifactId");
        const authority = authorityWithRole(context, "OPERATOR");
        const { artifact } = await restoreArtifactVersion(context.runtime, authority, { ...input, id });
        return named(artifact.id);
      }),
  }),
  deleteArtifact: t.field({
    type: DeleteArtifactResult,
    description: "Deletes an artifact with all its versions.",
    args: { input: t.arg({ type: DeleteArtifactInput, required: true, description: "Which one." }) },
    resolve: (_, { input }, context) =>
      orRefused(["ArtifactConflict", "NotFound", "Forbidden", "Invalid"], async () => {
        const { artifactId, path, expectedVersion } = input;
        const id = artifactId == null ? null : rowIdOf("Artifact", artifactId, "artifactId");
        const authority = authorityWithRole(context, "OPERATOR");
        const { receipt } = await deleteArtifact(context.runtime, authority, { id, path, expectedVersion });
        return {
          __typename: "DeleteArtifactSuccess" as const,
          receipt,
          clientMutationId: input.clientMutationId ?? null,
        };
      }),
  }),
}));
