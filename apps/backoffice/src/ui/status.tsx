"use client";

import {
  CheckCircleIcon,
  CircleDashedIcon,
  ClockCountdownIcon,
  HandPalmIcon,
  type Icon,
  MinusCircleIcon,
  WarningCircleIcon,
  XCircleIcon,
} from "@phosphor-icons/react";

/** Every status that a session, task, run, step, model call or webhook delivery can have. */
export type AnyStatus =
  | "IDLE"
  | "BUSY"
  | "WAITING"
  | "ERROR"
  | "EXPIRED"
  | "SUBMITTED"
  | "WORKING"
  | "INPUT_REQUIRED"
  | "COMPLETED"
  | "FAILED"
  | "CANCELLED"
  | "REJECTED"
  | "QUEUED"
  | "RUNNING"
  | "SUCCEEDED"
  | "INTERRUPTED"
  | "PENDING"
  | "DELIVERED"
  | "OK";

export type Tone = "neutral" | "running" | "success" | "warning" | "danger";

interface Look {
  label: string;
  tone: Tone;
  icon: Icon | "spinner" | "dot";
}

// Shape and word tell the status as well as the colour does.
const looks: Record<AnyStatus, Look> = {
  IDLE: { label: "Idle", tone: "neutral", icon: "dot" },
  BUSY: { label: "Running", tone: "running", icon: "spinner" },
  WAITING: { label: "Waiting", tone: "warning", icon: HandPalmIcon },
  ERROR: { label: "Failed", tone: "danger", icon: WarningCircleIcon },
  EXPIRED: { label: "Expired", tone: "neutral", icon: ClockCountdownIcon },
  SUBMITTED: { label: "Submitted", tone: "neutral", icon: CircleDashedIcon },
  WORKING: { label: "Working", tone: "running", icon: "spinner" },
  INPUT_REQUIRED: { label: "Needs input", tone: "warning", icon: HandPalmIcon },
  COMPLETED: { label: "Completed", tone: "success", icon: CheckCircleIcon },
  FAILED: { label: "Failed", tone: "danger", icon: XCircleIcon },
  CANCELLED: { label: "Cancelled", tone: "neutral", icon: MinusCircleIcon },
  REJECTED: { label: "Rejected", tone: "danger", icon: MinusCircleIcon },
  QUEUED: { label: "Queued", tone: "neutral", icon: CircleDashedIcon },
  RUNNING: { label: "Running", tone: "running", icon: "spinner" },
  SUCCEEDED: { label: "Succeeded", tone: "success", icon: CheckCircleIcon },
  INTERRUPTED: { label: "Waiting", tone: "warning", icon: HandPalmIcon },
  PENDING: { label: "Pending", tone: "neutral", icon: CircleDashedIcon },
  DELIVERED: { label: "Delivered", tone: "success", icon: CheckCircleIcon },
  OK: { label: "OK", tone: "success", icon: CheckCircleIcon },
};

/** The dot or icon colour of a tone. */
export const toneText: Record<Tone, string> = {
  neutral: "text-faint",
  running: "text-running",
  success: "text-success",
  warning: "text-warning",
  danger: "text-danger",
};

const toneInk: Record<Tone, string> = {
  neutral: "text-muted",
  running: "text-running-ink",
  success: "text-success-ink",
  warning: "text-warning-ink",
  danger: "text-danger-ink",
};

const toneTint: Record<Tone, string> = {
  neutral: "bg-hover",
  running: "bg-running-tint",
  success: "bg-success-tint",
  warning: "bg-warning-tint",
  danger: "bg-danger-tint",
};

export const statusTone = (status: AnyStatus): Tone => looks[status].tone;
export const statusLabel = (status: AnyStatus): string => looks[status].label;

/** A ring with a turning quarter: something is running. */
export function Spinner({ size = 14, className }: { size?: number; className?: string }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      aria-hidden="true"
      className={`shrink-0 ${className ?? ""}`}
      style={{ animation: "wh-spin 0.9s linear infinite" }}
    >
      <circle cx="8" cy="8" r="6" stroke="currentColor" strokeOpacity="0.25" strokeWidth="2" />
      <path d="M14 8a6 6 0 0 0-6-6" stroke="currentColor" strokeWidth="2" strokeLinecap="round" />
    </svg>
  );
}

/** The status's shape in its colour, without words: pair it with text or give `title`. */
export function StatusIcon({ status, size = 14, title }: { status: AnyStatus; size?: number; title?: string }) {
  const { icon, tone } = looks[status];
  const Shape = icon;
  return (
    <span className={`inline-flex shrink-0 ${toneText[tone]}`} title={title}>
      {Shape === "spinner" ? (
        <Spinner size={size} />
      ) : Shape === "dot" ? (
        <span className="flex items-center justify-center" style={{ width: size, height: size }}>
          <span className="size-[6px] rounded-full bg-line-strong" />
        </span>
      ) : (
        <Shape size={size} weight={tone === "neutral" ? "bold" : "fill"} aria-hidden="true" />
      )}
      {title === undefined ? null : <span className="sr-only">{title}</span>}
    </span>
  );
}

export interface StatusBadgeProps {
  status: AnyStatus;
  /** `plain` (default): icon and word, for rows. `pill`: on a tint, for headers. `word`: where the icon stands apart. */
  variant?: "plain" | "pill" | "word";
  className?: string;
}

/** A status in shape, colour and word. */
export function StatusBadge({ status, variant = "plain", className }: StatusBadgeProps) {
  const { label, tone } = looks[status];
  const pill = variant === "pill" ? `h-[22px] rounded-full pr-2.5 pl-1.5 ${toneTint[tone]}` : "";
  return (
    <span
      className={`inline-flex items-center gap-1.5 whitespace-nowrap text-xs font-medium ${toneInk[tone]} ${pill} ${className ?? ""}`}
    >
      {variant === "word" ? null : <StatusIcon status={status} />}
      {label}
    </span>
  );
}
