import { brandWithType } from "@pothos/core";
import {
  type AgentSource,
  decodeCursor,
  encodeCursor,
  jsonSchemaOfKind,
  type ConfigKind as Kind,
  ConfigKind as KindWord,
  Refusal,
  type Scope,
} from "@wheelhouse/domain";
import { digestOf } from "@wheelhouse/domain/digest";
import type { FoundDefinition } from "@wheelhouse/registry";
import { type ExplainedCandidate, explainResolution, readableKey, resolveConfig } from "@wheelhouse/runtime";
import type { ConfigEntityRecord, ConfigPlace } from "@wheelhouse/storage";
import { forwardArguments } from "./arguments.ts";
import { builder } from "./builder.ts";
import { ConfigRevisionConnection, revisionsOf } from "./config-revision.ts";
import { connectionType, once, type Page } from "./connection.ts";
import { authorityOf, type GraphContext } from "./context.ts";
import { CandidateVerdict, ConfigKind, ConfigSource } from "./enums.ts";
import { globalId } from "./global-id.ts";
import { countCap, type PageArgs, pageSize } from "./keyset.ts";
import { McpServerReadiness, readinessOf } from "./mcp-readiness.ts";
import { Node } from "./refs.ts";

/** A definition, wherever it comes from. */
export interface ConfigEntityShape {
  id: string;
  kind: Kind;
  name: string;
  scope: Scope;
  definition: Record<string, unknown>;
  revision: number;
  digest: string;
  source: AgentSource;
  enabled: boolean;
  pinnedLabel: string | null;
  place: string | null;
  createdBy: string | null;
  createdAt: Date;
  updatedAt: Date;
}

export const storedEntity = (entity: ConfigEntityRecord): ConfigEntityShape => ({ ...entity, place: null });

/** Files and code have no rows: their ids are made of what they are, so that they stay the same. */
function sharedEntity(found: FoundDefinition & { updatedAt?: Date }): ConfigEntityShape {
  const hash = digestOf([found.source, found.kind, found.name]);
  const parts = [hash.slice(0, 8), hash.slice(8, 12), `8${hash.slice(13, 16)}`, `8${hash.slice(17, 20)}`];
  const { kind, name, definition, digest, source, place, updatedAt = new Date(0) } = found;
  return {
    ...{ id: [...parts, hash.slice(20, 32)].join("-"), kind, name, scope: {}, definition, revision: 1, digest, source },
    ...{ enabled: true, pinnedLabel: null, place, createdBy: null, createdAt: updatedAt, updatedAt },
  };
}

const ConfigLabel = builder.objectRef<{ label: string; revision: number; updatedAt: Date }>("ConfigLabel").implement({
  description: "A name of one revision of a definition, such as `production`. It can be moved to another one.",
  fields: (t) => ({
    label: t.exposeString("label", { description: "The name." }),
    revision: t.exposeInt("revision", { description: "The revision that it names." }),
    updatedAt: t.expose("updatedAt", { type: "DateTime", description: "When it was last moved." }),
  }),
});

