import type { IncomingMessage, ServerResponse } from "node:http";
import { OwnerForm, type OwnerLinkDeps, redeemOwnerLink } from "../access/owner-link.ts";
import { answerJson, headersOf, readBody, sendResponse } from "./answers.ts";

const spent = "This link was used or has expired. Start the server again to get a new one, or sign in.";

/**
 * `GET /api/setup` says whether an owner is still missing; `POST /api/setup` with `{token, name, email, password}` makes
 * the first owner and signs them in.
 */
export async function answerSetup(
  deps: OwnerLinkDeps & { projectId: string },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method === "GET")
    return answerJson(response, 200, { ownerMissing: (await deps.access.countUsers()) === 0 });
  if (request.method !== "POST") return answerJson(response, 405, { code: "METHOD_NOT_ALLOWED" });
  const form = OwnerForm.safeParse(jsonOf(await readBody(request)));
  if (!form.success)
    return answerJson(response, 400, {
      code: "INVALID_INPUT",
      issues: form.error.issues.map((issue) => ({ path: issue.path.join("."), message: issue.message })),
    });
  if (!(await redeemOwnerLink(deps, form.data, deps.projectId)))
    return answerJson(response, 403, { code: "FORBIDDEN", message: spent });
  const { email, password } = form.data;
  await sendResponse(await deps.signIn.signIn({ email, password }, headersOf(request)), response);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
