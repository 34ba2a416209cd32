import { type Issue, Refusal } from "@wheelhouse/domain";
import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";

/** More would not help anyone to mend an input. */
const maxIssues = 20;

// Compiling costs milliseconds, and a registry answers with the same schema object as long as it is the same schema.
const compiled = new WeakMap<object, ValidateFunction>();

/** What is wrong with a value by a JSON Schema, each with its path below `root`; empty when nothing is. */
export function schemaIssues(schema: Record<string, unknown>, value: unknown, root: string): Issue[] {
  const validate = compile(schema, root);
  if (validate(value)) return [];
  return (validate.errors ?? []).slice(0, maxIssues).map((error) => issueOf(error, root));
}

function compile(schema: Record<string, unknown>, root: string): ValidateFunction {
  const known = compiled.get(schema);
  if (known !== undefined) return known;
  // Schemas say of which draft they are; the drafts differ in nothing that matters for checking an input.
  const { $schema: _, ...rest } = schema;
  try {
    const validate = new Ajv2020({ allErrors: true, strict: false, validateFormats: false, logger: false }).compile(
      rest,
    );
    compiled.set(schema, validate);
    return validate;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Refusal("CONFIG_INVALID", `The JSON Schema of ${root} cannot be used: ${reason}`);
  }
}

function issueOf(error: ErrorObject, root: string): Issue {
  const path = error.instancePath
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce((at, part) => (/^\d+$/.test(part) ? `${at}[${part}]` : `${at}.${part}`), root);
  const extra: unknown = error.params.additionalProperty;
  if (typeof extra === "string") return { path: `${path}.${extra}`, message: "is not a known field" };
  const missing: unknown = error.params.missingProperty;
  if (typeof missing === "string") return { path: `${path}.${missing}`, message: "is required" };
  const values: unknown = error.params.allowedValues;
  if (Array.isArray(values))
    return { path, message: `must be one of ${values.map((v) => JSON.stringify(v)).join(", ")}` };
  return { path, message: error.message ?? "is not valid" };
}
