/** Progress for a person: what is being done, and how long it took. */
const colour = process.stdout.isTTY && !process.env.NO_COLOR;
const paint = (code, text) => (colour ? `\u001b[${code}m${text}\u001b[0m` : text);

export const dim = (text) => paint(2, text);
export const green = (text) => paint(32, text);
export const red = (text) => paint(31, text);
export const yellow = (text) => paint(33, text);

/** Milliseconds as a person says them: `840 ms`, `12.3 s`, `2 min 5 s`. */
export function spell(ms) {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** Runs `work` under a title; prints the title before and the time after. What `work` throws is thrown on. */
export async function timedStep(title, work) {
  console.log(`${dim("▸")} ${title}`);
  const startedAt = performance.now();
  try {
    const result = await work();
    console.log(`${green("✓")} ${title} ${dim(spell(performance.now() - startedAt))}`);
    return result;
  } catch (error) {
    console.log(`${red("✗")} ${title} ${dim(spell(performance.now() - startedAt))}`);
    throw error;
  }
}
