/** A clock that can be set, and then runs faster than real time: scripted models answer sooner than real ones. */
export interface DemoClock {
  now(): Date;
  set(date: Date): void;
}

/** `speed`: demo milliseconds per real one. */
export function demoClock(speed: number): DemoClock {
  let base = Date.now();
  let since = performance.now();
  return {
    now: () => new Date(base + Math.round((performance.now() - since) * speed)),
    set(date) {
      base = date.getTime();
      since = performance.now();
    },
  };
}

/** Numbers between 0 and 1 that are the same every time (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
