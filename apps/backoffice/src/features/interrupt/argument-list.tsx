import { JsonTree } from "../../ui/json-tree.tsx";

const longestInline = 240;

/** Arguments as name and value, one per line, as long as they are few and flat; otherwise as a tree. */
export function ArgumentList({ value, label }: { value: unknown; label: string }) {
  const entries = flatEntries(value);
  if (entries === null) return <JsonTree value={value} label={label} maxHeight={280} className="mt-2" />;
  if (entries.length === 0) return <p className="mt-2 text-xs text-muted">No arguments</p>;
  return (
    <dl
      aria-label={label}
      className="mt-2 grid grid-cols-[minmax(0,max-content)_minmax(0,1fr)] gap-x-4 gap-y-1 rounded-md border border-line bg-sunken px-3 py-2"
    >
      {entries.map(([name, text]) => (
        <div key={name} className="contents">
          <dt className="mono truncate text-xs text-muted">{name}</dt>
          <dd dir="auto" className="mono text-xs break-words whitespace-pre-wrap text-ink">
            {text}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function flatEntries(value: unknown): [string, string][] | null {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  const entries = Object.entries(value);
  const flat = entries.every(([, each]) => typeof each !== "object" || each === null) && entries.length <= 12;
  const texts = entries.map(([name, each]): [string, string] => [name, String(each)]);
  return flat && texts.every(([, text]) => text.length <= longestInline) ? texts : null;
}
