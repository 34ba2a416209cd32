import { type Authority, bodyStores } from "@wheelhouse/domain";
import { z } from "zod";
import type { ArtifactReceipt, ArtifactStore, DeleteArtifactOutcome } from "../../artifacts.ts";
import type { Fence } from "../../records.ts";
import { int, sessionSelect, text, textOrNull } from "../rows.ts";
import type { Row, Tx } from "../sql.ts";
import { artifactOf, artifactSelect, visibleWhich } from "./artifact-rows.ts";
import type { StoreContext } from "./context.ts";
import { fenceText } from "./record-batch.ts";
import { SessionDraft } from "./session-draft.ts";
import { Params } from "./visible-rows.ts";

type DeleteInput = Parameters<ArtifactStore["delete"]>[1];

/** The kind of the jobs that keep receipts. */
export const artifactDeletion = "ARTIFACT_DELETION";

/**
 * Removes the rows, condemns the bodies and keeps the receipt, in one transaction: whatever happens afterwards, somebody
 * will delete the bodies.
 */
export async function deleteArtifact(
  context: StoreContext,
  tx: Tx,
  authority: Authority,
  input: DeleteInput,
): Promise<{ outcome: DeleteArtifactOutcome; draft: SessionDraft | null }> {
  const seen = await readArtifact(context, tx, authority, { input, lock: false });
  // Sessions first, as everybody locks them before their artifacts.
  const own = seen?.sessionId ?? null;
  const sessions = await lockSessions(context, tx, [own, input.fence?.sessionId ?? null]);
  if (input.fence !== null && !isHeld(sessions, input.fence)) return { outcome: { outcome: "fenced" }, draft: null };
  const session = sessions.find((row) => text(row, "s_id") === own) ?? null;
  const artifact = seen === null ? null : await readArtifact(context, tx, authority, { input, lock: true });
  if (artifact === null) return { outcome: { outcome: "notFound" }, draft: null };
  if (input.expectedVersion !== null && input.expectedVersion !== artifact.latestVersion)
    return { outcome: { outcome: "conflict", current: artifact }, draft: null };
  const rows = await tx.query("SELECT bytes, body_store, object_key FROM artifact_versions WHERE artifact_id = $1", [
    artifact.id,
  ]);
  const bodies = rows.flatMap((row) => {
    const objectKey = textOrNull(row, "object_key");
    return objectKey === null ? [] : [{ objectKey, bodyStore: z.enum(bodyStores).parse(text(row, "body_store")) }];
  });
  const bytes = rows.reduce((sum, row) => sum + int(row, "bytes"), 0);
  const { at, receiptId } = input;
  const receipt: ArtifactReceipt = {
    ...{ artifactId: artifact.id, path: artifact.path, versions: rows.length, bytes, bodies: bodies.length },
    ...{ deletedAt: at, bodiesDeletedAt: bodies.length === 0 ? at : null },
  };
  await tx.query("DELETE FROM artifacts WHERE id = $1", [artifact.id]);
  await tx.query("UPDATE projects SET artifact_bytes = artifact_bytes - $1 WHERE id = $2", [bytes, artifact.projectId]);
  const conflict =
    "ON CONFLICT (object_key) DO UPDATE SET body_store = excluded.body_store, condemned_at = excluded.condemned_at, job_id = excluded.job_id";
  const marks = bodies.map(({ objectKey, bodyStore }) => ({
    ...{ object_key: objectKey, body_store: bodyStore, job_id: receiptId },
    ...{ marked_at: at, condemned_at: at, created_at: at },
  }));
  const job = {
    ...{ id: receiptId, project_id: artifact.projectId, kind: artifactDeletion, receipt },
    status: bodies.length === 0 ? "SUCCEEDED" : "RUNNING",
    ...{ requested_by: `${authority.actor.kind}:${authority.actor.id}`, created_at: at, updated_at: at },
  };
  tx.write([
    { op: "insert", table: "jobs", rows: [job] },
    { op: "insert", table: "artifact_body_marks", rows: marks, conflict },
  ]);
  const draft = session === null ? null : new SessionDraft(session, { at, newId: context.newId });
  if (draft !== null) {
    const payload = { artifactId: artifact.id, path: artifact.path, version: artifact.latestVersion };
    draft.append({ type: "artifact.deleted", visibility: artifact.visibility, payload });
    draft.set({ last_activity_at: at });
    tx.write(draft.writes());
  }
  return { outcome: { outcome: "deleted", receiptId, receipt, bodies }, draft };
}

/** In the order of their ids, so that two runs that delete each other's artifacts do not wait for each other. */
async function lockSessions({ dialect }: StoreContext, tx: Tx, ids: (string | null)[]): Promise<Row[]> {
  const wanted = [...new Set(ids.filter((id) => id !== null))];
  if (wanted.length === 0) return [];
  return await tx.query(
    `SELECT ${sessionSelect} FROM sessions s JOIN agents a ON a.id = s.agent_id
     WHERE ${dialect.inList("s.id", 1)} ORDER BY s.id ${dialect.lock("s")}`,
    [wanted],
  );
}

const isHeld = (sessions: readonly Row[], fence: Fence): boolean =>
  sessions.some((row) => text(row, "s_id") === fence.sessionId && textOrNull(row, "s_fence") === fenceText(fence));

async function readArtifact(
  context: StoreContext,
  tx: Tx,
  authority: Authority,
  { input, lock }: { input: DeleteInput; lock: boolean },
) {
  const params = new Params();
  const visible = visibleWhich(context, authority, input.which, params);
  const [row] = await tx.query(
    `SELECT ${artifactSelect} FROM artifacts a WHERE ${visible} ${lock ? context.dialect.lock("a") : ""}`,
    params.values,
  );
  return row === undefined ? null : artifactOf(row);
}
