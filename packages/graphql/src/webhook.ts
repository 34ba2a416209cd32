import { WebhookEvent as WebhookEventWord } from "@wheelhouse/domain";
import {
  createWebhook,
  deleteWebhook,
  rotateWebhookSecret,
  sendTestWebhook,
  updateWebhook,
  type WebhookWithSecret,
} from "@wheelhouse/runtime";
import { visibleTo } from "@wheelhouse/storage/models";
import { z } from "zod";
import { forwardArguments } from "./arguments.ts";
import { builder } from "./builder.ts";
import { connectionType, rowPaths } from "./connection.ts";
import { authorityOf, authorityWithRole } from "./context.ts";
import { WebhookEvent } from "./enums.ts";
import { globalId, rowIdOf } from "./global-id.ts";
import { countCap, dateKey, type Order } from "./keyset.ts";
import { Webhook, WebhookDelivery } from "./refs.ts";
import { Forbidden, Invalid, NotFound, orRefused } from "./refusals.ts";
import { rootPage } from "./root-list.ts";
import { rowQuery } from "./row-query.ts";

builder.prismaObjectFields(Webhook, (t) => ({
  id: t.id({ description: "The global id.", resolve: (webhook) => globalId("Webhook", webhook.id) }),
  url: t.exposeString("url", { description: "Where messages are sent." }),
  events: t.field({
    type: [WebhookEvent],
    select: { events: true },
    description: "The moments of a task that it is told of.",
    resolve: (webhook) => z.array(WebhookEventWord).parse(webhook.events),
  }),
  enabled: t.exposeBoolean("enabled", { description: "Whether it is told of anything." }),
  disabledReason: t.exposeString("disabledReason", {
    nullable: true,
    description: "Why it was disabled without anybody asking for it.",
  }),
  previousSecretUntil: t.expose("previousSecretUntil", {
    type: "DateTime",
    nullable: true,
    description: "Until then the signing secret before signs beside the new one; null when there is one secret only.",
  }),
  createdAt: t.expose("createdAt", { type: "DateTime", description: "When it was made." }),
  updatedAt: t.expose("updatedAt", { type: "DateTime", description: "When it last changed." }),
}));

const WebhookConnection = connectionType<{ id: string }>("Webhook", Webhook);

type CreatedRow = { id: string; createdAt: Date };
type CreatedWhere = { createdAt?: object };
type CreatedOrder = { createdAt: "asc" | "desc" };
export const newestFirst: Order<CreatedRow, Date, CreatedWhere, CreatedOrder> = {
  name: "CREATED_DESC",
  direction: "desc",
  read: (row) => row.createdAt,
  parse: dateKey,
  where: (createdAt) => ({ createdAt }),
  orderBy: (createdAt) => ({ createdAt }),
};

builder.queryFields((t) => ({
  webhooks: t.field({
    type: WebhookConnection,
    description: "The project's webhooks, the newest first. A caller of exact scope has none.",
    args: forwardArguments,
    resolve: (_, args, context, info) => {
      const where = visibleTo(authorityOf(context)).webhook;
      const select = { id: true, createdAt: true } as const;
      const query = rowQuery({ context, info, typeName: "Webhook", paths: rowPaths, select });
      return rootPage<CreatedRow, Date, CreatedWhere, CreatedOrder>({
        list: "webhooks",
        order: newestFirst,
        args,
        find: (read) => context.prisma.webhook.findMany({ ...query, ...read, where: { AND: [where, read.where] } }),
        count: () => context.prisma.webhook.count({ where, take: countCap + 1 }),
      });
    },
  }),
  webhook: t.prismaField({
    type: Webhook,
    nullable: true,
    description: "A webhook by its id; null when there is none.",
    args: { id: t.arg.id({ required: true, description: "Its global id." }) },
    resolve: (query, _, args, context) =>
      context.prisma.webhook.findFirst({
        ...query,
        where: { AND: [visibleTo(authorityOf(context)).webhook, { id: rowIdOf("Webhook", args.id, "id") }] },
      }),
  }),
}));

const CreateWebhookInput = builder.inputType("CreateWebhookInput", {
  description: "A new webhook.",
  fields: (t) => ({
    url: t.string({ required: true, description: "An https or http address that may be called, without credentials." }),
    events: t.field({ type: [WebhookEvent], required: true, description: "The moments of a task to be told of." }),
    clientMutationId: t.string({ description: "Comes back in the answer." }),
  }),
});

const UpdateWebhookInput = builder.inputType("UpdateWebhookInput", {
  description: "What to change; what is absent stays.",
  fields: (t) => ({
    webhookId: t.id({ required: true, description: "The global id of the webhook." }),
    url: t.string({ description: "Where messages are sent." }),
    events: t.field({ type: [WebhookEvent], description: "The moments of a task to be told of." }),
    enabled: t.boolean({ description: "False: it is told of nothing, and what still waits is given up." }),
    clientMutationId: t.string({ description: "For your own bookkeeping." }),
  }),
});

const RotateWebhookSecretInput = builder.inputType("RotateWebhookSecretInput", {
  description: "Which webhook's signing secret to change.",
  fields: (t) => ({
    webhookId: t.id({ required: true, description: "The global id of the webhook." }),
    overlapHours: t.int({
      description: "How long the secret before still signs beside the new one, hours, 0 to 720; 24 when absent.",
    }),
    clientMutationId: t.string({ description: "Comes back in the answer." }),
  }),
});

const WebhookInput = builder.inputType("WebhookInput", {
  description: "Which webhook is meant.",
  fields: (t) => ({
    webhookId: t.id({ required: true, description: "The global id of the webhook." }),
    clientMutationId: t.string({ description: "Comes back in the answer." }),
  }),
});

