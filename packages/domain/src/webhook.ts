import { z } from "zod";
import type { EventType } from "./event.ts";

/** The moments of a task that a webhook can be told about: events of the log, by the same names. */
export const webhookEvents = [
  "task.completed",
  "task.failed",
  "task.cancelled",
  "task.rejected",
  "task.input_required",
] as const satisfies readonly EventType[];
export const WebhookEvent = z.enum(webhookEvents);
export type WebhookEvent = z.infer<typeof WebhookEvent>;

/** What a delivery can be about: a moment of a task, or a try by hand. */
export const deliveryEvents = [...webhookEvents, "webhook.test"] as const;
export const DeliveryEvent = z.enum(deliveryEvents);
export type DeliveryEvent = z.infer<typeof DeliveryEvent>;

/** What the transition knows of a delivery; the rest is read from the task when it is sent. */
export const DeliveryFacts = z.object({
  at: z.string(),
  status: z.string().optional(),
  code: z.string().optional(),
  reason: z.string().optional(),
});
export type DeliveryFacts = z.infer<typeof DeliveryFacts>;

/** Rests between the attempts of one delivery, milliseconds; each is lengthened by up to a tenth. About 18 hours in all. */
export const deliveryRestsMs = [5_000, 30_000, 300_000, 1_800_000, 7_200_000, 18_000_000, 36_000_000] as const;
/** Attempts of one delivery, and of each replay of it. */
export const deliveryAttempts = deliveryRestsMs.length + 1;
