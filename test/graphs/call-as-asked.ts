import type { Script } from "@wheelhouse/runtime/scripted";
import { z } from "zod";

const Wish = z.object({ name: z.string(), args: z.record(z.string(), z.unknown()) });

/** A model that makes the calls that the user wrote as JSON, one or a list, and says what the last one came to. */
export const callsAsAsked: Script = (messages, tools) => {
  const last = messages.at(-1);
  if (last?.getType() === "tool") return { content: `Answer: ${last.text}` };
  const written: unknown = JSON.parse(last?.text ?? "{}");
  const wishes = z.array(Wish).parse(Array.isArray(written) ? written : [written]);
  const unknown = wishes.find(({ name }) => !tools.some((tool) => tool.name === name));
  if (unknown === undefined) return { toolCalls: wishes };
  return { content: `I have no ${unknown.name}, only ${tools.map(({ name }) => name).join(", ")}.` };
};
