import { Cron } from "croner";

/** A schedule's fields, five of them; names of days and months, `L`, `W` and `#` as croner reads them. */
const fiveFields = /^\s*\S+(\s+\S+){4}\s*$/;

/** What is wrong with a cron expression, for a person; null when nothing is. */
export function cronIssue(cron: string): string | null {
  if (!fiveFields.test(cron)) return "has five fields: minute, hour, day of the month, month, day of the week";
  try {
    return nextTimes({ cron, timeZone: "UTC" }, new Date(0), 1).length === 0 ? "names no day that there is" : null;
  } catch (error) {
    return `cannot be read: ${error instanceof Error ? error.message.replace(/^CronPattern: /, "") : "it is no cron expression"}`;
  }
}

/** What is wrong with the name of a time zone, for a person; null when nothing is. */
export function timeZoneIssue(timeZone: string): string | null {
  // Offsets such as +02:00 are zones too, to Intl, and have no summer: nobody means them for long.
  if (!/^[A-Za-z]/.test(timeZone)) return "is the IANA name of a time zone, for example Europe/Berlin";
  try {
    new Intl.DateTimeFormat("en", { timeZone });
    return null;
  } catch {
    return "is the IANA name of a time zone, for example Europe/Berlin";
  }
}

/**
 * The first `count` times behind `after`; fewer when there are no more. The fields are meant in the zone: a fixed time
 * that summer time skips is due when the clocks have jumped, one that comes twice is due the first time, and fields with
 * `*` or steps follow the hours as they pass.
 */
export function nextTimes({ cron, timeZone }: { cron: string; timeZone: string }, after: Date, count: number): Date[] {
  return new Cron(cron, { timezone: timeZone, mode: "5-part", paused: true }).nextRuns(count, after);
}

/** When it is due next behind `after`; null when never again. */
export const nextTime = (of: { cron: string; timeZone: string }, after: Date): Date | null =>
  nextTimes(of, after, 1)[0] ?? null;
