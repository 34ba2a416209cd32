import type { Authority, OverlapPolicy, Scope, SessionPolicy } from "@wheelhouse/domain";

/** Work that is submitted again and again, by the clock. */
export interface ScheduleRecord {
  id: string;
  projectId: string;
  projectSlug: string;
  /** Unique in the project; part of the external id of its session. */
  name: string;
  /** Five fields, as cron has them. */
  cron: string;
  /** IANA name of the zone in which the fields are meant. */
  timeZone: string;
  overlapPolicy: OverlapPolicy;
  sessionPolicy: SessionPolicy;
  agentName: string;
  scope: Scope;
  input: unknown;
  enabled: boolean;
  /** When it is due; null when it is disabled or never due again. */
  nextAt: Date | null;
  /** The time it was last due for, whether or not work came of it. */
  lastAt: Date | null;
  /** The last task that it submitted. */
  lastTaskId: string | null;
  /** Why no work came of the last time; null when it did. */
  lastError: string | null;
}

/** What its people decide about a schedule. */
export type ScheduleSettings = Pick<
  ScheduleRecord,
  | "name"
  | "cron"
  | "timeZone"
  | "overlapPolicy"
  | "sessionPolicy"
  | "agentName"
  | "scope"
  | "input"
  | "enabled"
  | "nextAt"
>;

export type SaveScheduleOutcome =
  | { outcome: "created" | "updated"; schedule: ScheduleRecord }
  | { outcome: "nameTaken" }
  /** A caller of exact scope has no schedules. */
  | { outcome: "forbidden" }
  | { outcome: "notFound" };

/** Schedules belong to a project: callers of an exact scope see none. */
export interface ScheduleStore {
  create(
    authority: Authority,
    input: { id: string; settings: ScheduleSettings; at: Date },
  ): Promise<SaveScheduleOutcome>;
  /** Null when it does not exist for this caller. */
  get(authority: Authority, id: string): Promise<ScheduleRecord | null>;
  update(
    authority: Authority,
    id: string,
    change: { settings: Partial<ScheduleSettings>; at: Date },
  ): Promise<SaveScheduleOutcome>;
  /** Whether there was one to delete. */
  delete(authority: Authority, id: string): Promise<boolean>;
  /** The enabled schedules of every project that are due, those due longest first. */
  due(input: { at: Date; limit: number }): Promise<ScheduleRecord[]>;
  /**
   * Writes down what came of the time a schedule was due for, and when it is due next. False when somebody else did, or
   * when the schedule was changed meanwhile: nothing is written then.
   */
  settle(input: {
    id: string;
    dueAt: Date;
    nextAt: Date | null;
    /** Undefined: no task came of it. */
    taskId?: string;
    error: string | null;
    at: Date;
  }): Promise<boolean>;
  /** Remembers a task that was submitted by hand. */
  noteTask(input: { id: string; taskId: string; at: Date }): Promise<void>;
}
