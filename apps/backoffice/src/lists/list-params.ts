/** All values of a parameter that may be repeated, each once, in order, at most `most`. */
export const readAll = (params: URLSearchParams, name: string, most = 50): string[] =>
  [...new Set(params.getAll(name))].filter((value) => value !== "").slice(0, most);

/** The values of a parameter that are among the known ones. */
export const readKnown = <T extends string>(params: URLSearchParams, name: string, known: readonly T[]): T[] =>
  readAll(params, name).flatMap((value) => known.find((each) => each === value) ?? []);

/** Writes a parameter that may be repeated; none when empty. */
export function writeAll(params: URLSearchParams, name: string, values: readonly string[]): void {
  params.delete(name);
  for (const value of values) params.append(name, value);
}

/** Writes a single parameter; none when empty. */
export function writeOne(params: URLSearchParams, name: string, value: string): void {
  if (value === "") params.delete(name);
  else params.set(name, value);
}
