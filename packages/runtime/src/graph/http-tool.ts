import type { ToolRunnableConfig } from "@langchain/core/tools";
import { DynamicStructuredTool } from "@langchain/core/tools";
import type { HttpToolDefinition } from "@wheelhouse/domain";
import { type OutgoingAnswer, OutgoingFailed, type OutgoingHttp, OutgoingRefused } from "../outgoing-http.ts";
import { fillTemplate } from "./fill-template.ts";
import { idempotencyKey } from "./tool-calls.ts";
import { ToolCallFailed } from "./tool-failures.ts";
import { type Environment, headerValues, withoutSecrets } from "./variables.ts";

export interface HttpToolDeps {
  outgoing: OutgoingHttp;
  env: Environment;
}

/** A tool that is one HTTP call. What goes wrong with a call is told to the model, which may do better the next time. */
export function httpTool(name: string, definition: HttpToolDefinition, deps: HttpToolDeps): DynamicStructuredTool {
  return new DynamicStructuredTool({
    name,
    description: definition.description,
    schema: { type: "object", ...definition.argumentsSchema },
    ...(definition.repeatable === undefined ? {} : { metadata: { repeatable: definition.repeatable } }),
    func: (args: Record<string, unknown>, _manager, config) => callOnce(name, definition, deps, { args, config }),
  });
}

async function callOnce(
  name: string,
  definition: HttpToolDefinition,
  { outgoing, env }: HttpToolDeps,
  { args, config }: { args: Record<string, unknown>; config: ToolRunnableConfig | undefined },
): Promise<string> {
  const { method, timeoutSeconds, maxResponseBytes } = definition;
  const secrets = headerValues(definition.headers, env, `The tool "${name}" cannot be called`);
  const { url, body } = fillTemplate(definition, args);
  const key: unknown = config?.configurable?.[idempotencyKey];
  const headers = {
    accept: "application/json, text/*;q=0.9, */*;q=0.1",
    ...(body === undefined ? {} : { "content-type": "application/json" }),
    ...(method !== "GET" && typeof key === "string" ? { "idempotency-key": key } : {}),
  };
  try {
    const answer = await outgoing.send({
      ...{ method, url, headers: overlay(headers, secrets), maxResponseBytes, timeoutMs: timeoutSeconds * 1000 },
      ...(body === undefined ? {} : { body }),
      ...(config?.signal === undefined ? {} : { signal: config.signal }),
    });
    return withoutSecrets(resultOf(answer, maxResponseBytes), Object.values(secrets));
  } catch (error) {
    if (error instanceof ToolCallFailed)
      throw new ToolCallFailed(withoutSecrets(error.message, Object.values(secrets)), { retryable: error.retryable });
    if (error instanceof OutgoingRefused) throw new ToolCallFailed(error.message, { retryable: false });
    if (error instanceof OutgoingFailed) throw new ToolCallFailed(error.message, { retryable: true });
    throw error;
  }
}

/** Header names differ in case only by spelling: the definition's wins. */
function overlay(own: Record<string, string>, defined: Record<string, string>): Record<string, string> {
  const names = new Set(Object.keys(defined).map((name) => name.toLowerCase()));
  return { ...Object.fromEntries(Object.entries(own).filter(([name]) => !names.has(name))), ...defined };
}

/** Of the answer to a call that failed, this much is told to the model, UTF-16 code units. */
const maxErrorText = 2000;

function resultOf({ status, body, truncated }: OutgoingAnswer, maxBytes: number): string {
  if (status >= 300 && status < 400)
    throw new ToolCallFailed(`The call was answered with the redirect ${status}; redirects are not followed.`, {
      retryable: false,
    });
  const said = body.trim();
  if (status < 200 || status >= 400) {
    const retryable = status >= 500 || status === 408 || status === 429;
    const text = said === "" ? "" : `: ${said.slice(0, maxErrorText).toWellFormed()}`;
    throw new ToolCallFailed(`The call was answered with ${status}${text}`, { retryable });
  }
  if (truncated)
    throw new ToolCallFailed(`The answer is longer than the ${maxBytes} bytes that are read.`, { retryable: false });
  return said === "" ? `The call succeeded with status ${status} and no content.` : body;
}