export const ConfigEntity = builder.objectRef<ConfigEntityShape>("ConfigEntity");
ConfigEntity.implement({
  description: "A definition of one kind under a name, at a scope: everything an agent is made of is one.",
  interfaces: [Node],
  fields: (t) => ({
    id: t.id({ description: "The global id.", resolve: (entity) => globalId("ConfigEntity", entity.id) }),
    kind: t.field({ type: ConfigKind, description: "What it is of.", resolve: ({ kind }) => kind }),
    name: t.exposeString("name", { description: "The name under which others mention it." }),
    scope: t.field({
      type: "JSON",
      description: "Where it applies: every scope that has these keys with these values. Empty: everywhere.",
      resolve: ({ scope }) => scope,
    }),
    definition: t.field({
      type: "JSON",
      description: "The definition as it was written; what it does not say is left to defaults.",
      resolve: ({ definition }) => definition,
    }),
    revision: t.exposeInt("revision", { description: "The latest revision; files and code always have 1." }),
    digest: t.exposeString("digest", { description: "SHA-256 hex of the definition's canonical JSON." }),
    source: t.field({ type: ConfigSource, description: "Where it comes from.", resolve: ({ source }) => source }),
    enabled: t.exposeBoolean("enabled", { description: "False: it is passed over, as if it were not there." }),
    pinnedLabel: t.exposeString("pinnedLabel", {
      nullable: true,
      description: "The label whose revision applies; null when the latest does.",
    }),
    place: t.exposeString("place", {
      nullable: true,
      description: "The file that defines it, relative to the workspace; null for what the API wrote.",
    }),
    createdBy: t.exposeString("createdBy", { nullable: true, description: "The id of whoever made it." }),
    createdAt: t.expose("createdAt", { type: "DateTime", description: "When it was made." }),
    updatedAt: t.expose("updatedAt", { type: "DateTime", description: "When it last changed." }),
    labels: t.field({
      type: [ConfigLabel],
      description: "The names of its revisions.",
      resolve: (entity, _, context) =>
        entity.source === "API" ? context.runtime.storage.config.reads(authorityOf(context)).labels(entity) : [],
    }),
    mcpReadiness: t.field({
      type: McpServerReadiness,
      nullable: true,
      description: "Of an MCP server, whether it could be used lately; null for every other kind.",
      resolve: (entity, _, context) => readinessOf(context, entity),
    }),
    revisions: t.field({
      type: ConfigRevisionConnection,
      args: forwardArguments,
      description: "Every state it had, the newest first.",
      resolve: (entity, args, context) => revisionsOf(context, entity, args),
    }),
  }),
});

const ConfigEntityConnection = connectionType<ConfigEntityShape>("ConfigEntity", ConfigEntity);

const ResolutionCandidate = builder.objectRef<ExplainedCandidate>("ResolutionCandidate").implement({
  description: "A definition that a name may mean at a scope.",
  fields: (t) => ({
    entity: t.field({ type: ConfigEntity, description: "The definition.", resolve: candidateEntity }),
    verdict: t.field({ type: CandidateVerdict, description: "Whether it applies.", resolve: ({ verdict }) => verdict }),
    won: t.boolean({ description: "Whether it is the one.", resolve: ({ verdict }) => verdict === "WON" }),
    reason: t.exposeString("reason", { description: "Why, for a person." }),
  }),
});

function candidateEntity({ entity, found }: Pick<ExplainedCandidate, "entity" | "found">): ConfigEntityShape {
  return entity === null ? sharedEntity(found) : storedEntity(entity);
}

const listName = "configEntities";
const inFiles = "shared";

/** The shared definitions first, then those of the API, each by kind and name. */
function entitiesPage(
  context: GraphContext,
  args: PageArgs & { kind?: Kind | null | undefined; text?: string | null | undefined },
): Page<ConfigEntityShape> {
  const size = pageSize(args.first);
  const place = args.after == null ? null : placeOf(args.after);
  const reads = context.runtime.storage.config.reads(authorityOf(context));
  const text = args.text?.trim().toLowerCase() || undefined;
  const filter = { ...(args.kind == null ? {} : { kind: args.kind }), ...(text === undefined ? {} : { text }) };
  const shared = once(async () =>
    context.runtime.registry
      .allShared()
      .filter(({ kind, name }) => (args.kind ?? kind) === kind && name.includes(text ?? ""))
      .map(sharedEntity)
      .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)),
  );
  return {
    rows: once(async () => {
      const inFront = (await shared()).filter((one) => place === null || (place.shared && keyOf(one) > place.key));
      const front = inFront.slice(0, size + 1);
      const after = place === null || place.shared ? null : place.stored;
      const rest = size + 1 - front.length;
      const stored = rest > 0 ? await reads.list(filter, { after, limit: rest }) : [];
      const found = [...front, ...stored.map(storedEntity)];
      return {
        edges: found.slice(0, size).map((node) => ({ node, cursor: cursorOf(node, stored) })),
        hasNextPage: found.length > size,
        hasPreviousPage: place !== null,
      };
    }),
    count: once(async () => (await shared()).length + (await reads.count(filter, countCap + 1))),
  };
}

