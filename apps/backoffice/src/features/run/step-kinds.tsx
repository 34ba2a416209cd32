import {
  CirclesThreeIcon,
  type Icon,
  MagnifyingGlassIcon,
  RobotIcon,
  SparkleIcon,
  StackIcon,
  WrenchIcon,
} from "@phosphor-icons/react";
import type { StepKind } from "@wheelhouse/domain";

interface Look {
  label: string;
  icon: Icon;
  /** Of the bar and the icon; a shade for light and one for dark, both clear of the status colours. */
  colour: string;
}

export const stepKindLooks: Record<StepKind, Look> = {
  NODE: { label: "Node", icon: CirclesThreeIcon, colour: "light-dark(oklch(62% 0.035 245), oklch(66% 0.03 245))" },
  MODEL: { label: "Model", icon: SparkleIcon, colour: "light-dark(oklch(56% 0.17 292), oklch(69% 0.14 292))" },
  TOOL: { label: "Tool", icon: WrenchIcon, colour: "light-dark(oklch(66% 0.14 62), oklch(76% 0.13 72))" },
  SUBAGENT: { label: "Subagent", icon: RobotIcon, colour: "light-dark(oklch(57% 0.1 212), oklch(70% 0.1 205))" },
  RETRIEVAL: {
    label: "Retrieval",
    icon: MagnifyingGlassIcon,
    colour: "light-dark(oklch(58% 0.14 345), oklch(72% 0.13 345))",
  },
  MIDDLEWARE: { label: "Middleware", icon: StackIcon, colour: "light-dark(oklch(76% 0.02 245), oklch(50% 0.02 245))" },
};

/** The colour of a step's bar: a failure shows over its kind. */
export const barColour = (kind: StepKind, status: string): string =>
  status === "FAILED" ? "var(--color-danger)" : stepKindLooks[kind].colour;

export function StepKindIcon({ kind, size = 14 }: { kind: StepKind; size?: number }) {
  const { icon: Shape, label, colour } = stepKindLooks[kind];
  return (
    <span className="inline-flex shrink-0" style={{ color: colour }} title={label}>
      <Shape size={size} weight="bold" aria-hidden="true" />
    </span>
  );
}
