/** A line of the tree: a folder, or an artifact in one. */
export type TreeLine<Row> =
  | { id: string; kind: "folder"; name: string; path: string; depth: number; open: boolean; count: number }
  | { id: string; kind: "artifact"; row: Row; depth: number };

interface Folder<Row> {
  folders: Map<string, Folder<Row>>;
  rows: Row[];
  count: number;
}

const emptyFolder = <Row>(): Folder<Row> => ({ folders: new Map(), rows: [], count: 0 });

/**
 * Artifacts as lines of a tree, folders before what lies beside them. `root` is the folder that the tree begins in, with
 * a slash at both ends, and `closed` the paths of folders whose content is not shown.
 */
export function treeLines<Row extends { id: string; path: string }>(
  rows: readonly Row[],
  closed: ReadonlySet<string>,
  root = "",
): TreeLine<Row>[] {
  const top = emptyFolder<Row>();
  const start = root === "" ? "/" : root;
  for (const row of rows) {
    const names = row.path.slice(start.length).split("/").slice(0, -1);
    let at = top;
    for (const name of names) {
      const inner = at.folders.get(name) ?? emptyFolder<Row>();
      at.folders.set(name, inner);
      inner.count += 1;
      at = inner;
    }
    at.rows.push(row);
  }
  const lines: TreeLine<Row>[] = [];
  const walk = (folder: Folder<Row>, path: string, depth: number) => {
    for (const [name, inner] of folder.folders) {
      const innerPath = `${path}${name}/`;
      const open = !closed.has(innerPath);
      lines.push({ id: innerPath, kind: "folder", name, path: innerPath, depth, open, count: inner.count });
      if (open) walk(inner, innerPath, depth + 1);
    }
    for (const row of folder.rows) lines.push({ id: row.id, kind: "artifact", row, depth });
  };
  walk(top, start, 0);
  return lines;
}

/** The folders that lead to a folder, itself the last: `/files/a/` is `files`, `a`. */
export function foldersOf(folder: string): { name: string; path: string }[] {
  const names = folder.split("/").filter((name) => name !== "");
  return names.map((name, index) => ({ name, path: `/${names.slice(0, index + 1).join("/")}/` }));
}

/** The folder that an artifact lies in. */
export const folderOf = (path: string): string => path.slice(0, path.lastIndexOf("/") + 1);
