/** Hues a step apart are told from one another side by side. */
const hueSteps = 24;

/** FNV-1a: names that differ little still get hues that differ much. */
function hueOf(name: string): number {
  let hash = 0x811c9dc5;
  for (const letter of name) hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return ((hash ^ (hash >>> 15)) % hueSteps) * (360 / hueSteps);
}

/** A small square with the agent's first letter, always in the same colour for the same agent. */
export function AgentMark({ name, label, size = 18 }: { name: string; label: string; size?: number }) {
  const hue = hueOf(name);
  const letter = [...new Intl.Segmenter().segment(label)][0]?.segment.toUpperCase() ?? "·";
  return (
    <span
      aria-hidden="true"
      className="inline-flex shrink-0 items-center justify-center font-semibold"
      style={{
        width: size,
        height: size,
        borderRadius: Math.max(4, size * 0.25),
        fontSize: Math.round(size * 0.56),
        color: `light-dark(oklch(42% 0.1 ${hue}), oklch(84% 0.09 ${hue}))`,
        background: `light-dark(oklch(93.5% 0.032 ${hue}), oklch(30% 0.05 ${hue}))`,
      }}
    >
      {letter}
    </span>
  );
}
