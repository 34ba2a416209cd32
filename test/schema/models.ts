import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("../../prisma/models/", import.meta.url));

/** Columns whose comment in the models lists their values, as `table.column`. */
export function enumeratedInModels(): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const file of readdirSync(folder)) {
    const text = readFileSync(`${folder}${file}`, "utf8");
    for (const [, body = ""] of text.matchAll(/^model \w+ \{\n([\s\S]*?)^\}/gm)) {
      const table = /@@map\("(\w+)"\)/.exec(body)?.[1] ?? "";
      for (const [, field = "", rest = "", list = ""] of body.matchAll(/^ {2}(\w+) String\??(.*) \/\/\/ (.+)$/gm)) {
        const values = list.split(", ");
        if (values.length < 2 || !values.every((value) => /^([A-Z_]+|[a-z0-9]+)$/.test(value))) continue;
        found.set(`${table}.${/@map\("(\w+)"\)/.exec(rest)?.[1] ?? field}`, values);
      }
    }
  }
  return found;
}