const keyOf = ({ kind, name, source }: ConfigEntityShape): string => `${kind}/${name}/${source}`;

function cursorOf(entity: ConfigEntityShape, stored: readonly ConfigEntityRecord[]): string {
  const row = stored.find(({ id }) => id === entity.id);
  if (row === undefined) return encodeCursor(listName, [inFiles, keyOf(entity)]);
  return encodeCursor(listName, [row.kind, row.name, row.scopeKey]);
}

type Place = { shared: true; key: string } | { shared: false; stored: ConfigPlace };

function placeOf(cursor: string): Place {
  const [first, name, scopeKey] = decodeCursor(listName, cursor);
  if (first === inFiles && typeof name === "string") return { shared: true, key: name };
  const kind = KindWord.safeParse(first);
  if (!kind.success || typeof name !== "string" || typeof scopeKey !== "string")
    throw new Refusal("INVALID_CURSOR", "The cursor is malformed");
  return { shared: false, stored: { kind: kind.data, name, scopeKey } };
}

/** Visible definitions of these ids, for `node`. */
export async function entitiesById(context: GraphContext, ids: readonly string[]): Promise<ConfigEntityShape[]> {
  const reads = context.runtime.storage.config.reads(authorityOf(context));
  const shared = context.runtime.registry.allShared().map(sharedEntity);
  const stored = (await reads.entitiesById(ids)).map(storedEntity);
  const entities = ids.flatMap((id) => [...stored, ...shared].find((one) => one.id === id) ?? []);
  // `Node` is an interface: this is how a value of no model says which of its types it is.
  for (const entity of entities) brandWithType(entity, ConfigEntity);
  return entities;
}

const keyArguments = builder.args((t) => ({
  kind: t.field({ type: ConfigKind, required: true, description: "What it is of." }),
  name: t.string({ required: true, description: "Its name." }),
  scope: t.field({ type: "JSON", description: "A scope, by key; the caller's own when absent." }),
}));

builder.queryFields((t) => ({
  configEntities: t.field({
    type: ConfigEntityConnection,
    description:
      "The definitions that the caller may see: those of files and code first, then those of the API, by kind and name.",
    args: {
      kind: t.arg({ type: ConfigKind, description: "Only these." }),
      text: t.arg.string({ description: "Only those with this in their name." }),
      ...forwardArguments,
    },
    resolve: (_, args, context) => entitiesPage(context, args),
  }),
  configEntity: t.field({
    type: ConfigEntity,
    nullable: true,
    description:
      "The definition at exactly this scope, or the shared one of a file or of code when the scope is no narrower than the project; null when there is none. See `resolveConfig` for what a name means at a scope.",
    args: keyArguments,
    resolve: async (_, args, context) => {
      const authority = authorityOf(context);
      const key = readableKey(context.runtime, authority, args);
      if (key === null) return null;
      const stored = await context.runtime.storage.config.reads(authority).entity(key);
      if (stored !== null) return storedEntity(stored);
      const [shared] = Object.keys(key.scope).every((one) => one === "project")
        ? context.runtime.registry.shared(key.kind, key.name)
        : [];
      return shared === undefined ? null : sharedEntity(shared);
    },
  }),
  configSchema: t.field({
    type: "JSON",
    description: "JSON Schema (2020-12) of the definitions of a kind, for editors.",
    args: { kind: t.arg({ type: ConfigKind, required: true, description: "Which." }) },
    resolve: (_, { kind }, context) => {
      authorityOf(context);
      return jsonSchemaOfKind(kind);
    },
  }),
  resolveConfig: t.field({
    type: ConfigEntity,
    nullable: true,
    description: "What a name means at a scope; null when it means nothing.",
    args: keyArguments,
    resolve: async (_, args, context) => {
      const found = await resolveConfig(context.runtime, authorityOf(context), args);
      return found === null ? null : candidateEntity(found);
    },
  }),
  explainResolution: t.field({
    type: [ResolutionCandidate],
    description: "Every definition that a name may mean at a scope, in order, with the reason why it does or does not.",
    args: keyArguments,
    resolve: (_, args, context) => explainResolution(context.runtime, authorityOf(context), args),
  }),
}));
