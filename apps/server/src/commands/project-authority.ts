import type { Authority } from "@wheelhouse/domain";
import { scopeKeyOf } from "@wheelhouse/domain/digest";
import type { Installation } from "../installation.ts";
import { CommandError } from "./command-context.ts";

/** Whoever runs a command may do everything in the project it names, the default one when it names none. */
export async function projectAuthority(
  { runtime, project }: Installation,
  { slug, command }: { slug: string | undefined; command: string },
): Promise<Authority> {
  const found = slug === undefined ? project : await runtime.storage.access.projectBySlug(slug);
  if (found === null) throw new CommandError(`There is no project ${slug}`);
  const scope = { project: found.slug };
  return {
    ...{ projectId: found.id, reach: "PROJECT", scope, scopeKey: scopeKeyOf(scope), role: "OWNER" },
    ...{ visibilities: ["END_USER", "OPERATOR", "INTERNAL"] },
    actor: { kind: "SYSTEM", id: "wheelhouse", name: `wheelhouse ${command}` },
  };
}
