/** One visible line of a JSON tree. */
export interface JsonRow {
  /** JSON Pointer of the value: unique, and the key of its being open. */
  path: string;
  depth: number;
  /** The member's name or index; null at the root. */
  name: string | null;
  kind: "object" | "array" | "string" | "number" | "boolean" | "null";
  /** The value itself when it is a leaf. */
  value: unknown;
  /** How many members a container has. */
  size: number;
  open: boolean;
}

const escapePointer = (name: string): string => name.replaceAll("~", "~0").replaceAll("/", "~1");

export function kindOf(value: unknown): JsonRow["kind"] {
  if (value === null || value === undefined) return "null";
  if (Array.isArray(value)) return "array";
  switch (typeof value) {
    case "string":
      return "string";
    case "number":
    case "bigint":
      return "number";
    case "boolean":
      return "boolean";
    default:
      return "object";
  }
}

/** The lines to show of a value, given which containers are open. Walks open containers only. */
export function jsonRows(value: unknown, isOpen: (path: string, depth: number) => boolean): JsonRow[] {
  const rows: JsonRow[] = [];
  const walk = (node: unknown, name: string | null, path: string, depth: number) => {
    const kind = kindOf(node);
    if (kind !== "object" && kind !== "array") {
      rows.push({ path, depth, name, kind, value: node, size: 0, open: false });
      return;
    }
    const members = Object.entries(Object(node));
    const open = members.length > 0 && isOpen(path, depth);
    rows.push({ path, depth, name, kind, value: node, size: members.length, open });
    if (!open) return;
    for (const [key, member] of members) walk(member, key, `${path}/${escapePointer(key)}`, depth + 1);
  };
  walk(value, null, "", 0);
  return rows;
}

/** What a long string is, so that nobody has to look at base64. */
export function describeString(text: string): { kind: "image" | "base64"; label: string; dataUrl?: string } | null {
  const dataUrl = /^data:([\w.+-]+\/[\w.+-]+)?;base64,/.exec(text);
  if (dataUrl !== null) {
    const type = dataUrl[1] ?? "application/octet-stream";
    const bytes = Math.floor(((text.length - dataUrl[0].length) * 3) / 4);
    return /^image\/(png|jpeg|gif|webp)$/.test(type)
      ? { kind: "image", label: `${type}, ${bytes} bytes`, dataUrl: text }
      : { kind: "base64", label: `${type}, ${bytes} bytes` };
  }
  if (text.length >= 256 && /^[A-Za-z0-9+/_-]+={0,2}$/.test(text))
    return { kind: "base64", label: `base64, ${Math.floor((text.length * 3) / 4)} bytes` };
  return null;
}