interface SecretShape {
  __typename: "WebhookSecretSuccess";
  webhookId: string;
  secret: string;
  clientMutationId: string | null;
}

const WebhookSecretSuccess = builder.objectRef<SecretShape>("WebhookSecretSuccess").implement({
  description: "The webhook with its new signing secret.",
  fields: (t) => ({
    webhook: t.field({ type: Webhook, description: "The webhook.", resolve: (done) => ({ id: done.webhookId }) }),
    secret: t.exposeString("secret", {
      description: "`whsec_` and 32 bytes in Base64. It is shown this once; the installation keeps it encrypted.",
    }),
    clientMutationId: t.exposeString("clientMutationId", { nullable: true, description: "As it was sent." }),
  }),
});

const secretAnswer = (done: WebhookWithSecret, clientMutationId: string | null | undefined): SecretShape => ({
  __typename: "WebhookSecretSuccess",
  webhookId: done.webhook.id,
  secret: done.secret,
  clientMutationId: clientMutationId ?? null,
});

const WebhookSecretResult = builder.unionType("WebhookSecretResult", {
  description: "The webhook with its new signing secret, or why it is refused.",
  types: [WebhookSecretSuccess, NotFound, Forbidden, Invalid],
  resolveType: (value) => value.__typename,
});

const UpdateWebhookResult = builder.unionType("UpdateWebhookResult", {
  description: "The webhook as it is now, or why it is refused.",
  types: [Webhook, NotFound, Forbidden, Invalid],
  resolveType: (value) => ("__typename" in value ? value.__typename : "Webhook"),
});

interface DeletedShape {
  __typename: "DeleteWebhookSuccess";
  id: string;
  clientMutationId: string | null;
}

const DeleteWebhookSuccess = builder.objectRef<DeletedShape>("DeleteWebhookSuccess").implement({
  description: "The webhook is gone, and its deliveries with it.",
  fields: (t) => ({
    deletedId: t.id({ description: "The global id it had.", resolve: (done) => globalId("Webhook", done.id) }),
    clientMutationId: t.exposeString("clientMutationId", { nullable: true, description: "As it was sent." }),
  }),
});

const DeleteWebhookResult = builder.unionType("DeleteWebhookResult", {
  description: "That it is gone, or why it is refused.",
  types: [DeleteWebhookSuccess, NotFound, Forbidden, Invalid],
  resolveType: (value) => value.__typename,
});

export const DeliveryResult = builder.unionType("DeliveryResult", {
  description: "The message that is queued, or why it is refused.",
  types: [WebhookDelivery, NotFound, Forbidden, Invalid],
  resolveType: (value) => ("__typename" in value ? value.__typename : "WebhookDelivery"),
});

export const named = <Name extends string>(__typename: Name, id: string) => ({ __typename, id });
export const webhookRefusals = ["NotFound", "Forbidden", "Invalid"] as const;

builder.mutationFields((t) => ({
  createWebhook: t.field({
    type: WebhookSecretResult,
    description: "Makes a webhook. Its signing secret is in the answer and nowhere else.",
    args: { input: t.arg({ type: CreateWebhookInput, required: true, description: "The webhook." }) },
    resolve: (_, { input }, context) =>
      orRefused(webhookRefusals, async () => {
        const made = await createWebhook(context.runtime, authorityWithRole(context, "OPERATOR"), input);
        return secretAnswer(made, input.clientMutationId);
      }),
  }),
  updateWebhook: t.field({
    type: UpdateWebhookResult,
    description: "Changes a webhook.",
    args: { input: t.arg({ type: UpdateWebhookInput, required: true, description: "The change." }) },
    resolve: (_, { input }, context) =>
      orRefused(webhookRefusals, async () => {
        const webhookId = rowIdOf("Webhook", input.webhookId, "webhookId");
        const authority = authorityWithRole(context, "OPERATOR");
        return named("Webhook", (await updateWebhook(context.runtime, authority, { ...input, webhookId })).id);
      }),
  }),
  rotateWebhookSecret: t.field({
    type: WebhookSecretResult,
    description: "Gives a webhook a new signing secret, which is in the answer and nowhere else.",
    args: { input: t.arg({ type: RotateWebhookSecretInput, required: true, description: "Which one." }) },
    resolve: (_, { input }, context) =>
      orRefused(webhookRefusals, async () => {
        const webhookId = rowIdOf("Webhook", input.webhookId, "webhookId");
        const authority = authorityWithRole(context, "OPERATOR");
        const done = await rotateWebhookSecret(context.runtime, authority, { ...input, webhookId });
        return secretAnswer(done, input.clientMutationId);
      }),
  }),
  deleteWebhook: t.field({
    type: DeleteWebhookResult,
    description: "Deletes a webhook with its deliveries.",
    args: { input: t.arg({ type: WebhookInput, required: true, description: "Which one." }) },
    resolve: (_, { input }, context) =>
      orRefused(webhookRefusals, async () => {
        const id = rowIdOf("Webhook", input.webhookId, "webhookId");
        await deleteWebhook(context.runtime, authorityWithRole(context, "OPERATOR"), id);
        return { ...named("DeleteWebhookSuccess", id), clientMutationId: input.clientMutationId ?? null };
      }),
  }),
  sendTestWebhook: t.field({
    type: DeliveryResult,
    description: "Sends a message of the type webhook.test, once, also when the webhook is disabled.",
    args: { input: t.arg({ type: WebhookInput, required: true, description: "Which one." }) },
    resolve: (_, { input }, context) =>
      orRefused(webhookRefusals, async () => {
        const webhookId = rowIdOf("Webhook", input.webhookId, "webhookId");
        const authority = authorityWithRole(context, "OPERATOR");
        return named("WebhookDelivery", await sendTestWebhook(context.runtime, authority, webhookId));
      }),
  }),
}));
