import { describe, expect, it, vi } from "vitest";
import { emptyView, foldEvents } from "../run/fold-events.ts";
import type { LiveView, LogEvent } from "../run/live-view.ts";
import { createSends } from "./sends.ts";

const accepted = (runId: string) => ({
  sendMessage: {
    __typename: "SubmitTaskSuccess",
    run: { id: `Run_${runId}` },
    task: { id: "Task_t" },
    session: { id: "Session_s" },
  },
});

/** The log after users wrote these texts, one run each. */
const viewOf = (...asked: [runId: string, text: string][]): LiveView =>
  foldEvents(
    emptyView("s"),
    asked.map(
      ([runId, text], i): LogEvent => ({
        sequence: i + 1,
        type: "message.user",
        visibility: "END_USER",
        at: "2026-01-01T00:00:00.000Z",
        runId,
        taskId: null,
        payload: { messageId: `m${i}`, role: "USER", text },
      }),
    ),
  );

function world() {
  let view = emptyView("s");
  const request = vi.fn();
  const sends = createSends({ request }, "Session_s", { view: () => view, changed: () => undefined });
  const arrive = (next: LiveView) => {
    view = next;
    sends.reconcile(next);
  };
  const keys = () => request.mock.calls.map(([, variables]) => variables.input.idempotencyKey);
  return { request, sends, arrive, keys };
}

describe("createSends", () => {
  it("shows a message until its run's message is in the transcript", async () => {
    const { request, sends, arrive } = world();
    request.mockResolvedValueOnce(accepted("r1"));
    await sends.send("hello", null);
    expect(sends.pending()).toMatchObject([{ text: "hello", state: "accepted", runId: "r1" }]);
    arrive(viewOf(["r0", "hello"]));
    expect(sends.pending()).toHaveLength(1);
    arrive(viewOf(["r0", "hello"], ["r1", "hello"]));
    expect(sends.pending()).toEqual([]);
  });

  it("tries a draft with the one message, also when it is sent again, and keeps what is wrong with it by its path", async () => {
    const { request, sends } = world();
    request.mockRejectedValueOnce(new Error("no network"));
    const draft = { systemPrompt: "Tried" };
    await sends.send("hello", null, draft);
    const issues = [{ path: "draft.tools[0]", message: "there is no tool named rocket here" }];
    const code = "CONFIG_INVALID";
    request.mockResolvedValueOnce({ sendMessage: { __typename: "Invalid", code, message: "wrong", issues } });
    await sends.resend(sends.pending()[0]?.key ?? "");
    expect(request.mock.calls.map(([, { input }]) => input.draft)).toEqual([draft, draft]);
    expect(sends.refusal()).toMatchObject({ code, issues, text: "hello" });
    request.mockResolvedValueOnce(accepted("r1"));
    await sends.send("hello", null);
    expect(request.mock.calls.at(-1)?.[1].input).not.toHaveProperty("draft");
  });

  it("recognises a message that arrives before the answer, once for each of two equal ones", async () => {
    const { request, sends, arrive } = world();
    request.mockReturnValue(new Promise(() => undefined));
    void sends.send("again", null);
    void sends.send("again", "ENQUEUE");
    arrive(viewOf(["r1", "again"]));
    expect(sends.pending()).toHaveLength(1);
    arrive(viewOf(["r1", "again"], ["r2", "again"]));
    expect(sends.pending()).toEqual([]);
  });

  it("takes nothing for its own that was there before it was sent", async () => {
    const { request, sends, arrive } = world();
    arrive(viewOf(["r0", "yes"]));
    request.mockReturnValue(new Promise(() => undefined));
    void sends.send("yes", null);
    arrive(viewOf(["r0", "yes"]));
    expect(sends.pending()).toHaveLength(1);
  });

  it("sends a lost message again under the same key", async () => {
    const { request, sends, keys } = world();
    request.mockRejectedValueOnce(Object.assign(new Error("gone"), { code: "NETWORK" }));
    await sends.send("hello", "ENQUEUE");
    expect(sends.pending()).toMatchObject([{ state: "lost" }]);
    request.mockResolvedValueOnce(accepted("r1"));
    await sends.resend(sends.pending()[0]?.key ?? "");
    expect(sends.pending()).toMatchObject([{ state: "accepted" }]);
    expect(new Set(keys()).size).toBe(1);
    expect(keys()).toHaveLength(2);
  });

  it("gives a refused text back with the reason, and lets it be sent under a new key", async () => {
    const { request, sends, keys } = world();
    request.mockResolvedValueOnce({ sendMessage: { __typename: "Busy", code: "BUSY", message: "A run is active" } });
    await sends.send("now", null);
    expect(sends.pending()).toEqual([]);
    expect(sends.refusal()).toEqual({ code: "BUSY", message: "A run is active", issues: [], text: "now" });
    request.mockResolvedValueOnce({
      sendMessage: {
        __typename: "Invalid",
        code: "INVALID_INPUT",
        message: "no",
        issues: [{ path: "content", message: "too long" }],
      },
    });
    await sends.send("now", null);
    expect(sends.refusal()).toMatchObject({ code: "INVALID_INPUT", message: "too long" });
    expect(new Set(keys()).size).toBe(2);
  });
});
