import { DeliveryEvent as DeliveryEventWord, deliveryStatuses } from "@wheelhouse/domain";
import { replayWebhookDelivery } from "@wheelhouse/runtime";
import { visibleTo } from "@wheelhouse/storage/models";
import { z } from "zod";
import { forwardArguments } from "./arguments.ts";
import { builder } from "./builder.ts";
import { connectionType, rowPaths } from "./connection.ts";
import { authorityOf, authorityWithRole } from "./context.ts";
import { DeliveryEvent, DeliveryStatus } from "./enums.ts";
import { globalId, rowIdOf } from "./global-id.ts";
import { countCap } from "./keyset.ts";
import { WebhookDelivery } from "./refs.ts";
import { orRefused } from "./refusals.ts";
import { rootPage } from "./root-list.ts";
import { rowQuery } from "./row-query.ts";
import { DeliveryResult, named, newestFirst, webhookRefusals } from "./webhook.ts";

const Status = z.enum(deliveryStatuses);

builder.prismaObjectFields(WebhookDelivery, (t) => ({
  id: t.id({ description: "The global id.", resolve: (delivery) => globalId("WebhookDelivery", delivery.id) }),
  messageId: t.exposeString("id", { description: "What the receiver sees as webhook-id, the same for every attempt." }),
  webhook: t.relation("webhook", { description: "Where it goes." }),
  task: t.relation("task", { nullable: true, description: "The task that it tells of; null for a test." }),
  event: t.field({
    type: DeliveryEvent,
    select: { event: true },
    description: "What it is about.",
    resolve: (delivery) => DeliveryEventWord.parse(delivery.event),
  }),
  status: t.field({
    type: DeliveryStatus,
    select: { status: true },
    description: "What became of it.",
    resolve: (delivery) => Status.parse(delivery.status),
  }),
  attempts: t.exposeInt("attempts", { description: "How often it was sent, replays included." }),
  responseCode: t.exposeInt("responseCode", {
    nullable: true,
    description: "The HTTP status of the last attempt; null when no answer came.",
  }),
  error: t.exposeString("error", { nullable: true, description: "What was wrong with the last attempt." }),
  attemptedAt: t.expose("attemptedAt", { type: "DateTime", nullable: true, description: "When it was last sent." }),
  nextAttemptAt: t.expose("nextAttemptAt", {
    type: "DateTime",
    nullable: true,
    description: "When it is sent next; while it is being sent, when it is taken for lost.",
  }),
  createdAt: t.expose("createdAt", { type: "DateTime", description: "When it was made." }),
}));

const WebhookDeliveryConnection = connectionType<{ id: string }>("WebhookDelivery", WebhookDelivery);

const WebhookDeliveryFilter = builder.inputType("WebhookDeliveryFilter", {
  description: "Which messages to list. All conditions must hold; an empty list of statuses lists nothing.",
  fields: (t) => ({
    webhookId: t.id({ description: "Only those to the webhook with this global id." }),
    taskId: t.id({ description: "Only those about the task with this global id." }),
    statuses: t.field({ type: [DeliveryStatus], description: "Only those that came to one of these ends." }),
  }),
});

builder.queryField("webhookDeliveries", (t) =>
  t.field({
    type: WebhookDeliveryConnection,
    description: "Messages to the project's webhooks, the newest first.",
    args: { ...forwardArguments, filter: t.arg({ type: WebhookDeliveryFilter, description: "Which ones." }) },
    resolve: (_, args, context, info) => {
      const { webhookId, taskId, statuses } = args.filter ?? {};
      const where = {
        AND: [
          visibleTo(authorityOf(context)).webhookDelivery,
          webhookId == null ? {} : { webhookId: rowIdOf("Webhook", webhookId, "filter.webhookId") },
          taskId == null ? {} : { taskId: rowIdOf("Task", taskId, "filter.taskId") },
          statuses == null ? {} : { status: { in: [...statuses] } },
        ],
      };
      const select = { id: true, createdAt: true } as const;
      const query = rowQuery({ context, info, typeName: "WebhookDelivery", paths: rowPaths, select });
      return rootPage<{ id: string; createdAt: Date }, Date, { createdAt?: object }, { createdAt: "asc" | "desc" }>({
        list: "webhookDeliveries",
        order: newestFirst,
        args,
        find: (read) =>
          context.prisma.webhookDelivery.findMany({ ...query, ...read, where: { AND: [where, read.where] } }),
        count: () => context.prisma.webhookDelivery.count({ where, take: countCap + 1 }),
      });
    },
  }),
);

const ReplayWebhookDeliveryInput = builder.inputType("ReplayWebhookDeliveryInput", {
  description: "Which message to send again.",
  fields: (t) => ({
    deliveryId: t.id({ required: true, description: "The global id of the message." }),
    clientMutationId: t.string({ description: "For your own bookkeeping." }),
  }),
});

builder.mutationField("replayWebhookDelivery", (t) =>
  t.field({
    type: DeliveryResult,
    description: "Sends a message again that arrived or was given up, under the id that it had.",
    args: { input: t.arg({ type: ReplayWebhookDeliveryInput, required: true, description: "Which one." }) },
    resolve: (_, { input }, context) =>
      orRefused(webhookRefusals, async () => {
        const id = rowIdOf("WebhookDelivery", input.deliveryId, "deliveryId");
        await replayWebhookDelivery(context.runtime, authorityWithRole(context, "OPERATOR"), id);
        return named("WebhookDelivery", id);
      }),
  }),
);
