import { Decision as DecisionWord } from "@wheelhouse/domain";
import { decideInterrupts } from "@wheelhouse/runtime";
import { visibleTo } from "@wheelhouse/storage/models";
import { z } from "zod";
import { forwardArguments } from "./arguments.ts";
import { builder } from "./builder.ts";
import { connectionType, rowPaths } from "./connection.ts";
import { authorityOf, authorityWithRole } from "./context.ts";
import { Decision } from "./enums.ts";
import { globalId, rowIdOf } from "./global-id.ts";
import { pending } from "./interrupt-rows.ts";
import { countCap, dateKey, type Order } from "./keyset.ts";
import { Interrupt, Run } from "./refs.ts";
import { AlreadyDecided, Forbidden, Invalid, NotFound, orRefused } from "./refusals.ts";
import { rootPage } from "./root-list.ts";
import { rowQuery } from "./row-query.ts";

builder.prismaObjectFields(Interrupt, (t) => ({
  id: t.id({ description: "The global id.", resolve: (interrupt) => globalId("Interrupt", interrupt.id) }),
  run: t.relation("run", { description: "The run that asked; it has ended." }),
  session: t.relation("session", { description: "The conversation." }),
  kind: t.exposeString("kind", { description: "TOOL_APPROVAL or QUESTION." }),
  actionRequests: t.expose("actionRequests", {
    type: "JSON",
    description:
      "What is asked: `[{name, args, description, argsSchema}]`. With `argsSchema`, a JSON Schema, edited arguments are checked; without it nothing is known to check them by.",
  }),
  allowedDecisions: t.field({
    type: [Decision],
    select: { allowedDecisions: true },
    description: "The answers that are allowed.",
    resolve: (interrupt) => z.array(DecisionWord).parse(interrupt.allowedDecisions),
  }),
  requestedAt: t.expose("requestedAt", { type: "DateTime", description: "When it was asked." }),
  expiresAt: t.expose("expiresAt", {
    type: "DateTime",
    nullable: true,
    description: "Without an answer until then, the task fails.",
  }),
  decision: t.field({
    type: Decision,
    nullable: true,
    select: { decision: true },
    description: "The answer.",
    resolve: (interrupt) => (interrupt.decision === null ? null : DecisionWord.parse(interrupt.decision)),
  }),
  decidedAt: t.expose("decidedAt", { type: "DateTime", nullable: true, description: "When it was answered." }),
  decidedBy: t.exposeString("decidedBy", { nullable: true, description: "Who answered." }),
  closedAt: t.expose("closedAt", {
    type: "DateTime",
    nullable: true,
    description: "When it stopped waiting without an answer: it expired, or its task was cancelled.",
  }),
}));

type RequestedWhere = { requestedAt?: object };
type RequestedOrder = { requestedAt: "asc" | "desc" };
type InterruptRow = { id: string; requestedAt: Date };

const newestFirst: Order<InterruptRow, Date, RequestedWhere, RequestedOrder> = {
  name: "REQUESTED_DESC",
  direction: "desc",
  read: (row) => row.requestedAt,
  parse: dateKey,
  where: (requestedAt) => ({ requestedAt }),
  orderBy: (requestedAt) => ({ requestedAt }),
};

const InterruptConnection = connectionType<{ id: string }>("Interrupt", Interrupt);

const InterruptFilter = builder.inputType("InterruptFilter", {
  description: "Which interrupts to list. All conditions must hold; an empty list of agents lists nothing.",
  fields: (t) => ({
    pendingOnly: t.boolean({ description: "Only those that still wait for an answer." }),
    agents: t.stringList({ description: "Only those of the agents with these names." }),
  }),
});

