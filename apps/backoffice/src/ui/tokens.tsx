import { formatCompact, formatCount } from "./format.ts";

export interface TokensProps {
  usage: {
    promptTokens?: number | null;
    completionTokens?: number | null;
    totalTokens?: number | null;
    cachedPromptTokens?: number | null;
    reasoningTokens?: number | null;
    status?: string;
  };
  /** Shows "1.2k in · 340 out" instead of the total alone. */
  detailed?: boolean;
  className?: string;
}

/** Tokens as the provider reported them; a dash where it reported none, `≥` where only some calls were reported. */
export function Tokens({ usage, detailed = false, className }: TokensProps) {
  const { promptTokens, completionTokens, totalTokens, status } = usage;
  const title = explain(usage);
  const prefix = status === "PARTIAL" ? "≥ " : "";
  const known = typeof totalTokens === "number";
  const text = !known
    ? "–"
    : detailed && typeof promptTokens === "number" && typeof completionTokens === "number"
      ? `${prefix}${formatCompact(promptTokens)} in · ${formatCompact(completionTokens)} out`
      : `${prefix}${formatCompact(totalTokens)}`;
  return (
    <span className={`tnum whitespace-nowrap ${className ?? ""}`} title={title}>
      {text}
    </span>
  );
}

function explain(usage: TokensProps["usage"]): string {
  const lines = [
    ["Prompt", usage.promptTokens],
    ["of which cached", usage.cachedPromptTokens],
    ["Completion", usage.completionTokens],
    ["of which reasoning", usage.reasoningTokens],
    ["Total", usage.totalTokens],
  ] as const;
  const known = lines.filter(([, n]) => typeof n === "number").map(([label, n]) => `${label}: ${formatCount(n ?? 0)}`);
  if (known.length === 0) return "The provider reported no token counts";
  if (usage.status === "PARTIAL") known.push("Some calls reported no counts");
  return known.join("\n");
}
