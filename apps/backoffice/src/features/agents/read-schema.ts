/** One property of a JSON Schema of type object. */
export interface SchemaField {
  name: string;
  type: string;
  required: boolean;
  description: string | null;
  /** Default, enumeration, limits: in words. */
  notes: string[];
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The type of a schema in a few words: `string`, `array of object`, `"low" | "high"`. */
export function typeOfSchema(schema: unknown): string {
  if (!isRecord(schema)) return "any";
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if ("const" in schema) return JSON.stringify(schema.const);
  const alternatives = [schema.anyOf, schema.oneOf].find(Array.isArray);
  if (alternatives !== undefined) return [...new Set(alternatives.map(typeOfSchema))].join(" | ");
  if (Array.isArray(schema.type)) return schema.type.join(" | ");
  if (schema.type === "array") return `array of ${typeOfSchema(schema.items)}`;
  if (typeof schema.type === "string") return schema.type;
  return typeof schema.$ref === "string" ? (schema.$ref.split("/").at(-1) ?? "any") : "any";
}

/** The fields of an object schema; null when the schema is not one. */
export function readSchema(schema: unknown): SchemaField[] | null {
  if (!isRecord(schema) || !isRecord(schema.properties)) return null;
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(schema.properties).map(([name, property]) => ({
    name,
    type: typeOfSchema(property),
    required: required.includes(name),
    description: isRecord(property) && typeof property.description === "string" ? property.description : null,
    notes: isRecord(property) ? notesOf(property) : [],
  }));
}

const limits = ["minLength", "maxLength", "minimum", "maximum", "minItems", "maxItems", "format", "pattern"];

function notesOf(property: Record<string, unknown>): string[] {
  const notes = limits.filter((name) => name in property).map((name) => `${name} ${String(property[name])}`);
  return "default" in property ? [`default ${JSON.stringify(property.default)}`, ...notes] : notes;
}
