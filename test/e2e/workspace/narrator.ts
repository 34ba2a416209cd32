import { setTimeout as pause } from "node:timers/promises";
import type { MessagesAnnotation } from "@langchain/langgraph";
import { ScriptedModel } from "../../../packages/runtime/src/graph/scripted-model.ts";
import { gateIn, isGateOpen, lastBeforeGate, pauseMs, sentencesOf } from "../story.ts";

type State = typeof MessagesAnnotation.State;
type Stream = ScriptedModel["_streamResponseChunks"];

const lookAgainMs = 50;

/** Tells its text, and stops in the middle until the gate is opened. */
class Narrator extends ScriptedModel {
  gate: string | null = null;

  override async *_streamResponseChunks(...[messages, options, runManager]: Parameters<Stream>): ReturnType<Stream> {
    let isAtGate = false;
    for await (const chunk of super._streamResponseChunks(messages, options, runManager)) {
      // LangChain hands a piece on when the next one is asked for, so the gate stands before the next.
      while (isAtGate && this.gate !== null && !isGateOpen(this.gate))
        await pause(lookAgainMs, undefined, { signal: options.signal });
      isAtGate = chunk.text.trim() === lastBeforeGate;
      yield chunk;
    }
  }
}

/** A node that tells a chapter. */
export const tell =
  (chapter: number) =>
  async ({ messages }: State) => {
    const content = sentencesOf(chapter).map((sentence) => `${sentence} `);
    const narrator = new Narrator({ turns: [{ content }], delayMs: pauseMs });
    const request = messages.findLast((message) => message.getType() === "human");
    narrator.gate = gateIn(request?.text ?? "");
    return { messages: [await narrator.invoke(messages)] };
  };
