import { isTextType } from "@wheelhouse/artifacts";
import {
  type ArtifactKind as ArtifactKindName,
  ArtifactKind as ArtifactKindWord,
  artifactPlace,
  artifactUrl,
  EventVisibility as EventVisibilityWord,
  invalid,
  maxPathLength,
} from "@wheelhouse/domain";
import { diffArtifactVersions, presignArtifact, readArtifactText } from "@wheelhouse/runtime";
import { visibleTo } from "@wheelhouse/storage/models";
import { forwardArguments } from "./arguments.ts";
import { ArtifactDiff } from "./artifact-diff.ts";
import {
  ArtifactVersion,
  ArtifactVersionConnection,
  latestOf,
  versionOrder,
  versionsOfArtifact,
} from "./artifact-version.ts";
import { builder } from "./builder.ts";
import { connectionType, once, rowPaths } from "./connection.ts";
import { authorityOf, type GraphContext } from "./context.ts";
import { ArtifactKind, EventVisibility } from "./enums.ts";
import { globalId, rowIdOf } from "./global-id.ts";
import { countCap, type Order, textKey } from "./keyset.ts";
import { Artifact, Run, Session } from "./refs.ts";
import { rootPage } from "./root-list.ts";
import { rowQuery } from "./row-query.ts";
import { runById } from "./run.ts";
import { matchesText, needsSecondLook, textCondition } from "./text-filter.ts";

/** Bytes of a text that are given when nobody says how many. */
const defaultTextBytes = 262_144;
const maxTextBytes = 1_048_576;

const version = { id: true, latestVersion: true } as const;

