import SchemaBuilder from "@pothos/core";
import PrismaPlugin from "@pothos/plugin-prisma";
import RelayPlugin from "@pothos/plugin-relay";
import { PrismaPg } from "@prisma/adapter-pg";
import { createYoga } from "graphql-yoga";
import type PrismaTypes from "../../../packages/graphql/src/generated/pothos-types.ts";
import { getDatamodel } from "../../../packages/graphql/src/generated/pothos-types.ts";
import { PrismaClient } from "../../../packages/storage/src/generated/postgresql/client.ts";

/** Yoga, Pothos and Prisma as their documentation puts them together, over the same tables. */
export function openPlainStack(url: string, projectId: string) {
  const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString: url, max: 10 }) });
  const builder = new SchemaBuilder<{ PrismaTypes: PrismaTypes; DefaultFieldNullability: false }>({
    plugins: [RelayPlugin, PrismaPlugin],
    defaultFieldNullability: false,
    relay: { nodesOnConnection: true, nodeQueryOptions: false, nodesQueryOptions: false },
    prisma: { client: prisma, dmmf: getDatamodel() },
  });
  builder.prismaObject("Agent", {
    fields: (t) => ({
      id: t.id({ resolve: ({ id }) => `Agent_${id}` }),
      name: t.exposeString("name"),
      displayName: t.exposeString("displayName"),
    }),
  });
  builder.prismaObject("Run", {
    fields: (t) => ({
      id: t.id({ resolve: ({ id }) => `Run_${id}` }),
      status: t.exposeString("status"),
      durationMs: t.exposeInt("durationMs", { nullable: true }),
      queuedAt: t.string({ resolve: ({ queuedAt }) => queuedAt.toISOString() }),
    }),
  });
  builder.prismaObject("Message", {
    fields: (t) => ({
      id: t.id({ resolve: ({ id }) => `Message_${id}` }),
      role: t.exposeString("role"),
      content: t.exposeString("content"),
      createdAt: t.string({ resolve: ({ createdAt }) => createdAt.toISOString() }),
    }),
  });
  builder.prismaObject("Session", {
    fields: (t) => ({
      id: t.id({ resolve: ({ id }) => `Session_${id}` }),
      title: t.exposeString("title", { nullable: true }),
      status: t.exposeString("status"),
      messageCount: t.exposeInt("messageCount"),
      lastActivityAt: t.string({ resolve: ({ lastActivityAt }) => lastActivityAt.toISOString() }),
      agent: t.relation("agent"),
      lastRun: t.relation("lastRun", { nullable: true }),
      messages: t.relatedConnection("messages", { cursor: "id", query: { orderBy: { seq: "asc" } } }),
    }),
  });
  builder.queryType({
    fields: (t) => ({
      sessions: t.prismaConnection({
        type: "Session",
        cursor: "id",
        resolve: (query) =>
          prisma.session.findMany({
            ...query,
            where: { projectId },
            orderBy: [{ lastActivityAt: "desc" }, { id: "desc" }],
          }),
      }),
    }),
  });
  return createYoga({ schema: builder.toSchema(), graphqlEndpoint: "/graphql", logging: false });
}
