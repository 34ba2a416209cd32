import pino, { type Logger } from "pino";

/** What never reaches the log, wherever it stands. */
const redacted = [
  "authorization",
  "cookie",
  "password",
  "secret",
  "token",
  "*.authorization",
  "*.cookie",
  "*.password",
  "*.secret",
  "*.token",
  'headers["set-cookie"]',
];

const levels: Record<number, string> = { 10: "trace", 20: "debug", 30: "info", 40: "warn", 50: "error", 60: "fatal" };

/** A line for people: time, level, message, and what there is beside it. */
function textLine(json: string): string {
  const { time, level, msg, err, ...rest } = JSON.parse(json) as Record<string, unknown> & {
    err?: { stack?: string; message?: string };
  };
  const fields = Object.entries(rest).map(([key, value]) => ` ${key}=${JSON.stringify(value)}`);
  const head = `${String(time).slice(11, 23)} ${(levels[Number(level)] ?? "").padEnd(5)} ${msg}${fields.join("")}`;
  return err === undefined ? `${head}\n` : `${head}\n${err.stack ?? err.message ?? ""}\n`;
}

/** JSON lines on standard output, or lines for people when a person is watching. */
export function openLog(options: { level: string; format: "json" | "text" }): Logger {
  const settings: pino.LoggerOptions = {
    level: options.level,
    base: undefined,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: redacted, censor: "[redacted]" },
  };
  if (options.format === "json") return pino(settings, pino.destination({ fd: 1, sync: true }));
  return pino(settings, { write: (line: string) => void process.stdout.write(textLine(line)) });
}
