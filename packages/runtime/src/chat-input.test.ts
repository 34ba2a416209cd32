import { describe, expect, it } from "vitest";
import { chatInput, messageIdOf, userTextOf } from "./chat-input.ts";
import { messageRowId } from "./message-ids.ts";

describe("userTextOf", () => {
  it.each<[string, unknown, string | null]>([
    ["a turn", chatInput("hi"), "hi"],
    [
      "a longer conversation",
      {
        messages: [
          { role: "assistant", content: "a" },
          { role: "human", content: "b" },
        ],
      },
      "b",
    ],
    ["LangChain's word for the role", { messages: [{ type: "human", content: "b" }] }, "b"],
    [
      "content in parts",
      {
        messages: [
          { role: "user", content: [{ type: "text", text: "a" }, { type: "image_url" }, { type: "text", text: "b" }] },
        ],
      },
      "ab",
    ],
    ["the model's word at the end", { messages: [{ role: "assistant", content: "a" }] }, null],
    ["no messages", { messages: [] }, null],
    ["no list", { messages: "hi" }, null],
    ["other input", { topic: "tides" }, null],
    ["text", "hi", null],
    ["nothing", null, null],
  ])("reads %s", (_, input, text) => {
    expect(userTextOf(input)).toBe(text);
    expect(messageIdOf("task", input)).toBe(text === null ? null : "task");
  });
});

describe("messageRowId", () => {
  it("is the same for the same message, another in another session, and a UUID", () => {
    const id = messageRowId("s1", "t", "run-1");
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(messageRowId("s1", "t2", "run-1")).toBe(id);
    expect(messageRowId("s2", "t", "run-1")).not.toBe(id);
    expect(messageRowId("s1", "t", "run-2")).not.toBe(id);
  });

  it("leaves the user's message of the task alone", () => {
    expect(messageRowId("s1", "t", "t")).toBe("t");
  });
});
