import {
  ChatCircleTextIcon,
  CheckCircleIcon,
  ClockCountdownIcon,
  type Icon,
  PencilSimpleIcon,
  XCircleIcon,
} from "@phosphor-icons/react";
import type { Decision } from "@wheelhouse/domain";
import { Time } from "../../ui/time.tsx";
import type { InterruptView } from "../run/live-view.ts";

const looks: Record<Decision, { word: string; icon: Icon; tone: string }> = {
  APPROVE: { word: "Approved", icon: CheckCircleIcon, tone: "text-success-ink" },
  EDIT: { word: "Approved with changes", icon: PencilSimpleIcon, tone: "text-success-ink" },
  REJECT: { word: "Rejected", icon: XCircleIcon, tone: "text-danger-ink" },
  RESPOND: { word: "Answered", icon: ChatCircleTextIcon, tone: "text-success-ink" },
};

/** How a request of the agent ended: what it was, what was decided, by whom and when. */
export function DecidedLine({ interrupt }: { interrupt: InterruptView }) {
  const { decision, decidedBy, decidedAt, actions } = interrupt;
  const look = decision === null ? null : looks[decision];
  const Shape = look?.icon ?? ClockCountdownIcon;
  const names = actions.map((action) => action.name).join(", ");
  return (
    <p className="flex flex-wrap items-center gap-x-2 gap-y-0.5 py-0.5 text-[13px] text-muted">
      <Shape size={15} weight="fill" aria-hidden="true" className={look?.tone ?? "text-muted"} />
      <span className={`font-medium ${look?.tone ?? "text-muted"}`}>{look?.word ?? "Closed without a decision"}</span>
      <span className="mono text-xs text-ink-2">{interrupt.kind === "QUESTION" ? "question" : names}</span>
      {decidedBy === null ? null : <span>by {decidedBy}</span>}
      {decidedAt === null ? null : <Time at={decidedAt} className="text-xs" />}
    </p>
  );
}
