import { type ConfigChangesFrame, watchConfigChanges } from "@wheelhouse/runtime";
import type { ConfigChangeRecord } from "@wheelhouse/storage";
import { builder } from "./builder.ts";
import { authorityOf } from "./context.ts";
import { ConfigKind, ConfigOperation } from "./enums.ts";
import { delivered, type Frame, guarded } from "./streams.ts";

export const ConfigChange = builder.objectRef<ConfigChangeRecord>("ConfigChange").implement({
  description: "Something that happened to a definition. Changes of a project are numbered without gaps.",
  fields: (t) => ({
    id: t.exposeID("id", { description: "The row's id. Changes are no nodes: read them by cursor." }),
    position: t.exposeInt("position", { description: "Its place among the project's changes, from 1." }),
    kind: t.field({ type: ConfigKind, description: "What the definition is of.", resolve: ({ kind }) => kind }),
    name: t.exposeString("name", { description: "The definition's name." }),
    scope: t.field({ type: "JSON", description: "The definition's scope.", resolve: ({ scope }) => scope }),
    operation: t.field({ type: ConfigOperation, description: "What happened.", resolve: ({ operation }) => operation }),
    revision: t.exposeInt("revision", {
      nullable: true,
      description: "The revision that was written or named; null when there is none any more.",
    }),
    at: t.expose("at", { type: "DateTime", description: "When." }),
  }),
});

const ConfigChangePage = builder.objectRef<ConfigChangesFrame>("ConfigChangePage").implement({
  description: "Changes that come together.",
  fields: (t) => ({
    changes: t.field({ type: [ConfigChange], description: "Oldest first.", resolve: ({ changes }) => changes }),
    endCursor: t.expose("endCursor", { type: "Cursor", description: "Where to go on." }),
    caughtUp: t.exposeBoolean("caughtUp", { description: "Whether everything that was there has been told." }),
  }),
});

builder.subscriptionField("configChanges", (t) =>
  t.field({
    type: ConfigChangePage,
    description:
      "What happens to the project's definitions, as far as the viewer may read them. Every listener has its own cursor. The first page comes at once.",
    args: { after: t.arg({ type: "Cursor", description: "Begin behind this; with what comes when absent." }) },
    subscribe: async (_, { after }, context) => {
      const stream = await watchConfigChanges(context.runtime, authorityOf(context), { after });
      return guarded(context, stream, { field: "configChanges", target: null });
    },
    resolve: (frame: Frame<ConfigChangesFrame>) => delivered(frame),
  }),
);
