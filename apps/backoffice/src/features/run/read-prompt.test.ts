import { describe, expect, it } from "vitest";
import { readMessages } from "./read-prompt.ts";

describe("readMessages", () => {
  it("reads roles, texts and tool calls in the ways they are written", () => {
    expect(
      readMessages([
        { role: "system", content: "Be brief." },
        {
          type: "human",
          content: [
            { type: "text", text: "Hi" },
            { type: "image_url", image_url: "x" },
          ],
        },
        { type: "ai", content: "", tool_calls: [{ id: "1", name: "search", args: { q: "a" } }] },
        { role: "assistant", content: null, tool_calls: [{ id: "2", function: { name: "f", arguments: '{"x":1}' } }] },
      ]),
    ).toEqual([
      { role: "system", text: "Be brief.", parts: [], toolRequests: [] },
      { role: "user", text: "Hi", parts: [{ type: "image_url", image_url: "x" }], toolRequests: [] },
      { role: "assistant", text: "", parts: [], toolRequests: [{ id: "1", name: "search", args: { q: "a" } }] },
      { role: "assistant", text: "", parts: [], toolRequests: [{ id: "2", name: "f", args: { x: 1 } }] },
    ]);
  });

  it("finds messages inside a state and inside a batch, and leaves anything else alone", () => {
    expect(readMessages({ messages: [{ role: "user", content: "a" }] })).toHaveLength(1);
    expect(
      readMessages([
        [
          { role: "user", content: "a" },
          { role: "user", content: "b" },
        ],
      ]),
    ).toHaveLength(2);
    expect(readMessages({ output: [{ type: "ai", content: "a" }] })).toHaveLength(1);
    for (const other of [null, "text", 3, [], { answer: 1 }, [{ role: "user" }, 3]])
      expect(readMessages(other)).toBeNull();
  });
});
