import {
  type Authority,
  canonicalJson,
  type Issue,
  invalid,
  Refusal,
  type Role,
  roles,
  Scope,
  storableJson,
  storableText,
} from "@wheelhouse/domain";

/** Longest external id, idempotency key, title; characters. */
const maxNameLength = 200;
/** Deeper JSON is refused before anything walks it by recursion. */
const maxJsonDepth = 100;

/** Refuses a caller whose role is below `least`. */
export function requireRole(authority: Authority, least: Role): void {
  if (roles.indexOf(authority.role) < roles.indexOf(least))
    throw new Refusal("FORBIDDEN", `This needs the role ${least}; yours is ${authority.role}`);
}

/** An optional short text such as an external id: storable, not blank, at most 200 characters. Null when absent. */
export function checkName(path: string, value: string | null | undefined): string | null {
  if (value == null) return null;
  if (value.trim() === "") throw invalid(path, "must not be blank; leave it out instead");
  if (value.length > maxNameLength) throw invalid(path, `must not be longer than ${maxNameLength} characters`);
  return storableText(value);
}

/** The text of a message: not blank, at most `maxBytes` of UTF-8, and storable. */
export function checkMessage(path: string, content: string, maxBytes: number): string {
  if (content.trim() === "") throw invalid(path, "write a message; it must not be blank");
  if (Buffer.byteLength(content) > maxBytes)
    throw invalid(path, `must not be longer than ${maxBytes.toLocaleString("en")} bytes`);
  return storableText(content);
}

/** A JSON value that can be stored: not too deep, at most `maxBytes` of canonical UTF-8. */
export function checkJson(path: string, value: unknown, maxBytes: number): unknown {
  if (isTooDeep(value)) throw invalid(path, `must not be nested deeper than ${maxJsonDepth} levels`);
  let text: string;
  try {
    text = canonicalJson(value);
  } catch (error) {
    throw invalid(path, error instanceof TypeError ? error.message : "is not JSON");
  }
  if (Buffer.byteLength(text) > maxBytes)
    throw invalid(path, `must not be longer than ${maxBytes.toLocaleString("en")} bytes of JSON`);
  return storableJson(value);
}

/** A scope of the caller's project: the project, and what else the caller names. */
export function scopeWithin(authority: Authority, value: unknown): Scope {
  const { project = "" } = authority.scope;
  const parsed = Scope.safeParse(value);
  if (!parsed.success) throw invalid("scope", "is an object of short texts under lower-case names");
  if (parsed.data.project !== undefined && parsed.data.project !== project)
    throw invalid("scope", `the key project is ${JSON.stringify(project)} here`);
  return { ...parsed.data, project };
}

/** Metadata: a JSON object of bounded size, `{}` when absent. */
export function checkMetadata(path: string, value: unknown, maxBytes: number): Record<string, unknown> {
  if (value == null) return {};
  const checked = checkJson(path, value, maxBytes);
  if (!isObject(checked)) throw invalid(path, "must be a JSON object");
  return checked;
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** One refusal that names every field that is wrong. */
export const invalidFields = (issues: readonly Issue[]): Refusal =>
  new Refusal("INVALID_INPUT", issues.map(({ path, message }) => `${path}: ${message}`).join("; "), { issues });

function isTooDeep(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxJsonDepth) return true;
    level = level.flatMap((v) => (typeof v === "object" && v !== null ? Object.values(v) : []));
  }
  return false;
}
