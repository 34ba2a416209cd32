import { seededRandom } from "./demo-clock.ts";
import { briefings, errands, investigations, lookups, pastedLog, questions } from "./demo-texts.ts";

/** How a conversation goes on after its last message. */
export type Ending = "answered" | "failed" | "cancelled" | "waiting" | "approved" | "rejected" | "edited";

/** One conversation of the demo. The same every time, but for `startsAt`, which counts back from now. */
export interface PlannedConversation {
  externalId: string;
  agent: "guide" | "analyst" | "briefing" | "clerk";
  /** The end user, part of the scope; null: the project itself. */
  user: string | null;
  title: string | null;
  messages: readonly string[];
  ending: Ending;
  startsAt: Date;
}

const dayMs = 86_400_000;
const days = 30;

/** A project of a month: quiet weekends, busy mornings, more of it lately. */
export function planDemo(now: Date, count: number): PlannedConversation[] {
  const random = seededRandom(20_260_301);
  const pick = <T>(list: readonly T[]): T => {
    const item = list[Math.floor(random() * list.length)];
    if (item === undefined) throw new Error("nothing to pick from");
    return item;
  };
  const moments = Array.from({ length: count }, () => momentOf(random, now)).sort((a, b) => a - b);
  return moments.map((at, i) => {
    const recent = now.getTime() - at < 0.8 * dayMs;
    const content = contentOf(random, pick, i, recent || i >= count - 8);
    return {
      ...content,
      externalId: `demo-${String(i + 1).padStart(4, "0")}`,
      user: random() < 0.7 ? `u-${1 + Math.floor(random() * 40)}` : null,
      title: random() < 0.25 ? titleOf(content.messages[0] ?? "") : null,
      startsAt: new Date(at),
    };
  });
}

function momentOf(random: () => number, now: Date): number {
  for (;;) {
    // The square root makes later days more likely.
    const age = (1 - Math.sqrt(random())) * days * dayMs;
    const at = new Date(now.getTime() - age - 600_000);
    const weekend = at.getUTCDay() === 0 || at.getUTCDay() === 6;
    const hour = at.getUTCHours();
    const likely = (weekend ? 0.25 : 1) * (hour >= 7 && hour < 18 ? 1 : 0.2);
    if (random() < likely) return at.getTime();
  }
}

function contentOf(random: () => number, pick: <T>(list: readonly T[]) => T, i: number, recent: boolean) {
  const kind = random();
  if (kind < 0.14) {
    const decided: readonly Ending[] = ["approved", "approved", "rejected", "edited"];
    return {
      agent: "clerk" as const,
      messages: [pick(errands)],
      ending: recent ? ("waiting" as const) : pick(decided),
    };
  }
  const ending: Ending = random() < 0.07 ? "failed" : random() < 0.04 ? "cancelled" : "answered";
  if (kind < 0.2) return { agent: "clerk" as const, messages: pick(lookups), ending };
  if (kind < 0.27) return { agent: "analyst" as const, messages: pick(investigations), ending };
  if (kind < 0.35) return { agent: "briefing" as const, messages: pick(briefings), ending };
  const messages = i % 60 === 7 ? [pastedLog(90 + (i % 5) * 40)] : pick(questions);
  return { agent: "guide" as const, messages, ending };
}

const titleOf = (text: string): string => [...text].slice(0, 48).join("").trim();
