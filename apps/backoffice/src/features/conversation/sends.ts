import { sendMessageDocument } from "@wheelhouse/client";
import type { BusyPolicy } from "@wheelhouse/domain";
import type { LiveView } from "../run/live-view.ts";
import type { LogClient } from "../run/log-client.ts";
import { localId } from "../run/snapshot.ts";

/** A message that was sent and is not in the transcript yet. */
export interface PendingSend {
  /** Idempotency key: sending it again never makes a second message. */
  key: string;
  text: string;
  policy: BusyPolicy | null;
  /** A definition of the agent to try for this message alone. */
  draft?: object | undefined;
  /** `lost`: nobody knows whether it arrived; sending it again is safe. */
  state: "sending" | "accepted" | "lost";
  runId: string | null;
  /** ISO 8601. */
  at: string;
  /** Where the log stood when it was sent. */
  sequence: number;
}

/** What the server answered instead of taking the message. */
export interface SendRefusal {
  code: string;
  message: string;
  /** What is wrong with the input, by its path: of a draft, where in the definition. */
  issues: readonly { path: string; message: string }[];
  text: string;
}

export interface Sends {
  pending(): readonly PendingSend[];
  refusal(): SendRefusal | null;
  send(text: string, policy: BusyPolicy | null, draft?: object): Promise<void>;
  resend(key: string): Promise<void>;
  discard(key: string): void;
  clearRefusal(): void;
  /** Takes away what has arrived in the transcript. */
  reconcile(view: LiveView): void;
}

interface Surroundings {
  view(): LiveView;
  changed(): void;
}

/** The messages of one composer between the key press and their place in the transcript. */
export function createSends(
  client: Pick<LogClient, "request">,
  sessionId: string,
  { view, changed }: Surroundings,
): Sends {
  let pending: readonly PendingSend[] = [];
  let refusal: SendRefusal | null = null;

  const update = (key: string, patch: Partial<PendingSend> | null): void => {
    pending = pending.flatMap((send) => (send.key !== key ? [send] : patch === null ? [] : [{ ...send, ...patch }]));
    changed();
  };

  const attempt = async (send: PendingSend): Promise<void> => {
    try {
      const { sendMessage: answer } = await client.request(sendMessageDocument, {
        input: {
          ...{ sessionId, content: send.text, idempotencyKey: send.key, busyPolicy: send.policy },
          ...(send.draft === undefined ? {} : { draft: send.draft }),
        },
      });
      if (answer.__typename === "SubmitTaskSuccess") {
        update(send.key, { state: "accepted", runId: localId(answer.run.id) });
        reconcile(view());
        return;
      }
      const issues = answer.__typename === "Invalid" ? answer.issues : [];
      const words = issues.map((issue) => issue.message).join(" ");
      refusal = { code: answer.code, message: words === "" ? answer.message : words, issues, text: send.text };
      update(send.key, null);
    } catch (error) {
      if (isFinal(error)) {
        refusal = { code: error.code, message: error.message, issues: [], text: send.text };
        update(send.key, null);
      } else update(send.key, { state: "lost" });
    }
  };

  const reconcile = (now: LiveView): void => {
    const left = withoutArrived(pending, now);
    if (left.length === pending.length) return;
    pending = left;
    changed();
  };

  return {
    pending: () => pending,
    refusal: () => refusal,
    async send(text, policy, draft) {
      const send: PendingSend = {
        key: crypto.randomUUID(),
        text,
        policy,
        draft,
        state: "sending",
        runId: null,
        at: new Date().toISOString(),
        sequence: view().sequence,
      };
      refusal = null;
      pending = [...pending, send];
      changed();
      await attempt(send);
    },
    async resend(key) {
      const send = pending.find((each) => each.key === key);
      if (send === undefined || send.state !== "lost") return;
      update(key, { state: "sending" });
      await attempt(send);
    },
    discard: (key) => update(key, null),
    clearRefusal() {
      refusal = null;
      changed();
    },
    reconcile,
  };
}

/** By run once the answer named it; before that, the first new message of the same text is this one. */
function withoutArrived(pending: readonly PendingSend[], view: LiveView): readonly PendingSend[] {
  if (pending.length === 0) return pending;
  const arrived = [...view.messages.values()].filter((message) => message.role === "USER");
  const taken = new Set<string>();
  return pending.filter((send) => {
    const match = arrived.find(
      (message) =>
        !taken.has(message.messageId) &&
        (send.runId === null
          ? message.sequence > send.sequence && message.text === send.text
          : message.runId === send.runId),
    );
    if (match !== undefined) taken.add(match.messageId);
    return match === undefined;
  });
}

/** Whether the server said no for good; anything else (no network, a restart) leaves the message's fate open. */
function isFinal(error: unknown): error is Error & { code: string } {
  const code: unknown = typeof error === "object" && error !== null ? Reflect.get(error, "code") : undefined;
  return (
    error instanceof Error &&
    typeof code === "string" &&
    ["FORBIDDEN", "UNAUTHENTICATED", "INVALID_INPUT", "INVALID_ID", "NOT_FOUND", "BAD_USER_INPUT"].includes(code)
  );
}
