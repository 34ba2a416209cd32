import { UsageStatus as UsageStatusWord, type UsageTotals } from "@wheelhouse/domain";
import { builder } from "./builder.ts";
import { UsageStatus } from "./enums.ts";

type UsageShape = Omit<UsageTotals, "cacheWriteTokens">;

export const Usage = builder.objectRef<UsageShape>("Usage").implement({
  description: "Tokens as the providers reported them; null where none was reported. Never estimated.",
  fields: (t) => ({
    promptTokens: t.exposeInt("promptTokens", { nullable: true, description: "Tokens sent." }),
    completionTokens: t.exposeInt("completionTokens", { nullable: true, description: "Tokens received." }),
    totalTokens: t.exposeInt("totalTokens", { nullable: true, description: "Tokens sent and received." }),
    cachedPromptTokens: t.exposeInt("cachedPromptTokens", {
      nullable: true,
      description: "Of the tokens sent, those that the provider had cached.",
    }),
    reasoningTokens: t.exposeInt("reasoningTokens", {
      nullable: true,
      description: "Of the tokens received, those spent on reasoning.",
    }),
    modelCalls: t.exposeInt("modelCalls", { description: "How many calls were made." }),
    status: t.field({
      type: UsageStatus,
      description: "Whether the numbers are complete.",
      resolve: (usage) => usage.status,
    }),
  }),
});

/** The columns that usage is made of, on sessions and runs alike. */
export const usageColumns = {
  promptTokens: true,
  completionTokens: true,
  totalTokens: true,
  cachedPromptTokens: true,
  reasoningTokens: true,
  modelCallCount: true,
  usageStatus: true,
} as const;

/** Usage from a row's columns. Columns that cannot be null hold 0 where nothing was reported. */
export function usageOf(row: {
  promptTokens: number | null;
  completionTokens: number | null;
  totalTokens: number | null;
  cachedPromptTokens: number | null;
  reasoningTokens: number | null;
  modelCallCount: number;
  usageStatus: string;
}): UsageShape {
  const status = UsageStatusWord.parse(row.usageStatus);
  const counted = (tokens: number | null): number | null => (status === "UNAVAILABLE" ? null : tokens);
  return {
    promptTokens: counted(row.promptTokens),
    completionTokens: counted(row.completionTokens),
    totalTokens: counted(row.totalTokens),
    cachedPromptTokens: counted(row.cachedPromptTokens),
    reasoningTokens: counted(row.reasoningTokens),
    modelCalls: row.modelCallCount,
    status,
  };
}
