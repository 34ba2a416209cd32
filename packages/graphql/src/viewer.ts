import { Role as RoleWord } from "@wheelhouse/domain";
import { builder } from "./builder.ts";
import { authorityOf, type Caller } from "./context.ts";
import { Role } from "./enums.ts";
import { globalId } from "./global-id.ts";
import { Project } from "./refs.ts";

builder.prismaObjectFields(Project, (t) => ({
  id: t.id({ description: "The global id.", resolve: (project) => globalId("Project", project.id) }),
  slug: t.exposeString("slug", { description: "Its short name, in scopes and addresses." }),
  name: t.exposeString("name", { description: "The name to show." }),
  timeZone: t.exposeString("timeZone", { description: "The IANA time zone in which its days begin." }),
}));

const Viewer = builder.objectRef<Caller>("Viewer").implement({
  description: "Who is asking: a signed-in user or an API key.",
  fields: (t) => ({
    kind: t.string({ description: "USER or API_KEY.", resolve: (caller) => caller.authority.actor.kind }),
    name: t.string({ description: "The name to show.", resolve: (caller) => caller.authority.actor.name }),
    email: t.string({ nullable: true, description: "A user's e-mail address.", resolve: (caller) => caller.email }),
    project: t.prismaField({
      type: Project,
      description: "The project that this request works in.",
      resolve: (query, caller, _, context) =>
        context.prisma.project.findUniqueOrThrow({ ...query, where: { id: caller.authority.projectId } }),
    }),
    role: t.field({
      type: Role,
      description: "What the viewer may do in it.",
      resolve: (caller) => RoleWord.parse(caller.authority.role),
    }),
    projects: t.prismaField({
      type: [Project],
      description: "Every project that the viewer may choose.",
      resolve: (query, caller, _, context) =>
        context.prisma.project.findMany({
          ...query,
          where: { id: { in: [...caller.projectIds] } },
          orderBy: { slug: "asc" },
        }),
    }),
    isAdmin: t.boolean({
      description: "Whether the viewer administers the installation.",
      resolve: (caller) => caller.isAdmin,
    }),
  }),
});

builder.queryFields((t) => ({
  viewer: t.field({
    type: Viewer,
    nullable: true,
    description: "Who is asking; null when nobody signed in.",
    resolve: (_, _args, context) => context.caller,
  }),
  project: t.prismaField({
    type: Project,
    nullable: true,
    description: "A project of the viewer's by its slug.",
    args: { slug: t.arg.string({ required: true, description: "Its short name." }) },
    resolve: (query, _, args, context) => {
      authorityOf(context);
      return context.prisma.project.findFirst({
        ...query,
        where: { slug: args.slug, id: { in: [...(context.caller?.projectIds ?? [])] } },
      });
    },
  }),
}));
