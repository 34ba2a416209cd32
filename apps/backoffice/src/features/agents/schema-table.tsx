"use client";

import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { JsonTree } from "../../ui/json-tree.tsx";
import { readSchema } from "./read-schema.ts";

/** A JSON Schema as a table of its fields, or as it is. */
export function SchemaTable({ schema, label }: { schema: unknown; label: string }) {
  const [raw, setRaw] = useState(false);
  const fields = readSchema(schema);
  if (fields === null || raw)
    return (
      <>
        <JsonTree value={schema} label={label} openDepth={3} />
        {fields === null ? null : (
          <Button size="xs" variant="ghost" className="mt-2" onClick={() => setRaw(false)}>
            Show as a table
          </Button>
        )}
      </>
    );
  return (
    <>
      <table className="w-full table-fixed text-left text-xs">
        <caption className="sr-only">{label}</caption>
        <thead className="text-2xs text-muted">
          <tr className="border-b border-line-soft">
            <th scope="col" className="w-2/5 pb-1.5 font-medium">
              Field
            </th>
            <th scope="col" className="pb-1.5 font-medium">
              Type
            </th>
          </tr>
        </thead>
        <tbody>
          {fields.map((field) => (
            <tr key={field.name} className="border-b border-line-soft align-top last:border-0">
              <th scope="row" className="py-2 pr-3 font-normal">
                <span className="mono break-words">{field.name}</span>
                {field.required ? <span className="ml-1.5 text-2xs text-warning-ink">required</span> : null}
              </th>
              <td className="py-2">
                <span className="mono break-words text-running-ink">{field.type}</span>
                {field.description === null ? null : <p className="mt-0.5 text-muted">{field.description}</p>}
                {field.notes.length === 0 ? null : (
                  <p className="mono mt-0.5 break-words text-muted">{field.notes.join(" · ")}</p>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <Button size="xs" variant="ghost" className="mt-2 -ml-2" onClick={() => setRaw(true)}>
        Show as JSON Schema
      </Button>
    </>
  );
}