builder.prismaObjectFields(Artifact, (t) => ({
  id: t.id({ description: "The global id.", resolve: (artifact) => globalId("Artifact", artifact.id) }),
  path: t.exposeString("path", { description: "Where it lies: a route, which says its kind, and names." }),
  name: t.exposeString("name", { description: "The last name of the path." }),
  kind: t.field({
    type: ArtifactKind,
    select: { kind: true },
    description: "What it is for.",
    resolve: (artifact) => ArtifactKindWord.parse(artifact.kind),
  }),
  visibility: t.field({
    type: EventVisibility,
    select: { visibility: true },
    description: "Who it is meant for; others do not see it.",
    resolve: (artifact) => EventVisibilityWord.parse(artifact.visibility),
  }),
  scope: t.expose("scope", { type: "JSON", description: "The scope that it belongs to." }),
  source: t.exposeString("source", { description: "What made the latest version: api, upload, run, restore." }),
  latestVersion: t.exposeInt("latestVersion", { description: "The number of the latest version, from 1." }),
  contentType: t.string({
    select: version,
    description: "The media type of the latest version.",
    resolve: async (row, _, context, info) => (await latestOf(context, info, row)).contentType,
  }),
  bytes: t.field({
    type: "BigInt",
    select: version,
    description: "How long the latest version is, bytes.",
    resolve: async (row, _, context, info) => Number((await latestOf(context, info, row)).bytes),
  }),
  checksum: t.string({
    select: version,
    description: "SHA-256 of the latest version, hexadecimal.",
    resolve: async (row, _, context, info) => (await latestOf(context, info, row)).checksum,
  }),
  text: t.string({
    nullable: true,
    select: { id: true },
    args: {
      version: t.arg.int({ description: "Which version; the latest when absent." }),
      maxBytes: t.arg.int({
        description: `How much of it, bytes, at most ${maxTextBytes}; ${defaultTextBytes} when absent.`,
      }),
    },
    description: "The beginning of a version as text; null when it is no text.",
    resolve: (artifact, args, context) => {
      const maxBytes = args.maxBytes ?? defaultTextBytes;
      if (maxBytes < 0 || maxBytes > maxTextBytes) throw invalid("maxBytes", `use 0 to ${maxTextBytes}`);
      const { runtime } = context;
      return readArtifactText(runtime, authorityOf(context), { id: artifact.id, version: args.version, maxBytes });
    },
  }),
  isText: t.boolean({
    select: version,
    description: "Whether the latest version says that it is text.",
    resolve: async (row, _, context, info) => isTextType((await latestOf(context, info, row)).contentType),
  }),
  url: t.string({
    select: { id: true },
    args: { version: t.arg.int({ description: "Which version; the latest when absent." }) },
    description: "Where its bytes are, relative to the installation. Whoever fetches them must be allowed to.",
    resolve: (artifact, args) => artifactUrl(artifact.id, args.version),
  }),
  presignedUrl: t.string({
    nullable: true,
    select: { id: true },
    args: { version: t.arg.int({ description: "Which version; the latest when absent." }) },
    description:
      "An address of the object store from which whoever has it gets the bytes, for 15 minutes; null where the store has none to give.",
    resolve: (artifact, { version }, context) =>
      presignArtifact(context.runtime, authorityOf(context), { id: artifact.id, version }),
  }),
  versions: t.field({
    type: ArtifactVersionConnection,
    args: forwardArguments,
    select: { id: true },
    description: "Its versions, the newest first.",
    resolve: (artifact, args, context, info) => {
      const select = { id: true, version: true, artifactId: true } as const;
      const query = rowQuery({ context, info, typeName: "ArtifactVersion", paths: rowPaths, select });
      const { artifactVersion: visible } = visibleTo(authorityOf(context));
      return versionsOfArtifact.page({
        ...{ context, info, parentId: artifact.id, args },
        find: (below, read) =>
          context.rows.firstOfEach("artifactVersion", below, {
            ...query,
            ...read,
            where: { AND: [visible, read.where] },
          }),
        count: (below, cap) => context.rows.countEach("artifactVersion", below, { where: visible, cap }),
      });
    },
  }),
  version: t.prismaField({
    type: ArtifactVersion,
    nullable: true,
    select: { id: true },
    args: { version: t.arg.int({ required: true, description: "Its number." }) },
    description: "One of its versions; null when there is none of this number.",
    resolve: (query, artifact, args, context) =>
      context.prisma.artifactVersion.findFirst({
        ...query,
        where: {
          AND: [visibleTo(authorityOf(context)).artifactVersion, { artifactId: artifact.id, version: args.version }],
        },
        orderBy: [versionOrder],
      }),
  }),
  diff: t.field({
    type: ArtifactDiff,
    select: { id: true },
    args: {
      from: t.arg.int({ required: true, description: "The version before." }),
      to: t.arg.int({ description: "The version behind; the latest when absent." }),
    },
    description: "How one version of a text became another, by lines.",
    resolve: (artifact, { from, to }, context) =>
      diffArtifactVersions(context.runtime, authorityOf(context), { id: artifact.id, from, to }),
  }),
  session: t.field({
    type: Session,
    nullable: true,
    select: { sessionId: true },
    description: "The conversation that it belongs to.",
    resolve: async ({ sessionId }, _, context, info) => {
      if (sessionId === null) return null;
      const query = rowQuery({ context, info, typeName: "Session", select: { id: true } });
      const where = { AND: [visibleTo(authorityOf(context)).session, { id: sessionId }] };
      return await context.prisma.session.findFirst({ ...query, where });
    },
  }),
  run: t.field({
    type: Run,
    nullable: true,
    select: { runId: true },
    description: "The run that made the latest version.",
    resolve: (artifact, _, context, info) => runById(context, info, artifact.runId),
  }),
  createdAt: t.expose("createdAt", { type: "DateTime", description: "When its first version was made." }),
  updatedAt: t.expose("updatedAt", { type: "DateTime", description: "When its latest version was made." }),
}));

const ArtifactConnection = connectionType<{ id: string }>("Artifact", Artifact);

type PathRow = { id: string; path: string };
const byPath: Order<PathRow, string, { path?: object }, { path: "asc" | "desc" }> = {
  name: "PATH",
  direction: "asc",
  read: (row) => row.path,
  parse: textKey,
  where: (path) => ({ path }),
  orderBy: (path) => ({ path }),
};

