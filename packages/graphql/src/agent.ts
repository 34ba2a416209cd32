import { AgentSource, type Authority, Scope } from "@wheelhouse/domain";
import { visibleTo } from "@wheelhouse/storage/models";
import { z } from "zod";
import { entityOfAgent, offerOf } from "./agent-definition.ts";
import { forwardArguments } from "./arguments.ts";
import { builder } from "./builder.ts";
import { ConfigEntity, storedEntity } from "./config-entity.ts";
import { connectionType, once, rowPaths } from "./connection.ts";
import { authorityOf, type GraphContext } from "./context.ts";
import { AgentMode, ConfigSource } from "./enums.ts";
import { globalId } from "./global-id.ts";
import { countCap, type Order, textKey } from "./keyset.ts";
import { Agent } from "./refs.ts";
import { rootPage } from "./root-list.ts";
import { rowQuery } from "./row-query.ts";
import { matchesText, needsSecondLook, textCondition } from "./text-filter.ts";

const Drawn = z.object({
  nodes: z.array(z.object({ id: z.string(), label: z.string() })),
  edges: z.array(
    z.object({
      source: z.string(),
      target: z.string(),
      conditional: z.boolean(),
      label: z.string().optional(),
    }),
  ),
});
type Drawn = z.infer<typeof Drawn>;

const AgentGraphNode = builder.objectRef<Drawn["nodes"][number]>("AgentGraphNode").implement({
  description: "A node of an agent's graph.",
  fields: (t) => ({
    id: t.exposeString("id", { description: "The name that edges use." }),
    label: t.exposeString("label", { description: "The name to show." }),
  }),
});

const AgentGraphEdge = builder.objectRef<Drawn["edges"][number]>("AgentGraphEdge").implement({
  description: "A way from one node to another.",
  fields: (t) => ({
    source: t.exposeString("source", { description: "The node it leaves." }),
    target: t.exposeString("target", { description: "The node it reaches." }),
    conditional: t.exposeBoolean("conditional", { description: "Whether it is taken only sometimes." }),
    label: t.exposeString("label", { nullable: true, description: "The condition, when it has a name." }),
  }),
});

const AgentGraph = builder.objectRef<Drawn>("AgentGraph").implement({
  description: "An agent's graph, for drawing.",
  fields: (t) => ({
    nodes: t.field({ type: [AgentGraphNode], description: "The nodes.", resolve: (graph) => graph.nodes }),
    edges: t.field({ type: [AgentGraphEdge], description: "The edges.", resolve: (graph) => graph.edges }),
  }),
});

const definedBy = { name: true, source: true, configEntityId: true } as const;

builder.prismaObjectFields(Agent, (t) => ({
  id: t.id({ description: "The global id.", resolve: (agent) => globalId("Agent", agent.id) }),
  name: t.exposeString("name", { description: "The name, unique within its scope." }),
  displayName: t.exposeString("displayName", { description: "The name to show." }),
  description: t.exposeString("description", { nullable: true, description: "What it is for." }),
  source: t.field({
    type: ConfigSource,
    select: { source: true },
    description: "Where its definition comes from.",
    resolve: (agent) => AgentSource.parse(agent.source),
  }),
  inputSchema: t.expose("inputSchema", {
    type: "JSON",
    nullable: true,
    description: "JSON Schema of its input; null when anything goes.",
  }),
  outputSchema: t.expose("outputSchema", { type: "JSON", nullable: true, description: "JSON Schema of its output." }),
  graph: t.field({
    type: AgentGraph,
    nullable: true,
    select: { graph: true },
    description: "Its graph, when it could be drawn.",
    resolve: (agent) => Drawn.safeParse(agent.graph).data ?? null,
  }),
  configEntity: t.field({
    type: ConfigEntity,
    nullable: true,
    select: { configEntityId: true },
    description: "Its definition, when the API wrote it; null for agents of files and of code.",
    resolve: async (agent, _, context) => {
      const entity = await entityOfAgent(context, agent);
      return entity === null ? null : storedEntity(entity);
    },
  }),
  mode: t.field({
    type: AgentMode,
    select: definedBy,
    description: "Who works with it. Of what is SUBAGENT, people cannot ask anything.",
    resolve: async (agent, _, context) => (await offerOf(context, agent)).mode,
  }),
  hidden: t.boolean({
    select: definedBy,
    description: "Whether it is left out where people choose an agent. It can be run all the same.",
    resolve: async (agent, _, context) => (await offerOf(context, agent)).hidden,
  }),
  createdAt: t.expose("createdAt", { type: "DateTime", description: "When it was first seen." }),
  updatedAt: t.expose("updatedAt", { type: "DateTime", description: "When it last changed." }),
}));

