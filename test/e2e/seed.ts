import { type APIRequestContext, expect } from "@playwright/test";
import { z } from "zod";

interface SeededConversation {
  session: string;
  run: string;
}
export interface Seed {
  answered: SeededConversation;
  waiting: SeededConversation;
}

const Sent = z.object({
  data: z.object({
    sendMessage: z.object({ session: z.object({ id: z.string() }), run: z.object({ id: z.string() }) }),
  }),
});
const Made = z.object({ data: z.object({ createWebhook: z.object({ webhook: z.object({ id: z.string() }) }) }) });
const RunStatus = z.object({ data: z.object({ run: z.object({ status: z.string() }) }) });

/** A few conversations through the API, as an application would begin them, each waited for. */
export async function seedConversations(request: APIRequestContext): Promise<Seed> {
  const ask = async (query: string, variables: object): Promise<unknown> => {
    const answer = await request.post("/graphql", { data: { query, variables } });
    return answer.json();
  };
  const converse = async (agent: string, content: string, end: string): Promise<SeededConversation> => {
    const sent = await ask(
      `mutation Send($agent: String!, $content: String!) {
        sendMessage(input: { agent: $agent, content: $content }) {
          ... on SubmitTaskSuccess { session { id } run { id } }
        }
      }`,
      { agent, content },
    );
    const { session, run } = Sent.parse(sent).data.sendMessage;
    const status = async () =>
      RunStatus.parse(await ask("query Run($id: ID!) { run(id: $id) { status } }", { id: run.id })).data.run.status;
    await expect.poll(status, { timeout: 60_000 }).toBe(end);
    return { session: session.id, run: run.id };
  };
  const answered = await converse("guide", "How does a client follow a run without missing an event?", "SUCCEEDED");
  await converse("briefing", "Which databases can it run on?", "SUCCEEDED");
  await converse(
    "analyst",
    "Look into what happens to a run when the server is killed 日本語でもどうぞ 🙂",
    "SUCCEEDED",
  );
  await ask(
    `mutation Schedule($input: JSON!) {
      createSchedule(input: { name: "morning report", cron: "30 7 * * MON-FRI", timeZone: "Europe/Berlin", agent: "analyst",
        input: $input }) { __typename }
    }`,
    { input: { messages: [{ role: "user", content: "Summarise what happened yesterday." }] } },
  );
  // A name that no resolver knows: nothing leaves the machine.
  const made = Made.parse(
    await ask(
      `mutation Webhook { createWebhook(input: { url: "https://receiver.invalid/wheelhouse", events: [TASK_INPUT_REQUIRED] }) {
        ... on WebhookSecretSuccess { webhook { id } } } }`,
      {},
    ),
  );
  await ask("mutation Test($id: ID!) { sendTestWebhook(input: { webhookId: $id }) { __typename } }", {
    id: made.data.createWebhook.webhook.id,
  });
  const waiting = await converse(
    "clerk",
    "Send an email to bjorn@example.com: “Björn, your plan renews in June”",
    "INTERRUPTED",
  );
  return { answered, waiting };
}
