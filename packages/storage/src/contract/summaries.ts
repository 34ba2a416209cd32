import { type BusyPolicy, busyPolicies } from "@wheelhouse/domain";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ClaimedRun } from "../records.ts";
import type { ContractWorld, OpenContractWorld } from "./contract-world.ts";
import { recount } from "./recount.ts";
import {
  batchOf,
  callOf,
  claimInput,
  customEvent,
  endEverything,
  expireLeases,
  messageOf,
  newSession,
  stepOf,
  useWorld,
  workOf,
} from "./sample-work.ts";

type Operation =
  | { do: "submit"; policy: BusyPolicy; content: string | null }
  | { do: "record"; messages: string[]; repeat: boolean; steps: number; calls: (number | null)[]; events: number }
  | { do: "finish"; status: "SUCCEEDED" | "FAILED" | "INTERRUPTED" | "CANCELLED" }
  | { do: "cancel" }
  | { do: "retry" }
  | { do: "decide" }
  | { do: "lose" };

const content = fc.oneof(fc.string({ maxLength: 20 }), fc.constant("x".repeat(700)));

const operation: fc.Arbitrary<Operation> = fc.oneof(
  fc.record({
    do: fc.constant("submit" as const),
    policy: fc.constantFrom(...busyPolicies),
    content: fc.option(content),
  }),
  fc.record({
    do: fc.constant("record" as const),
    messages: fc.array(content, { maxLength: 3 }),
    repeat: fc.boolean(),
    steps: fc.nat(3),
    calls: fc.array(fc.option(fc.nat(100)), { maxLength: 2 }),
    events: fc.nat(3),
  }),
  fc.record({
    do: fc.constant("finish" as const),
    status: fc.constantFrom("SUCCEEDED" as const, "FAILED" as const, "INTERRUPTED" as const, "CANCELLED" as const),
  }),
  fc.constantFrom<Operation>({ do: "cancel" }, { do: "retry" }, { do: "decide" }, { do: "lose" }),
);

/** One session that operations happen to. */
class Story {
  readonly sessionId: string;
  readonly #world: ContractWorld;
  #claimed: ClaimedRun | null = null;
  #seq = 0;
  #lastMessage: { id: string; langgraphMessageId: string } | null = null;

  constructor(world: ContractWorld, sessionId: string) {
    this.#world = world;
    this.sessionId = sessionId;
  }

  async happen(operation: Operation): Promise<void> {
    this.#world.clock.advance(400);
    await this.#claim();
    switch (operation.do) {
      case "submit": {
        const session = { by: "id", id: this.sessionId } as const;
        const { policy, content } = operation;
        await this.#world.storage.tasks.submit(
          this.#world.authority(),
          workOf(this.#world, { session, policy, content }),
        );
        return;
      }
      case "record":
        return this.#record(operation);
      case "finish":
        return this.#finish(operation.status);
      case "cancel":
        return this.#cancel();
      case "retry":
        return this.#retry();
      case "decide":
        return this.#decide();
      case "lose":
        return expireLeases(this.#world);
    }
  }

  async #claim(): Promise<void> {
    const claimed = await this.#world.storage.runs.claim(claimInput(this.#world, { maxRecoveries: 1 }));
    this.#claimed = claimed.find(({ run }) => run.sessionId === this.sessionId) ?? this.#claimed;
  }

  async #record(operation: Extract<Operation, { do: "record" }>): Promise<void> {
    if (this.#claimed === null) return;
    const world = this.#world;
    const messages = operation.messages.map((text) => messageOf(world, { content: text }));
    if (operation.repeat && this.#lastMessage !== null)
      messages.push(messageOf(world, { ...this.#lastMessage, content: "rewritten" }));
    this.#lastMessage = messages[0] ?? this.#lastMessage;
    const steps = Array.from({ length: operation.steps }, () => stepOf(world, { seq: ++this.#seq }));
    const modelCalls = operation.calls.map((total) =>
      callOf(world, { promptTokens: total, completionTokens: null, totalTokens: total }),
    );
    const events = Array.from({ length: operation.events }, () => customEvent(world));
    await world.storage.runs.record(this.#claimed.fence, batchOf({ messages, steps, modelCalls, events }));
  }

  async #finish(status: "SUCCEEDED" | "FAILED" | "INTERRUPTED" | "CANCELLED"): Promise<void> {
    if (this.#claimed === null) return;
    const world = this.#world;
    const interrupts = [
      {
        id: world.newId(),
        interruptId: world.newId(),
        kind: "QUESTION" as const,
        actionRequests: [],
        allowedDecisions: ["RESPOND" as const],
        expiresAt: null,
      },
    ];
    const failure = { code: "GRAPH_ERROR" as const, message: "The graph threw" };
    await world.storage.runs.finish(this.#claimed.fence, batchOf({}), {
      status,
      at: world.clock.now(),
      ...(status === "FAILED" && { failure }),
      ...(status === "INTERRUPTED" && { interrupts }),
    });
  }

  async #cancel(): Promise<void> {
    const task = await this.#world.models.task.findFirst({
      where: { sessionId: this.sessionId, status: { in: ["SUBMITTED", "WORKING", "INPUT_REQUIRED"] } },
      orderBy: { id: "asc" },
    });
    if (task === null) return;
    await this.#world.storage.tasks.cancel(this.#world.authority(), {
      taskId: task.id,
      reason: "no",
      at: this.#world.clock.now(),
    });
  }

  async #retry(): Promise<void> {
    const task = await this.#world.models.task.findFirst({
      where: { sessionId: this.sessionId, status: { in: ["FAILED", "CANCELLED"] } },
      orderBy: { updatedAt: "desc" },
    });
    if (task === null) return;
    await this.#world.storage.tasks.retry(this.#world.authority(), {
      taskId: task.id,
      newRunId: this.#world.newId(),
      traceId: null,
      at: this.#world.clock.now(),
    });
  }

  async #decide(): Promise<void> {
    const interrupt = await this.#world.models.interrupt.findFirst({
      where: { sessionId: this.sessionId, decidedAt: null },
    });
    if (interrupt === null) return;
    await this.#world.storage.interrupts.decide(this.#world.authority(), {
      decisions: [{ id: interrupt.id, decision: "RESPOND", value: 1 }],
      newRunId: this.#world.newId(),
      at: this.#world.clock.now(),
    });
  }
}

/** What a session shows of itself is what counting its rows gives, whatever happened to it. */
export function summariesContract(openWorld: OpenContractWorld): void {
  describe("the summary of a session", () => {
    const world = useWorld(openWorld);

    it("equals a recount after any operations", async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(operation, { minLength: 3, maxLength: 14 }), async (operations) => {
          await endEverything(world());
          const create = newSession(world());
          await world().storage.tasks.submit(world().authority(), workOf(world(), { session: { by: "new", create } }));
          const story = new Story(world(), create.id);
          for (const operation of operations) await story.happen(operation);
          const counted = await recount(world(), create.id);
          const row = await world().models.session.findUniqueOrThrow({ where: { id: create.id } });
          expect(row).toMatchObject(counted.columns);
          expect(counted.gapless).toBe(true);
          expect(counted.activeRuns).toBeLessThanOrEqual(1);
          const status = counted.activeRuns > 0 ? ["BUSY"] : counted.waiting > 0 ? ["WAITING"] : ["IDLE", "ERROR"];
          expect(status).toContain(row.status);
        }),
        { numRuns: 25, seed: 20_260_601 },
      );
    });
  });
}
