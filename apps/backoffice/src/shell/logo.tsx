/** The mark: a ship's wheel of six spokes. Drawn in the current colour. */
export function LogoMark({ size = 20, className }: { size?: number; className?: string }) {
  const spokes = [0, 60, 120, 180, 240, 300];
  return (
    <svg width={size} height={size} viewBox="0 0 24 24" fill="none" aria-hidden="true" className={className}>
      <g stroke="currentColor" strokeLinecap="round">
        <circle cx="12" cy="12" r="6.6" strokeWidth="2.1" />
        {spokes.map((angle) => (
          <line key={angle} x1="12" y1="9.4" x2="12" y2="1.6" strokeWidth="2.1" transform={`rotate(${angle} 12 12)`} />
        ))}
      </g>
      <circle cx="12" cy="12" r="2.5" fill="currentColor" />
    </svg>
  );
}

/** The mark on its tile, as in the navigation and on the pages outside the shell. */
export function Logo({ size = 24 }: { size?: number }) {
  return (
    <span
      className="inline-flex shrink-0 items-center justify-center rounded-[7px] bg-accent text-on-accent"
      style={{ width: size, height: size }}
    >
      <LogoMark size={Math.round(size * 0.7)} />
    </span>
  );
}
