import { describe, expect, it } from "vitest";
import { cronIssue, nextTime, nextTimes, timeZoneIssue } from "./cron.ts";

const times = (cron: string, timeZone: string, after: string, count: number): string[] =>
  nextTimes({ cron, timeZone }, new Date(after), count).map((time) => time.toISOString().slice(0, 16));

describe("the times of a schedule", () => {
  it("are meant in its zone, whatever the offset is", () => {
    expect(times("15 9 * * *", "Asia/Kathmandu", "2026-03-07T12:30Z", 2)).toEqual([
      "2026-03-08T03:30",
      "2026-03-09T03:30",
    ]);
    expect(times("0 9 * * MON-FRI", "Europe/Berlin", "2026-03-27T09:00Z", 2)).toEqual([
      "2026-03-30T07:00",
      "2026-03-31T07:00",
    ]);
  });

  it("that summer time skips are due when the clocks have jumped, once", () => {
    // 02:30 does not exist on 29 March in Berlin, 8 March in New York; on Lord Howe half an hour is skipped.
    expect(times("30 2 * * *", "Europe/Berlin", "2026-03-28T00:00Z", 3)).toEqual([
      "2026-03-28T01:30",
      "2026-03-29T01:00",
      "2026-03-30T00:30",
    ]);
    expect(times("30 2 * * *", "America/New_York", "2026-03-07T12:00Z", 2)).toEqual([
      "2026-03-08T07:00",
      "2026-03-09T06:30",
    ]);
    expect(times("15 2 * * *", "Australia/Lord_Howe", "2026-10-02T12:30Z", 3)).toEqual([
      "2026-10-02T15:45",
      "2026-10-03T15:30",
      "2026-10-04T15:15",
    ]);
    expect(times("30 2 * * *", "Europe/Berlin", "2026-03-29T01:00Z", 1)).toEqual(["2026-03-30T00:30"]);
  });

  it("that come twice are due the first time, also when asked between the two", () => {
    expect(times("30 2 * * *", "Europe/Berlin", "2026-10-24T00:00Z", 3)).toEqual([
      "2026-10-24T00:30",
      "2026-10-25T00:30",
      "2026-10-26T01:30",
    ]);
    expect(times("30 2 * * *", "Europe/Berlin", "2026-10-25T01:10Z", 1)).toEqual(["2026-10-26T01:30"]);
    expect(times("30 1 * * *", "America/New_York", "2026-11-01T05:30Z", 1)).toEqual(["2026-11-02T06:30"]);
    expect(times("45 1 * * *", "Australia/Lord_Howe", "2026-04-04T12:00Z", 2)).toEqual([
      "2026-04-04T14:45",
      "2026-04-05T15:15",
    ]);
  });

  it("with steps follow the hours as they pass, none skipped and none invented", () => {
    expect(times("*/30 * * * *", "Europe/Berlin", "2026-10-24T23:30Z", 5)).toEqual([
      "2026-10-25T00:00",
      "2026-10-25T00:30",
      "2026-10-25T01:00",
      "2026-10-25T01:30",
      "2026-10-25T02:00",
    ]);
    expect(times("*/30 * * * *", "Europe/Berlin", "2026-03-29T00:00Z", 3)).toEqual([
      "2026-03-29T00:30",
      "2026-03-29T01:00",
      "2026-03-29T01:30",
    ]);
    expect(times("0 * * * *", "America/New_York", "2026-11-01T04:30Z", 3)).toEqual([
      "2026-11-01T05:00",
      "2026-11-01T06:00",
      "2026-11-01T07:00",
    ]);
  });

  it("end where the calendar ends", () => {
    expect(nextTime({ cron: "0 0 29 2 *", timeZone: "UTC" }, new Date("2026-06-01"))?.toISOString()).toBe(
      "2028-02-29T00:00:00.000Z",
    );
  });
});

describe("a cron expression", () => {
  it.each(["* * * * *", "*/5 8-18 * * MON-FRI", "0 0 1 JAN *", "0 12 L * *", " 0  0 * * 7 "])("can be %j", (cron) =>
    expect(cronIssue(cron)).toBeNull(),
  );

  it.each(["", "@daily", "* * * *", "* * * * * *", "2026-01-01T00:00:00", "60 * * * *", "MON * * * *", "*/0 * * * *"])(
    "cannot be %j",
    (cron) => expect(cronIssue(cron)).toMatch(/five fields|cannot be read/),
  );

  it("names a day that there is", () => expect(cronIssue("0 0 30 2 *")).toMatch(/no day/));
});

describe("a time zone", () => {
  it.each(["UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires"])("can be %s", (zone) =>
    expect(timeZoneIssue(zone)).toBeNull(),
  );
  it.each(["", "Mars/Base", "+02:00", "Europe/Berlin; DROP"])("cannot be %j", (zone) =>
    expect(timeZoneIssue(zone)).toMatch(/IANA/),
  );
});
