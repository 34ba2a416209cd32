import { notFound, Refusal } from "@wheelhouse/domain";
import { builder } from "./builder.ts";
import { authorityWithRole, type GraphContext } from "./context.ts";
import { Forbidden, NotFound, orRefused, type Refused } from "./refusals.ts";
import type { Subscriber as OpenSubscriber } from "./subscribers.ts";

const SubscriberTransport = builder.enumType("SubscriberTransport", {
  values: ["WEBSOCKET", "EVENT_STREAM"] as const,
  description: "How frames reach a reader: graphql-ws, or server-sent events.",
});

const Subscriber = builder.objectRef<OpenSubscriber>("Subscriber").implement({
  description: "A stream that somebody holds open.",
  fields: (t) => ({
    id: t.exposeID("id", { description: "Names the stream within its replica." }),
    field: t.exposeString("field", { description: "The subscription, for example `sessionEvents`." }),
    target: t.exposeID("target", {
      nullable: true,
      description: "The global id of the session or run; null for what is of the whole project.",
    }),
    actorKind: t.string({ description: "USER or API_KEY.", resolve: ({ actor }) => actor.kind }),
    actorName: t.string({ description: "Who reads.", resolve: ({ actor }) => actor.name }),
    transport: t.field({
      type: SubscriberTransport,
      description: "How its frames travel.",
      resolve: ({ transport }) => transport.kind,
    }),
    since: t.expose("since", { type: "DateTime", description: "When it was opened." }),
    framesSent: t.exposeInt("framesSent", { description: "Frames handed to the connection so far." }),
    lastFrameAt: t.expose("lastFrameAt", { type: "DateTime", nullable: true, description: "When the last one was." }),
    cursor: t.field({
      type: "Cursor",
      nullable: true,
      description: "Behind everything that was handed over; null for streams without a cursor.",
      resolve: ({ progress }) => progress?.().cursor ?? null,
    }),
    eventsBehind: t.int({
      nullable: true,
      description: "Events that its log is known to have behind the cursor; null where none are counted.",
      resolve: ({ progress }) => progress?.().behind ?? null,
    }),
    bufferedEvents: t.int({
      description: "Events that were read and wait for the reader.",
      resolve: ({ progress }) => progress?.().buffered ?? 0,
    }),
    waitingBytes: t.int({
      nullable: true,
      description: "Bytes that wait in its connection; null where nobody counts them.",
      resolve: ({ transport }) => transport.waitingBytes(),
    }),
  }),
});

const Admin = builder.objectRef<GraphContext>("Admin").implement({
  description: "What the process that answers can tell about itself, to operators of the whole project.",
  fields: (t) => ({
    replica: t.string({ description: "Names the process that answers.", resolve: ({ live }) => live.replica }),
    subscribers: t.field({
      type: [Subscriber],
      description: "The project's streams that are open on this replica, the oldest first.",
      resolve: (context) => context.live.subscribers.of(authorityOfOperator(context).projectId),
    }),
  }),
});

/** Operators of a project; a caller of one scope must not learn who else is there. */
function authorityOfOperator(context: GraphContext) {
  const authority = authorityWithRole(context, "OPERATOR");
  if (authority.reach !== "PROJECT") throw new Refusal("FORBIDDEN", "This needs a reach over the whole project");
  return authority;
}

builder.queryField("admin", (t) =>
  t.field({
    type: Admin,
    description: "For operators: how the process that answers is doing.",
    resolve: (_, _args, context) => {
      authorityOfOperator(context);
      return context;
    },
  }),
);

const CloseSubscriberInput = builder.inputType("CloseSubscriberInput", {
  description: "Which stream to close.",
  fields: (t) => ({
    subscriberId: t.id({ required: true, description: "The id of the subscriber, of the replica that answers." }),
    clientMutationId: t.string({ description: "Comes back unchanged." }),
  }),
});

interface Closed {
  __typename: "CloseSubscriberSuccess";
  subscriberId: string;
  clientMutationId: string | null;
}

const CloseSubscriberSuccess = builder.objectRef<Closed>("CloseSubscriberSuccess").implement({
  description: "The stream is closed; its reader was told from which cursor to go on.",
  fields: (t) => ({
    subscriberId: t.exposeID("subscriberId", { description: "Which one it was." }),
    clientMutationId: t.exposeString("clientMutationId", { nullable: true, description: "As it was sent." }),
  }),
});

const CloseSubscriberResult = builder.unionType("CloseSubscriberResult", {
  description: "The closed stream, or why it is refused.",
  types: [CloseSubscriberSuccess, NotFound, Forbidden],
  resolveType: (value: Closed | Refused) => value.__typename,
});

builder.mutationField("closeSubscriber", (t) =>
  t.field({
    type: CloseSubscriberResult,
    description: "Closes a stream of the project on the replica that answers. A client that resumes comes back.",
    args: { input: t.arg({ type: CloseSubscriberInput, required: true, description: "The stream." }) },
    resolve: (_, { input }, context) =>
      orRefused<Closed>(["NotFound", "Forbidden"], async () => {
        const { projectId } = authorityOfOperator(context);
        const open = context.live.subscribers.of(projectId).find(({ id }) => id === input.subscriberId);
        if (open === undefined) throw notFound("Subscriber");
        open.close();
        const clientMutationId = input.clientMutationId ?? null;
        return { __typename: "CloseSubscriberSuccess", subscriberId: open.id, clientMutationId };
      }),
  }),
);
