import { describe, expect, it } from "vitest";
import { type FollowedLog, LogFollower, type LogPart } from "./follow-log.ts";
import type { TailPage, TailViewer } from "./log-tail.ts";

/** Events are their own places. */
const pageOf = (from: number, to: number, caughtUp = true): LogPart<number, number> => ({
  events: Array.from({ length: to - from + 1 }, (_, i) => from + i),
  scannedTo: to,
  caughtUp,
});

/** Reads `backlog` and then whatever a shared reader hands over, until the place `end`. */
async function told(
  backlog: readonly LogPart<number, number>[],
  tail: readonly TailPage<number, number>[],
  end: number,
) {
  const pages = [...backlog];
  const log: FollowedLog<number, number> = {
    read: async () => pages.shift() ?? pageOf(1, 0),
    join(_after, viewer: TailViewer<number, number>) {
      for (const page of tail) viewer.receive(page);
      return () => undefined;
    },
    accepts: () => true,
    placeOf: (event) => event,
    isBefore: (a, b) => a < b,
    tooSlow: () => new Error("too slow"),
    maxBuffered: 100,
  };
  const follower = new LogFollower<number, number, readonly number[]>({
    log,
    start: 0,
    step: (part, place) => ({ frame: part.events, last: place >= end }),
    lastWord: () => null,
  });
  const events: number[] = [];
  for await (const frame of follower.frames(new AbortController().signal)) events.push(...frame);
  return events;
}

describe("the seam between backlog and tail", () => {
  it("tells nothing twice when the shared reader is behind the viewer that joins it", async () => {
    expect(await told([pageOf(1, 5)], [pageOf(3, 5), pageOf(6, 7)], 7)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  it("does not go back when all that the shared reader brings was told already", async () => {
    expect(await told([pageOf(1, 3, false), pageOf(4, 6)], [pageOf(2, 4), pageOf(7, 7)], 7)).toEqual([
      1, 2, 3, 4, 5, 6, 7,
    ]);
  });
});
