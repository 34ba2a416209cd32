import type { WaterfallRow } from "./lay-out-waterfall.ts";

export type TreeAction = { kind: "select"; stepId: string | null } | { kind: "toggle"; stepId: string };

interface Press {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
}

const pageRows = 15;

/** What a key does in the tree of steps: arrows and j/k move, left and right close and open, Esc lets go. */
export function keyAction(press: Press, rows: readonly WaterfallRow[], index: number): TreeAction | null {
  if (press.ctrlKey || press.metaKey || press.altKey || rows.length === 0) return null;
  const select = (at: number): TreeAction | null => {
    const row = rows[Math.min(rows.length - 1, Math.max(0, at))];
    return row === undefined ? null : { kind: "select", stepId: row.step.stepId };
  };
  const row = rows[index];
  switch (press.key) {
    case "ArrowDown":
    case "j":
      return select(index + 1);
    case "ArrowUp":
    case "k":
      return select(index < 0 ? rows.length - 1 : index - 1);
    case "PageDown":
      return select(index + pageRows);
    case "PageUp":
      return select(index - pageRows);
    case "Home":
      return select(0);
    case "End":
      return select(rows.length - 1);
    case "Escape":
      return index < 0 ? null : { kind: "select", stepId: null };
    case "ArrowRight":
    case "l":
      if (row === undefined || row.descendants === 0) return null;
      return row.collapsed ? { kind: "toggle", stepId: row.step.stepId } : select(index + 1);
    case "ArrowLeft":
    case "h":
      if (row === undefined) return null;
      if (row.descendants > 0 && !row.collapsed) return { kind: "toggle", stepId: row.step.stepId };
      return select(parentIndex(rows, index));
    default:
      return null;
  }
}

function parentIndex(rows: readonly WaterfallRow[], index: number): number {
  const depth = rows[index]?.depth ?? 0;
  for (let at = index - 1; at >= 0; at--) if ((rows[at]?.depth ?? 0) < depth) return at;
  return index;
}
