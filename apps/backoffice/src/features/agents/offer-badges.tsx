import type { AgentName } from "./use-agent-names.ts";

/** Says of an agent why it is not offered where one chooses an agent. */
export function OfferBadges({ agent: { mode, hidden } }: { agent: Pick<AgentName, "mode" | "hidden"> }) {
  return (
    <>
      {mode === "SUBAGENT" ? <Badge label="Subagent" explain="It works for other agents only" /> : null}
      {hidden ? <Badge label="Hidden" explain="It can be run, and is not offered" /> : null}
    </>
  );
}

function Badge({ label, explain }: { label: string; explain: string }) {
  return (
    <span
      title={explain}
      className="inline-flex h-[20px] shrink-0 items-center rounded bg-warning-tint px-1.5 text-2xs font-medium text-warning-ink"
    >
      {label}
    </span>
  );
}
