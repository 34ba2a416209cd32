import { visibleTo } from "@wheelhouse/storage/models";
import { builder } from "./builder.ts";
import { authorityOf } from "./context.ts";

// The object types of the schema, without their fields: each noun's file adds them. Apart, so that nouns can name
// each other. `findUnique` carries the caller's authority into every read that the Prisma plugin makes by itself.

export const Node = builder.interfaceRef<{ id: string }>("Node").implement({
  description: "Whatever has a global id.",
  fields: (t) => ({ id: t.exposeID("id", { description: "The global id: the type's name, `_`, and the row's id." }) }),
});

export const Project = builder.prismaObject("Project", {
  description: "A tenant of the installation. Every record belongs to one project.",
  interfaces: [Node],
  select: { id: true },
  findUnique: (row, context) => ({ id: row.id, AND: [{ id: { in: [...(context.caller?.projectIds ?? [])] } }] }),
});

export const Agent = builder.prismaObject("Agent", {
  description: "Something that can be run: a definition, or a graph registered in code.",
  interfaces: [Node],
  select: { id: true },
  findUnique: (row, context) => ({ id: row.id, AND: [visibleTo(authorityOf(context)).agent] }),
});

export const Session = builder.prismaObject("Session", {
  description: "One conversation with one agent.",
  interfaces: [Node],
  select: { id: true },
  findUnique: (row, context) => ({ id: row.id, AND: [visibleTo(authorityOf(context)).session] }),
});

export const Task = builder.prismaObject("Task", {
  description: "One piece of requested work inside a session.",
  interfaces: [Node],
  select: { id: true },
  findUnique: (row, context) => ({ id: row.id, AND: [visibleTo(authorityOf(context)).task] }),
});

export const Run = builder.prismaObject("Run", {
  description: "One attempt at executing a task.",
  interfaces: [Node],
  select: { id: true },
  findUnique: (row, context) => ({ id: row.id, AND: [visibleTo(authorityOf(context)).run] }),
});

export const Step = builder.prismaObject("Step", {
  description: "One execution inside a run: a graph node, a model call's turn, a tool call, a subagent, a retrieval.",
  interfaces: [Node],
  select: { id: true },
  findUnique: (row, context) => ({ id: row.id, AND: [visibleTo(authorityOf(context)).step] }),
});

export const Message = builder.prismaObject("Message", {
  description: "One row of a conversation's transcript.",
  interfaces: [Node],
  select: { id: true },
  findUnique: (row, context) => ({ id: row.id, AND: [visibleTo(authorityOf(context)).message] }),
});

export const ModelCall = builder.prismaObject("ModelCall", {
  description: "One call to a model provider, with the tokens that the provider reported.",
  interfaces: [Node],
  select: { id: true },
  findUnique: (row, context) => ({ id: row.id, AND: [visibleTo(authorityOf(context)).modelCall] }),
});

export const Interrupt = builder.prismaObject("Interrupt", {
  description: "A question that a run asks a human. The run has ended; the answer queues the next one.",
  interfaces: [Node],
  select: { id: true },
  findUnique: (row, context) => ({ id: row.id, AND: [visibleTo(authorityOf(context)).interrupt] }),
});

export const Schedule = builder.prismaObject("Schedule", {
  description: "Work that is submitted again and again, by the clock.",
  interfaces: [Node],
  select: { id: true },
  findUnique: (row, context) => ({ id: row.id, AND: [visibleTo(authorityOf(context)).schedule] }),
});

export const Webhook = builder.prismaObject("Webhook", {
  description: "An address of another system that is told how tasks end.",
  interfaces: [Node],
  select: { id: true },
  findUnique: (row, context) => ({ id: row.id, AND: [visibleTo(authorityOf(context)).webhook] }),
});

export const WebhookDelivery = builder.prismaObject("WebhookDelivery", {
  description: "One message to a webhook, with what became of it. Kept for 30 days after it was made.",
  interfaces: [Node],
  select: { id: true },
  findUnique: (row, context) => ({ id: row.id, AND: [visibleTo(authorityOf(context)).webhookDelivery] }),
});

export const Artifact = builder.prismaObject("Artifact", {
  description: "A versioned durable file at a virtual path, made by agents and people.",
  interfaces: [Node],
  select: { id: true },
  findUnique: (row, context) => ({ id: row.id, AND: [visibleTo(authorityOf(context)).artifact] }),
});

export const ArtifactVersion = builder.prismaObject("ArtifactVersion", {
  description: "One version of an artifact. It never changes.",
  interfaces: [Node],
  select: { id: true },
  findUnique: (row, context) => ({ id: row.id, AND: [visibleTo(authorityOf(context)).artifactVersion] }),
});
