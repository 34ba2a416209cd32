import { z } from "zod";
import type { PrismaClient } from "../generated/postgresql/client.ts";

/** What reading SQL has to know of a column. */
export interface Column {
  name: string;
  type: "String" | "Int" | "Float" | "Boolean" | "DateTime" | "Json";
}

/** A model in the database's words. */
export interface ModelTable {
  table: string;
  columns: ReadonlyMap<string, Column>;
  /** Relations to one row, by name: the model behind it and the column that holds its id. */
  parents: ReadonlyMap<string, { model: string; column: string }>;
}

const Field = z.object({ name: z.string(), kind: z.string(), type: z.string(), dbName: z.string().optional() });
const Model = z.object({ dbName: z.string().nullable(), fields: z.array(Field) });
const DataModel = z.object({ models: z.record(z.string(), Model) });
const ColumnType = z.enum(["String", "Int", "Float", "Boolean", "DateTime", "Json"]);

/** The tables behind the models, as the generated client knows them. */
export function modelTables(client: PrismaClient): ReadonlyMap<string, ModelTable> {
  const { models } = DataModel.parse(Reflect.get(client, "_runtimeDataModel"));
  return new Map(Object.entries(models).map(([name, model]) => [name, tableOf(name, model)]));
}

function tableOf(model: string, { dbName, fields }: z.infer<typeof Model>): ModelTable {
  const columns = new Map<string, Column>();
  for (const { name, kind, type, dbName: column = name } of fields) {
    const known = ColumnType.safeParse(type);
    if (kind === "scalar" && known.success) columns.set(name, { name: column, type: known.data });
  }
  const parents = new Map<string, { model: string; column: string }>();
  for (const { name, kind, type } of fields) {
    const key = columns.get(`${name}Id`);
    // Every foreign key of the schema is named after its relation; the other side of a relation holds none.
    if (kind === "object" && key !== undefined) parents.set(name, { model: type, column: key.name });
  }
  return { table: dbName ?? model, columns, parents };
}
