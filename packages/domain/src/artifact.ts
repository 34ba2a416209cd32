import { z } from "zod";
import { artifactKinds } from "./enumerations.ts";
import type { EventVisibility } from "./event.ts";
import { invalid } from "./refusal.ts";

export const ArtifactKind = z.enum(artifactKinds);
export type ArtifactKind = z.infer<typeof ArtifactKind>;

/** Longest virtual path, characters, and longest name between two slashes, UTF-8 bytes (what file systems take). */
export const maxPathLength = 1_024;
export const maxNameBytes = 255;

/**
 * The first name of a virtual path says what kind of thing lies there. Agents see the same routes in their file system.
 * `visibility` is the one a new artifact has when its maker names none: what serves agents is for operators.
 */
export const artifactRoutes = {
  ARTIFACT: { route: "artifacts", visibility: "END_USER" },
  FILE: { route: "files", visibility: "END_USER" },
  MEMORY: { route: "memories", visibility: "END_USER" },
  CONTRACT: { route: "contracts", visibility: "END_USER" },
  EVALUATION: { route: "evals", visibility: "OPERATOR" },
  POLICY: { route: "policies", visibility: "OPERATOR" },
  SCRATCH: { route: "scratch", visibility: "OPERATOR" },
  PAYLOAD: { route: "payloads", visibility: "END_USER" },
} as const satisfies Record<ArtifactKind, { route: string; visibility: EventVisibility }>;

const kindOfRoute = new Map<string, ArtifactKind>(artifactKinds.map((kind) => [artifactRoutes[kind].route, kind]));

/** Where an artifact lies: `/<route>/<names>`, in Unicode's composed form, and what kind of thing that makes it. */
export interface ArtifactPlace {
  path: string;
  kind: ArtifactKind;
  /** The last name of the path. */
  name: string;
}

/** Names that are devices on Windows, whatever follows the first dot. A download would open the device. */
const deviceName = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(\.|$)/i;
/** Control characters, and those that turn the direction of what is read, so that a name shows another end than it has. */
const unprintable = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029]/u;

/**
 * The place that a path means. `/files/a.txt` and `files/a.txt` are the same; a path without a route lies in that of
 * `kind` (ARTIFACT when absent). Throws INVALID_INPUT for whatever is no path, or leads out of the routes.
 */
export function artifactPlace(given: string, kind?: ArtifactKind | null, field = "path"): ArtifactPlace {
  const wrong = (message: string) => invalid(field, message);
  if (given.length > maxPathLength) throw wrong(`must not be longer than ${maxPathLength} characters`);
  if (!given.isWellFormed()) throw wrong("must be Unicode text");
  const names = given.normalize("NFC").split("/");
  const isAbsolute = names.length > 1 && names[0] === "";
  if (isAbsolute) names.shift();
  for (const name of names) checkPathName(name, wrong);
  const [first = ""] = names;
  const routed = names.length > 1 ? kindOfRoute.get(first) : undefined;
  if (routed === undefined && isAbsolute)
    throw wrong(`must begin with one of ${[...kindOfRoute.keys()].map((route) => `/${route}/`).join(" ")}`);
  if (routed !== undefined && kind != null && kind !== routed)
    throw wrong(`/${first}/ holds things of the kind ${routed}, not ${kind}`);
  const found = routed ?? kind ?? "ARTIFACT";
  const path = routed === undefined ? `/${artifactRoutes[found].route}/${names.join("/")}` : `/${names.join("/")}`;
  if (path.length > maxPathLength) throw wrong(`must not be longer than ${maxPathLength} characters`);
  return { path, kind: found, name: names.at(-1) ?? "" };
}

function checkPathName(name: string, wrong: (message: string) => Error): void {
  if (name === "") throw wrong("must not be empty, nor have an empty name in it");
  if (name === "." || name === "..") throw wrong("must not contain . or .. as a name");
  if (name.includes("\\")) throw wrong("must not contain a backslash");
  if (unprintable.test(name)) throw wrong("must not contain control characters");
  if (deviceName.test(name)) throw wrong(`must not contain ${name.split(".")[0]}, which is the name of a device`);
  if (/^\s|[\s.]$/u.test(name)) throw wrong("no name in it may begin with a space or end with a space or a dot");
  if (new TextEncoder().encode(name).length > maxNameBytes)
    throw wrong(`no name in it may be longer than ${maxNameBytes} bytes`);
}

/** Where an artifact can be fetched over HTTP, relative to the installation. */
export const artifactUrl = (id: string, version?: number | null): string =>
  `/artifacts/Artifact_${id}${version == null ? "" : `?version=${version}`}`;