const ArtifactFilter = builder.inputType("ArtifactFilter", {
  description: "Which artifacts to list. All conditions must hold; an empty list of kinds lists nothing.",
  fields: (t) => ({
    kinds: t.field({ type: [ArtifactKind], description: "Only those of these kinds." }),
    text: t.string({ description: "Only those with this anywhere in their path, upper and lower case alike." }),
    pathPrefix: t.string({ description: "Only those whose path begins so, for example /artifacts/reports/." }),
    sessionId: t.id({ description: "Only those of the conversation with this global id." }),
    runId: t.id({ description: "Only those whose latest version was made by the run with this global id." }),
  }),
});

interface FilterShape {
  text?: string | null | undefined;
  kinds?: readonly ArtifactKindName[] | null | undefined;
  pathPrefix?: string | null | undefined;
  sessionId?: string | null | undefined;
  runId?: string | null | undefined;
}

const conditionsOf = ({ kinds, pathPrefix, sessionId, runId }: Omit<FilterShape, "text">) => [
  kinds == null ? {} : { kind: { in: [...kinds] } },
  pathPrefix == null ? {} : { path: { startsWith: pathPrefix.normalize("NFC") } },
  sessionId == null ? {} : { sessionId: rowIdOf("Session", sessionId, "filter.sessionId") },
  runId == null ? {} : { runId: rowIdOf("Run", runId, "filter.runId") },
];

/** What a filter lists, for a caller. Where the database finds more than the text asked for, the rest is left out. */
async function listed(context: GraphContext, { text: wanted, ...filter }: FilterShape) {
  const visible = [visibleTo(authorityOf(context)).artifact, ...conditionsOf(filter)];
  if (!wanted) return { AND: visible };
  const text = checkedText(wanted);
  const where = { AND: [...visible, { path: textCondition(context, text) }] };
  if (!needsSecondLook(context, text)) return where;
  const found = await context.prisma.artifact.findMany({ where, select: { id: true, path: true } });
  const others = found.filter(({ path }) => !matchesText(text, [path]));
  return others.length === 0 ? where : { AND: [where, { id: { notIn: others.map(({ id }) => id) } }] };
}

/** Refuses text that no path has; paths are kept in Unicode's composed form. */
function checkedText(text: string): string {
  if (text.length > maxPathLength || text.includes("\0") || !text.isWellFormed())
    throw invalid("filter.text", `at most ${maxPathLength} characters, no NUL, no lone surrogates`);
  return text.normalize("NFC");
}

builder.queryFields((t) => ({
  artifacts: t.field({
    type: ArtifactConnection,
    description: "Artifacts, in the order of their paths.",
    args: { ...forwardArguments, filter: t.arg({ type: ArtifactFilter, description: "Which ones." }) },
    resolve: (_, args, context, info) => {
      const where = once(() => listed(context, args.filter ?? {}));
      const query = rowQuery({
        context,
        info,
        typeName: "Artifact",
        paths: rowPaths,
        select: { id: true, path: true },
      });
      return rootPage<PathRow, string, { path?: object }, { path: "asc" | "desc" }>({
        ...{ list: "artifacts", order: byPath, args },
        find: async (read) =>
          context.prisma.artifact.findMany({ ...query, ...read, where: { AND: [await where(), read.where] } }),
        count: async () => context.prisma.artifact.count({ where: await where(), take: countCap + 1 }),
      });
    },
  }),
  artifact: t.prismaField({
    type: Artifact,
    nullable: true,
    description: "An artifact by its id, or by its path in the caller's own scope; null when there is none.",
    args: {
      id: t.arg.id({ description: "Its global id." }),
      path: t.arg.string({ description: "Its path, for example /artifacts/report.md." }),
    },
    resolve: (query, _, args, context) =>
      context.prisma.artifact.findFirst({
        ...query,
        where: { AND: [visibleTo(authorityOf(context)).artifact, oneOf(context, args)] },
      }),
  }),
}));

/** A path is unique in a scope: who reaches a whole project means the one in their own. */
function oneOf(context: GraphContext, { id, path }: { id?: string | null; path?: string | null }) {
  if (id != null) return { id: rowIdOf("Artifact", id, "id") };
  if (path != null) return { path: artifactPlace(path).path, scopeKey: authorityOf(context).scopeKey };
  throw invalid("id", "give an id or a path");
}
