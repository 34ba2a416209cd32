import type { Clock, NewId } from "@wheelhouse/domain";

/** A clock that stands still until it is told to go on. */
export interface TestClock extends Clock {
  /** Goes on by milliseconds. */
  advance(ms: number): void;
}

export function testClock(start = "2026-06-01T12:00:00.000Z"): TestClock {
  let time = new Date(start).getTime();
  return {
    now: () => new Date(time),
    advance: (ms) => {
      time += ms;
    },
  };
}

/** Ids in the form of UUIDv7 that count up: the same in every run of a test, different for every seed. */
export function countedIds(seed = 0): NewId {
  let count = 0;
  return () => {
    count++;
    const high = seed.toString(16).padStart(8, "0");
    const low = count.toString(16).padStart(12, "0");
    return `${high}-${low.slice(0, 4)}-7000-8000-${low}`;
  };
}
