import { type Authority, type Issue, invalid, OverlapPolicy, SessionPolicy, storableText } from "@wheelhouse/domain";
import type { ScheduleRecord, ScheduleSettings } from "@wheelhouse/storage";
import { checkJson, invalidFields, scopeWithin } from "./check-input.ts";
import { cronIssue, nextTime, timeZoneIssue } from "./cron.ts";
import type { RuntimeDeps } from "./deps.ts";
import { resolveAgent } from "./resolve-agent.ts";
import { checkAgainstAgent } from "./submit-task.ts";

/** What a caller says of a schedule. Absent fields keep what the schedule has, or its defaults when it is new. */
export interface ScheduleInput {
  name?: string | null | undefined;
  cron?: string | null | undefined;
  timeZone?: string | null | undefined;
  overlapPolicy?: string | null | undefined;
  sessionPolicy?: string | null | undefined;
  agent?: string | null | undefined;
  scope?: unknown;
  input?: unknown;
  enabled?: boolean | null | undefined;
}

type Settings = Omit<ScheduleSettings, "nextAt">;

/** Longest name: the external id of the schedule's session holds it. */
const maxNameLength = 100;

/** The complete settings that the input makes, with the time they are due next; refuses naming every wrong field. */
export async function checkSchedule(
  deps: RuntimeDeps,
  authority: Authority,
  input: ScheduleInput,
  before: ScheduleRecord | null,
): Promise<ScheduleSettings> {
  const settings: Settings = {
    name: storableText(input.name ?? before?.name ?? "").trim(),
    cron: storableText(input.cron ?? before?.cron ?? "").trim(),
    timeZone: input.timeZone ?? before?.timeZone ?? "UTC",
    overlapPolicy: enumerated("overlapPolicy", OverlapPolicy, input.overlapPolicy ?? before?.overlapPolicy ?? "SKIP"),
    sessionPolicy: enumerated("sessionPolicy", SessionPolicy, input.sessionPolicy ?? before?.sessionPolicy ?? "SAME"),
    agentName: input.agent ?? before?.agentName ?? "",
    scope: input.scope == null ? (before?.scope ?? authority.scope) : scopeWithin(authority, input.scope),
    input: checkJson("input", input.input ?? before?.input ?? null, deps.tunables.maxInputBytes),
    enabled: input.enabled ?? before?.enabled ?? true,
  };
  const issues = issuesOf(settings);
  if (issues.length > 0) throw invalidFields(issues);
  const agent = await resolveAgent(deps, { ...authority, scope: settings.scope }, settings.agentName);
  checkAgainstAgent(deps, agent, settings.input);
  return { ...settings, nextAt: settings.enabled ? nextTime(settings, deps.clock.now()) : null };
}

function issuesOf(settings: Settings): Issue[] {
  const { name, cron, timeZone, sessionPolicy, overlapPolicy } = settings;
  const checks: [path: string, message: string | null][] = [
    ["name", nameIssue(name)],
    ["cron", cronIssue(cron)],
    ["timeZone", timeZoneIssue(timeZone)],
    ["agent", settings.agentName === "" ? "name the agent that should do it" : null],
    ["overlapPolicy", overlapIssue(sessionPolicy, overlapPolicy)],
  ];
  return checks.flatMap(([path, message]) => (message === null ? [] : [{ path, message }]));
}

function nameIssue(name: string): string | null {
  if (name === "") return "must not be blank";
  return name.length > maxNameLength ? `must not be longer than ${maxNameLength} characters` : null;
}

function overlapIssue(sessionPolicy: SessionPolicy, overlapPolicy: OverlapPolicy): string | null {
  if (sessionPolicy === "NEW" && overlapPolicy === "ENQUEUE")
    return "ENQUEUE needs one session to wait in (sessionPolicy SAME); use ALLOW for several at once";
  if (sessionPolicy === "SAME" && overlapPolicy === "ALLOW")
    return "ALLOW needs a new session each time (sessionPolicy NEW): a session does one thing at a time";
  return null;
}

function enumerated<T extends string>(
  path: string,
  of: { safeParse(value: unknown): { success: boolean; data?: T | undefined } },
  value: string,
): T {
  const { data } = of.safeParse(value);
  if (data === undefined) throw invalid(path, "is none of the values that there are");
  return data;
}
