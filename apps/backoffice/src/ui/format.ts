const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** A duration a person reads at a glance: `840 ms`, `12.4 s`, `3 m 05 s`, `2 h 04 m`, `3 d 4 h`. */
export function formatDuration(ms: number): string {
  if (!Number.isFinite(ms) || ms < 0) return "–";
  if (ms < second) return `${Math.round(ms)} ms`;
  if (ms < 9.995 * second) return `${(ms / second).toFixed(2)} s`;
  if (ms < 59.95 * second) return `${(ms / second).toFixed(1)} s`;
  const pad = (n: number) => String(n).padStart(2, "0");
  const seconds = Math.round(ms / second);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} m ${pad(seconds % 60)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h ${pad(minutes % 60)} m`;
  const hours = Math.floor(minutes / 60);
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** A count with thousands separators: `12,480`. */
export const formatCount = (n: number): string => n.toLocaleString("en-US");

/** A count in three figures: `999`, `1.2k`, `48k`, `1.3M`. */
export function formatCompact(n: number): string {
  const abs = Math.abs(n);
  if (abs < 1000) return String(n);
  for (const [limit, unit, suffix] of [
    [999_500, 1000, "k"],
    [999_500_000, 1_000_000, "M"],
    [Number.POSITIVE_INFINITY, 1_000_000_000, "B"],
  ] as const) {
    if (abs < limit) {
      const value = n / unit;
      return `${Math.abs(value) < 9.95 ? value.toFixed(1).replace(/\.0$/, "") : Math.round(value)}${suffix}`;
    }
  }
  return String(n);
}

/** Bytes in binary units: `812 B`, `3.4 KiB`, `1.2 MiB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const units = ["KiB", "MiB", "GiB", "TiB"];
  let value = bytes / 1024;
  let unit = 0;
  while (value >= 1023.5 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${value < 9.95 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

/** How long ago, as short as it can be said: `now`, `42s`, `7m`, `3h`, `5d`, then the date. Future times read `in 5m`. */
export function formatRelative(at: Date, now: Date): string {
  const age = now.getTime() - at.getTime();
  const ahead = age < 0;
  const distance = Math.abs(age);
  if (distance < 5 * second) return "now";
  const short =
    distance < minute
      ? `${Math.floor(distance / second)}s`
      : distance < hour
        ? `${Math.floor(distance / minute)}m`
        : distance < day
          ? `${Math.floor(distance / hour)}h`
          : distance < 7 * day
            ? `${Math.floor(distance / day)}d`
            : null;
  if (short === null) return formatDate(at, now);
  return ahead ? `in ${short}` : short;
}

/** `12 Nov`, with the year when it is another one. */
export function formatDate(at: Date, now: Date): string {
  const sameYear = at.getFullYear() === now.getFullYear();
  return at.toLocaleDateString("en-GB", { day: "numeric", month: "short", ...(sameYear ? {} : { year: "numeric" }) });
}

/** `14:03:27`, with milliseconds when asked for, in the viewer's zone. */
export const formatClock = (at: Date, withMilliseconds = false): string =>
  at.toLocaleTimeString("en-GB", {
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    ...(withMilliseconds ? { fractionalSecondDigits: 3 as const } : {}),
  });

/** The whole truth about a moment, in the viewer's zone: `Mon 30 Nov 2026, 14:03:27 GMT+1`. */
export const formatAbsolute = (at: Date): string =>
  `${at.toLocaleDateString("en-GB", { weekday: "short", day: "numeric", month: "short", year: "numeric" })}, ${at.toLocaleTimeString(
    "en-GB",
    { hour: "2-digit", minute: "2-digit", second: "2-digit", timeZoneName: "short" },
  )}`;

/** An id short enough for a row, still recognisable: type left out, first and last characters kept. */
export function shortId(id: string): string {
  const bare = id.includes("_") ? id.slice(id.indexOf("_") + 1) : id;
  return bare.length <= 14 ? bare : `${bare.slice(0, 8)}…${bare.slice(-4)}`;
}

/** The beginning of a Markdown text as one plain line, for a preview: marks of emphasis, headings, lists, code and links left out. */
export const plainPreview = (markdown: string): string =>
  markdown
    .slice(0, 600)
    .replaceAll(/```[^\n]*\n?/g, " ")
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/^\s{0,3}(#{1,6}|>|[-*+]|\d+\.)\s+/gm, "")
    .replaceAll(/^\s*\|?[\s:|-]{3,}\|?\s*$/gm, " ")
    .replaceAll(/(\*\*|__|[*`~])(?=\S)|(?<=\S)(\*\*|__|[*`~])/g, "")
    .replaceAll(/\s*\|\s*/g, " ")
    .replaceAll(/\s+/g, " ")
    .trim();