const AgentConnection = connectionType<{ id: string }>("Agent", Agent);

const AgentFilter = builder.inputType("AgentFilter", {
  description: "Which agents to list. All conditions must hold.",
  fields: (t) => ({
    source: t.field({ type: ConfigSource, description: "Only those from here." }),
    text: t.string({ description: "Only those with this in their name or description, upper and lower case alike." }),
  }),
});

const depthOf = (scope: unknown): number => Object.keys(Scope.parse(scope)).length;

type NameRow = { id: string; name: string };
const byName: Order<NameRow, string, { name: object }, { name: "asc" | "desc" }> = {
  name: "NAME",
  direction: "asc",
  read: (row) => row.name,
  parse: textKey,
  where: (name) => ({ name }),
  orderBy: (name) => ({ name }),
};

async function agentFilter(
  context: GraphContext,
  authority: Authority,
  filter: { source?: string | null; text?: string | null },
) {
  const { source, text } = filter;
  const like = text ? textCondition(context, text) : undefined;
  const where = {
    AND: [
      visibleTo(authority).agent,
      { removedAt: null },
      source ? { source } : {},
      like ? { OR: [{ name: like }, { displayName: like }, { description: like }] } : {},
    ],
  };
  if (!text || !needsSecondLook(context, text)) return where;
  const candidates = await context.prisma.agent.findMany({
    where,
    select: { id: true, name: true, displayName: true, description: true },
  });
  const found = candidates.filter((row) => matchesText(text, [row.name, row.displayName, row.description]));
  return { AND: [...where.AND, { id: { in: found.map((row) => row.id) } }] };
}

builder.queryFields((t) => ({
  agents: t.field({
    type: AgentConnection,
    description: "The agents that the caller may run, by name.",
    args: { ...forwardArguments, filter: t.arg({ type: AgentFilter, description: "Which ones." }) },
    resolve: (_, args, context, info) => {
      const authority = authorityOf(context);
      const where = once(() => agentFilter(context, authority, args.filter ?? {}));
      const query = rowQuery({
        context,
        info,
        typeName: "Agent",
        paths: rowPaths,
        select: { id: true, name: true },
      });
      return rootPage<NameRow, string, { name: object }, { name: "asc" | "desc" }>({
        list: "agents",
        order: byName,
        args,
        find: async (read) =>
          context.prisma.agent.findMany({ ...query, ...read, where: { AND: [await where(), read.where] } }),
        count: async () => context.prisma.agent.count({ where: await where(), take: countCap + 1 }),
      });
    },
  }),
  agent: t.prismaField({
    type: Agent,
    nullable: true,
    description: "The agent of this name, as the caller sees it; null when there is none.",
    args: { name: t.arg.string({ required: true, description: "Its name." }) },
    resolve: async (query, _, args, context) => {
      const visible = visibleTo(authorityOf(context)).agent;
      const named = await context.prisma.agent.findMany({
        where: { AND: [visible, { name: args.name, removedAt: null }] },
        select: { id: true, scope: true },
      });
      // Of those at the caller's scope and at parts of it, the closest.
      const [closest] = named.sort((a, b) => depthOf(b.scope) - depthOf(a.scope));
      if (closest === undefined) return null;
      return context.prisma.agent.findFirst({ ...query, where: { AND: [visible, { id: closest.id }] } });
    },
  }),
}));
