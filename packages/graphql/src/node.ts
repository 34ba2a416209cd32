import { queryFromInfo } from "@pothos/plugin-prisma";
import { Refusal } from "@wheelhouse/domain";
import { visibleTo } from "@wheelhouse/storage/models";
import type { GraphQLResolveInfo } from "graphql";
import { builder } from "./builder.ts";
import { entitiesById } from "./config-entity.ts";
import { authorityOf, type GraphContext } from "./context.ts";
import { type NodeType, parseGlobalId } from "./global-id.ts";
import {
  Agent,
  Artifact,
  ArtifactVersion,
  Interrupt,
  Message,
  ModelCall,
  Node,
  Project,
  Run,
  Schedule,
  Session,
  Step,
  Task,
  Webhook,
  WebhookDelivery,
} from "./refs.ts";

type Row = { id: string };
type Find = (context: GraphContext, info: GraphQLResolveInfo, ids: string[]) => Promise<Row[]>;

/** The visible rows of these ids, with what the operation selects on their type. */
const finders: Record<NodeType, Find> = {
  async Session(context, info, ids) {
    const query = queryFromInfo({ context, info, typeName: "Session", select: { id: true } });
    const where = { AND: [visibleTo(authorityOf(context)).session, { id: { in: ids } }] };
    return Session.addBrand(await context.prisma.session.findMany({ ...query, where }));
  },
  async Task(context, info, ids) {
    const query = queryFromInfo({ context, info, typeName: "Task", select: { id: true } });
    const where = { AND: [visibleTo(authorityOf(context)).task, { id: { in: ids } }] };
    return Task.addBrand(await context.prisma.task.findMany({ ...query, where }));
  },
  async Run(context, info, ids) {
    const query = queryFromInfo({ context, info, typeName: "Run", select: { id: true } });
    const where = { AND: [visibleTo(authorityOf(context)).run, { id: { in: ids } }] };
    return Run.addBrand(await context.prisma.run.findMany({ ...query, where }));
  },
  async Step(context, info, ids) {
    const query = queryFromInfo({ context, info, typeName: "Step", select: { id: true } });
    const where = { AND: [visibleTo(authorityOf(context)).step, { id: { in: ids } }] };
    return Step.addBrand(await context.prisma.step.findMany({ ...query, where }));
  },
  async Message(context, info, ids) {
    const query = queryFromInfo({ context, info, typeName: "Message", select: { id: true } });
    const where = { AND: [visibleTo(authorityOf(context)).message, { id: { in: ids } }] };
    return Message.addBrand(await context.prisma.message.findMany({ ...query, where }));
  },
  async ModelCall(context, info, ids) {
    const { select } = queryFromInfo({ context, info, typeName: "ModelCall", select: { id: true } });
    const where = { AND: [visibleTo(authorityOf(context)).modelCall, { id: { in: ids } }] };
    return ModelCall.addBrand(await context.prisma.modelCall.findMany({ select, where }));
  },
  async Interrupt(context, info, ids) {
    const query = queryFromInfo({ context, info, typeName: "Interrupt", select: { id: true } });
    const where = { AND: [visibleTo(authorityOf(context)).interrupt, { id: { in: ids } }] };
    return Interrupt.addBrand(await context.prisma.interrupt.findMany({ ...query, where }));
  },
  async Agent(context, info, ids) {
    const query = queryFromInfo({ context, info, typeName: "Agent", select: { id: true } });
    const where = { AND: [visibleTo(authorityOf(context)).agent, { id: { in: ids } }] };
    return Agent.addBrand(await context.prisma.agent.findMany({ ...query, where }));
  },
  async Schedule(context, info, ids) {
    const query = queryFromInfo({ context, info, typeName: "Schedule", select: { id: true } });
    const where = { AND: [visibleTo(authorityOf(context)).schedule, { id: { in: ids } }] };
    return Schedule.addBrand(await context.prisma.schedule.findMany({ ...query, where }));
  },
  async Webhook(context, info, ids) {
    const query = queryFromInfo({ context, info, typeName: "Webhook", select: { id: true } });
    const where = { AND: [visibleTo(authorityOf(context)).webhook, { id: { in: ids } }] };
    return Webhook.addBrand(await context.prisma.webhook.findMany({ ...query, where }));
  },
  async WebhookDelivery(context, info, ids) {
    const query = queryFromInfo({ context, info, typeName: "WebhookDelivery", select: { id: true } });
    const where = { AND: [visibleTo(authorityOf(context)).webhookDelivery, { id: { in: ids } }] };
    return WebhookDelivery.addBrand(await context.prisma.webhookDelivery.findMany({ ...query, where }));
  },
  ConfigEntity: (context, _info, ids) => entitiesById(context, ids),
  async Artifact(context, info, ids) {
    const query = queryFromInfo({ context, info, typeName: "Artifact", select: { id: true } });
    const where = { AND: [visibleTo(authorityOf(context)).artifact, { id: { in: ids } }] };
    return Artifact.addBrand(await context.prisma.artifact.findMany({ ...query, where }));
  },
  async ArtifactVersion(context, info, ids) {
    const query = queryFromInfo({ context, info, typeName: "ArtifactVersion", select: { id: true } });
    const where = { AND: [visibleTo(authorityOf(context)).artifactVersion, { id: { in: ids } }] };
    return ArtifactVersion.addBrand(await context.prisma.artifactVersion.findMany({ ...query, where }));
  },
  async Project(context, info, ids) {
    authorityOf(context);
    const query = queryFromInfo({ context, info, typeName: "Project", select: { id: true } });
    const mine = ids.filter((id) => context.caller?.projectIds.includes(id));
    return Project.addBrand(await context.prisma.project.findMany({ ...query, where: { id: { in: mine } } }));
  },
};

/** The nodes of these global ids, in their order; null where there is none. One statement per type. */
async function findNodes(context: GraphContext, info: GraphQLResolveInfo, ids: readonly string[]) {
  const wanted = ids.map((id) => parseGlobalId(id));
  const found = new Map<string, Row>();
  for (const type of new Set(wanted.map((node) => node.type))) {
    const ofType = wanted.filter((node) => node.type === type).map((node) => node.id);
    for (const row of await finders[type](context, info, [...new Set(ofType)])) found.set(`${type}_${row.id}`, row);
  }
  return wanted.map((node) => found.get(`${node.type}_${node.id}`) ?? null);
}

/** Most ids of one call. */
const maxNodes = 100;

builder.queryFields((t) => ({
  node: t.field({
    type: Node,
    nullable: true,
    description: "Whatever has this global id; null when there is none.",
    args: { id: t.arg.id({ required: true, description: "A global id." }) },
    resolve: async (_, args, context, info) => (await findNodes(context, info, [args.id]))[0] ?? null,
  }),
  nodes: t.field({
    type: [Node],
    nullable: { list: false, items: true },
    description: "Whatever has these global ids, in their order; null where there is none.",
    args: { ids: t.arg.idList({ required: true, description: `At most ${maxNodes} global ids.` }) },
    resolve: (_, args, context, info) => {
      if (args.ids.length > maxNodes)
        throw new Refusal("INVALID_INPUT", `ids: at most ${maxNodes} at once`, {
          issues: [{ path: "ids", message: `at most ${maxNodes} at once` }],
        });
      return findNodes(context, info, args.ids);
    },
  }),
}));
