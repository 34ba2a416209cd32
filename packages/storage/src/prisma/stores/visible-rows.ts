import { type Authority, canonicalJson } from "@wheelhouse/domain";
import type { Dialect, Param } from "../sql.ts";

/** Collects parameters while a text is put together. */
export class Params {
  readonly values: Param[] = [];

  /** Adds a value; returns its placeholder, `$n`. */
  add(value: Param): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }
}

/**
 * The wall: which sessions a caller reaches, as a condition on the alias. A project's people reach every scope of it; an
 * exact caller reaches its own scope only, by the key and by the stored scope itself.
 */
export function visibleSession(dialect: Dialect, authority: Authority, params: Params, alias = "s"): string {
  const project = `${alias}.project_id = ${params.add(authority.projectId)}`;
  if (authority.reach === "PROJECT") return project;
  const key = `${alias}.scope_key = ${params.add(authority.scopeKey)}`;
  params.add(canonicalJson(authority.scope));
  return `${project} AND ${key} AND ${dialect.jsonEquals(`${alias}.scope`, params.values.length)}`;
}

/** The wall around what belongs to a project and to no scope in it: callers of an exact scope reach nothing. */
export function visibleInProject(authority: Authority, params: Params, alias: string): string {
  const project = `${alias}.project_id = ${params.add(authority.projectId)}`;
  return authority.reach === "PROJECT" ? project : `${project} AND 1 = 0`;
}
