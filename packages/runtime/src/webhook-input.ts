import { type Issue, type WebhookEvent, webhookEvents } from "@wheelhouse/domain";
import { invalidFields } from "./check-input.ts";
import type { RuntimeDeps } from "./deps.ts";

const maxUrlLength = 2_000;

/** Refuses an address that may not be called, and a list of events that is empty. Undefined fields are not looked at. */
export async function checkWebhook(
  { outgoing }: Pick<RuntimeDeps, "outgoing">,
  input: { url?: string | undefined; events?: readonly WebhookEvent[] | undefined },
): Promise<void> {
  const issues: Issue[] = [];
  const message = input.url === undefined ? null : await urlIssue(outgoing, input.url);
  if (message !== null) issues.push({ path: "url", message });
  if (input.events?.length === 0)
    issues.push({ path: "events", message: `name at least one of ${webhookEvents.join(", ")}` });
  if (issues.length > 0) throw invalidFields(issues);
}

async function urlIssue(outgoing: RuntimeDeps["outgoing"], url: string): Promise<string | null> {
  return url.length > maxUrlLength ? `must not be longer than ${maxUrlLength} characters` : outgoing.refusalOf(url);
}
