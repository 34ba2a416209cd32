import type { ConfigSource } from "../../generated/graphql.ts";

const sources: Record<ConfigSource, { label: string; explain: string }> = {
  CODE: { label: "Code", explain: "A LangGraph graph registered in wheelhouse.config.ts" },
  FILE: { label: "File", explain: "Defined by a file of the workspace, read only here" },
  API: { label: "API", explain: "Defined through the API" },
};

/** Where an agent's definition comes from. */
export function SourceBadge({ source }: { source: ConfigSource }) {
  const { label, explain } = sources[source];
  return (
    <span
      title={explain}
      className="inline-flex h-[20px] items-center rounded border border-line bg-sunken px-1.5 text-2xs font-medium text-muted"
    >
      {label}
    </span>
  );
}