builder.queryField("interrupts", (t) =>
  t.field({
    type: InterruptConnection,
    description: "What runs ask humans, the newest first.",
    args: { ...forwardArguments, filter: t.arg({ type: InterruptFilter, description: "Which ones." }) },
    resolve: (_, args, context, info) => {
      const { pendingOnly, agents } = args.filter ?? {};
      const where = {
        AND: [
          visibleTo(authorityOf(context)).interrupt,
          pendingOnly ? pending : {},
          agents == null ? {} : { session: { agent: { name: { in: [...agents] } } } },
        ],
      };
      const select = { id: true, requestedAt: true } as const;
      const query = rowQuery({ context, info, typeName: "Interrupt", paths: rowPaths, select });
      return rootPage<InterruptRow, Date, RequestedWhere, RequestedOrder>({
        list: "interrupts",
        order: newestFirst,
        args,
        find: (read) => context.prisma.interrupt.findMany({ ...query, ...read, where: { AND: [where, read.where] } }),
        count: () => context.prisma.interrupt.count({ where, take: countCap + 1 }),
      });
    },
  }),
);

const InterruptDecisionInput = builder.inputType("InterruptDecisionInput", {
  description: "The answer to one interrupt.",
  fields: (t) => ({
    interruptId: t.id({ required: true, description: "The global id of the interrupt." }),
    decision: t.field({ type: Decision, required: true, description: "The answer; one of the allowed ones." }),
    args: t.field({ type: "JSON", description: "For EDIT: the arguments to use instead." }),
    message: t.string({ description: "For REJECT: what the agent is told." }),
    value: t.field({ type: "JSON", description: "For RESPOND: the answer." }),
  }),
});

const DecideInterruptsInput = builder.inputType("DecideInterruptsInput", {
  description: "Answers to interrupts of one task; all of them count, or none.",
  fields: (t) => ({
    decisions: t.field({ type: [InterruptDecisionInput], required: true, description: "The answers." }),
    clientMutationId: t.string({ description: "Comes back in the answer." }),
  }),
});

interface DecideInterruptsShape {
  __typename: "DecideInterruptsSuccess";
  interruptIds: string[];
  runId: string | null;
  clientMutationId: string | null;
}

const DecideInterruptsSuccess = builder.objectRef<DecideInterruptsShape>("DecideInterruptsSuccess").implement({
  description: "The answers are recorded.",
  fields: (t) => ({
    interrupts: t.prismaField({
      type: [Interrupt],
      description: "The interrupts with their answers.",
      resolve: (query, done, _, context) =>
        context.prisma.interrupt.findMany({
          ...query,
          where: { AND: [visibleTo(authorityOf(context)).interrupt, { id: { in: done.interruptIds } }] },
          orderBy: [{ requestedAt: "asc" }, { id: "asc" }],
        }),
    }),
    run: t.field({
      type: Run,
      nullable: true,
      description: "The run that continues the task, once all its interrupts are answered.",
      resolve: (done) => (done.runId === null ? null : { id: done.runId }),
    }),
    clientMutationId: t.exposeString("clientMutationId", { nullable: true, description: "As it was sent." }),
  }),
});

const DecideInterruptsResult = builder.unionType("DecideInterruptsResult", {
  description: "The recorded answers, or why they are refused.",
  types: [DecideInterruptsSuccess, NotFound, Forbidden, Invalid, AlreadyDecided],
  resolveType: (value) => value.__typename,
});

builder.mutationField("decideInterrupts", (t) =>
  t.field({
    type: DecideInterruptsResult,
    description: "Answers what runs ask. The first answer wins; the second caller learns who gave it.",
    args: { input: t.arg({ type: DecideInterruptsInput, required: true, description: "The answers." }) },
    resolve: (_, { input }, context) =>
      orRefused(["NotFound", "Forbidden", "Invalid", "AlreadyDecided"], async () => {
        const done = await decideInterrupts(context.runtime, authorityWithRole(context, "OPERATOR"), {
          decisions: input.decisions.map((answer, place) => ({
            ...answer,
            interruptId: rowIdOf("Interrupt", answer.interruptId, `decisions[${place}].interruptId`),
          })),
        });
        return {
          __typename: "DecideInterruptsSuccess" as const,
          interruptIds: done.interrupts.map((interrupt) => interrupt.id),
          runId: done.run?.id ?? null,
          clientMutationId: input.clientMutationId ?? null,
        };
      }),
  }),
);
